/* schema.h -- JSON Schema of tables of fields, object by object; keys.c says where they stand.
 */
#ifndef DTS_BASE_JSON_SCHEMA_H
#define DTS_BASE_JSON_SCHEMA_H

#include <stdio.h>

#include "base/json/cfg.h"

struct dts_schema; // owned by who begins it

struct dts_schema *dts_schema_begin(void);
void dts_schema_add(struct dts_schema *schema, const char *path,
                    const struct dts_field *fields);
void dts_schema_case(struct dts_schema *schema, const char *path, const char *kind,
                     const char *value, const struct dts_field *fields);
void dts_schema_refer(struct dts_schema *schema, const char *path, const char *one,
                      const char *other);
void dts_schema_instead(struct dts_schema *schema);

/* Print it and free it. */
void dts_schema_end(struct dts_schema *schema, const char *title, FILE *out);

#endif
