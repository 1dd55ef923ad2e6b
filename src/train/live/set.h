/* set.h -- what this rank is to run: each strategy of the scenario on as many devices as
 * mpirun started ranks for.
 */
#ifndef DTS_TRAIN_LIVE_SET_H
#define DTS_TRAIN_LIVE_SET_H

#include <stdint.h>

#include "answer/built.h"
#include "answer/live/comparison.h"
#include "answer/scene.h"
#include "base/text.h"
#include "sim/engine.h"

struct dts_live_point {
    struct dts_question question;
    struct dts_built built;
    struct dts_error error; // this strategy cannot run with so many ranks, or be predicted

    // filled on rank 0
    struct dts_comparison comparison;
    struct dts_timing timing; // the step of median time
};

struct dts_live_set {
    struct dts_scene scene;
    struct dts_live_point *points; // by strategy; owned
    int count;
};

/* The last point that can run: a timeline is of this one. */
int dts_live_set_last(const struct dts_live_set *set);

/* Is there a point that can run? Else the reason of the first one is the error. */
bool dts_live_set_any(const struct dts_live_set *set, struct dts_error *err);

/* Fails when no strategy can run. `word` names the scenario. */
bool dts_live_set_open(const struct dts_changes *changes, const char *word, int ranks,
                       struct dts_live_set *set, struct dts_error *err);
void dts_live_set_free(struct dts_live_set *set);

/* Where the scenario's devices do not contain those that are run: fails where there is one rank
 * that nobody started (`alone`), else adds to `note`. */
bool dts_live_set_devices(const struct dts_live_set *set, bool alone, struct dts_text *note,
                          struct dts_error *err);

/* Over the plans of all points, and over how they are to be run. */
uint64_t dts_live_set_hash(const struct dts_live_set *set);

/* The seconds of all calls, for rank 0 to tell the others: what it waits for they wait for. */
size_t dts_live_set_calls(const struct dts_live_set *set);
void dts_live_set_seconds(struct dts_live_set *set, double *seconds, bool take);

#endif
