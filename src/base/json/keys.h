/* keys.h -- what a kind of file may hold, said once: its help and its JSON Schema are made of
 * it.
 *
 *     void dts_device_keys(struct dts_keys *keys)
 *     {
 *         dts_keys_heading(keys, "A device is a JSON object:");
 *         dts_keys_add(keys, "", fields);
 *         dts_keys_heading(keys, "profile.kernels[]:");
 *         dts_keys_add(keys, "profile.kernels[]", kernel_fields);
 *     }
 *
 * A path says where an object stands: "" the file, "node.fabric", "strategies[]" an element of
 * a list, "#layer" a shape that stands in several places (dts_keys_refer()).
 */
#ifndef DTS_BASE_JSON_KEYS_H
#define DTS_BASE_JSON_KEYS_H

#include <stdio.h>

#include "base/json/cfg.h"

struct dts_keys; // what is said goes there

/* A line above keys, for the help alone. */
void dts_keys_heading(struct dts_keys *keys, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Lines as they are, for the help alone. */
void dts_keys_note(struct dts_keys *keys, const char *lines);

/* The object at the path has these keys; several calls add up. NULL: none. */
void dts_keys_add(struct dts_keys *keys, const char *path, const struct dts_field *fields);

/* It has them where its key `kind` has this value. */
void dts_keys_case(struct dts_keys *keys, const char *path, const char *kind, const char *value,
                   const struct dts_field *fields);

/* What stands at the path ("layers[]") is one of two shapes, "#layer" and "#group"; the other
 * may be NULL. */
void dts_keys_refer(struct dts_keys *keys, const char *path, const char *one,
                    const char *other);

/* From here on "" is another object, which the file may hold instead. */
void dts_keys_instead(struct dts_keys *keys);

/* Print the help that a function says. */
void dts_keys_help(void (*say)(struct dts_keys *keys), FILE *out);

/* Print the schema (JSON Schema, draft 2020-12). `title` is what the file is: "a scenario". */
void dts_keys_schema(void (*say)(struct dts_keys *keys), const char *title, FILE *out);

#endif
