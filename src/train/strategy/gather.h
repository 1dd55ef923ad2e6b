/* gather.h -- rows of tables that all devices gather. */
#ifndef DTS_TRAIN_STRATEGY_GATHER_H
#define DTS_TRAIN_STRATEGY_GATHER_H

#include "train/strategy/build.h"
#include "train/strategy/coll_choice.h"

struct dts_gather {
    const struct dts_coll_choice *choice; // of the all-reduce
    const struct dts_point *point;
    struct dts_plan *plan;
    const struct dts_bucket *buckets;
    int rows; // the buffer, with room for the messages of all devices
};

/* Adds an all-gather of the bucket's rows behind `ready`, and the sum of what arrived. By the
 * all-reduce's algorithm, or by a ring where that gathers nothing. */
bool dts_gather_add(const struct dts_gather *gather, int bucket, int ready,
                    struct dts_error *err);

#endif
