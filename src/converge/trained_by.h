/* trained_by.h -- how the runs of a profile or a table were trained, in the words that
 * scenarios have: what is left out is not said, and nothing is compared with it.
 *
 *     "trained": {"scaling": "linear", "warm_up": "gradual", "decay": "step",
 *                 "batch_norm_samples": 32}
 */
#ifndef DTS_CONVERGE_TRAINED_BY_H
#define DTS_CONVERGE_TRAINED_BY_H

#include "base/json/cfg.h"
#include "base/json/json_out.h"

/* Of the own recipe of a profile, or the own rule of a table. NULL and 0: not said. */
struct dts_trained_by {
    const char *scaling; // how the rate follows the batch: live.scaling.rule of a scenario
    const char *warm_up; // "none", or live.schedule.warm_up
    const char *decay;   // live.schedule.kind
    double batch_norm_samples; // that batch normalization spans
};

extern const struct dts_field dts_trained_by_fields[];

/* As the member "trained" of an object; nothing where nothing is said. */
void dts_trained_by_print(const struct dts_trained_by *trained, struct dts_json *json);

#endif
