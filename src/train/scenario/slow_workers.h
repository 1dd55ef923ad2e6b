/* slow_workers.h -- the key "slow_workers": whose kernels take longer, simulated and, under
 * `--live`, planted: the worker waits for the rest of the time.
 *
 *     "slow_workers": {"factor": 3, "workers": [0]}, or a list of such
 */
#ifndef DTS_TRAIN_SCENARIO_SLOW_WORKERS_H
#define DTS_TRAIN_SCENARIO_SLOW_WORKERS_H

#include <stdbool.h>

#include "base/json/cfg.h"

struct dts_slow_workers {
    struct dts_slow_worker {
        int worker; // number among those that train
        double factor;
    } * all; // owned
    int count;
};

extern const struct dts_field dts_slow_workers_fields[]; // of one such object

/* Workers are numbered from 0 to most - 1; a point with fewer has none of those beyond. `at`
 * may be missing: nobody. */
bool dts_slow_workers_read(struct dts_slow_workers *slow, const struct dts_cfg *at, int most,
                           struct dts_error *err);
void dts_slow_workers_free(struct dts_slow_workers *slow);

/* How many times as long the kernels of a worker take: >= 1. */
double dts_slow_workers_factor(const struct dts_slow_workers *slow, int worker);

#endif
