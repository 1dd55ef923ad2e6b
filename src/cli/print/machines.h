/* machines.h -- what platforms are in a few numbers, as text and as JSON. */
#ifndef DTS_CLI_PRINT_MACHINES_H
#define DTS_CLI_PRINT_MACHINES_H

#include <stdio.h>

#include "sim/net/platform/figures.h"

/* `figures` are the platform's. */
void dts_machine_text(const struct dts_platform *platform,
                      const struct dts_platform_figures *figures, FILE *out);

/* Below the last one: what the numbers count. */
void dts_machine_text_notes(FILE *out);

/* An object in a list that was begun. */
struct dts_json;
void dts_machine_json(const struct dts_platform *platform,
                      const struct dts_platform_figures *figures, struct dts_json *json);

#endif
