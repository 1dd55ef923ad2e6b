/* noise_left_out.h -- critical batches of benchmarks left out whole, from the noise of their
 * gradients. */
#ifndef DTS_CLI_PRINT_NOISE_LEFT_OUT_H
#define DTS_CLI_PRINT_NOISE_LEFT_OUT_H

#include "base/json/json_out.h"
#include "converge/noise_law.h"

/* A table, and what it says. */
void dts_noise_left_out_text(FILE *out);

/* The same as the member "noise_scale" of an object. */
void dts_noise_left_out_json(struct dts_json *json);

#endif
