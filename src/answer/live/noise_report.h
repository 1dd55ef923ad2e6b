/* noise_report.h -- the gradient noise scale that a live run measured, for people and as JSON
 * (docs/live.md, "Gradient noise scale"). */
#ifndef DTS_ANSWER_LIVE_NOISE_REPORT_H
#define DTS_ANSWER_LIVE_NOISE_REPORT_H

#include <stdio.h>

#include "base/json/json_out.h"
#include "base/noise_scale.h"

/* Both print nothing where nothing was measured. json: a member "noise_scale". */
void dts_noise_text(const struct dts_noise_scale *noise, FILE *out);
void dts_noise_json(const struct dts_noise_scale *noise, struct dts_json *json);

/* "812 samples (754 to 880)", or what is known of it. */
void dts_noise_ratio_text(const struct dts_noise_ratio *ratio, FILE *out);

/* The members of an average, in an object of that name. */
void dts_noise_ratio_json(const struct dts_noise_ratio *ratio, const char *key,
                          struct dts_json *json);

#endif
