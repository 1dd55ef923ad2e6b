/* schedule.h -- in which order a stage of a pipeline runs its passes: one file and one row
 * each.
 *
 * A stage has `chunks` parts of the network and sees every microbatch once forward and once
 * backward in each of them. A schedule is a list of these passes in the order in which the
 * stage runs them; when each may begin follows from the messages between stages.
 */
#ifndef DTS_TRAIN_STRATEGY_MESH_SCHEDULE_H
#define DTS_TRAIN_STRATEGY_MESH_SCHEDULE_H

#include <stdbool.h>

#include "plan/plan.h"

/* How many stages, parts of each, and microbatches. */
struct dts_pipeline_shape {
    int stages, chunks, microbatches;
};

/* One pass of a microbatch through a part. A schedule that splits backward runs it as
 * DTS_BACKWARD_INPUT, after which the stage before can go on, and DTS_BACKWARD_WEIGHT. */
struct dts_pipeline_pass {
    enum dts_pass pass;
    int microbatch, chunk;
};

struct dts_pipeline_schedule {
    const char *name, *summary;
    bool interleaves;     // a stage may have several parts
    bool splits_backward; // gradients of inputs and of weights are passes of their own

    /* NULL where the shape suits, else why not: "needs ...". NULL: every shape does. */
    const char *(*fits)(const struct dts_pipeline_shape *shape);

    /* Fills the passes of a stage, dts_pipeline_length() of them. */
    void (*list)(const struct dts_pipeline_shape *shape, int stage,
                 struct dts_pipeline_pass *passes);
};

extern const struct dts_pipeline_schedule *const dts_pipeline_schedules[]; // ended by NULL
const struct dts_pipeline_schedule *dts_pipeline_schedule_find(const char *name);
const char *dts_pipeline_schedule_name(int i);

int dts_pipeline_length(const struct dts_pipeline_schedule *schedule,
                        const struct dts_pipeline_shape *shape);

/* For `list`: so many forward passes, then one forward and one backward in turn, then the
 * backward passes that are left. */
void dts_pipeline_alternate(const struct dts_pipeline_shape *shape, int before,
                            struct dts_pipeline_pass *passes);

/* Which set of activations each pass of a list uses: a forward pass takes the lowest that is
 * free in its chunk, the last backward pass of the microbatch gives it back. slots: one for
 * each pass; most: for each chunk, how many it needs. Both are the caller's. */
void dts_pipeline_slots(const struct dts_pipeline_schedule *schedule,
                        const struct dts_pipeline_shape *shape,
                        const struct dts_pipeline_pass *passes, int *slots, int *most);

/* How many sets of activations a stage needs: of each chunk. The caller frees it. */
int *dts_pipeline_most(const struct dts_pipeline_schedule *schedule,
                       const struct dts_pipeline_shape *shape, int stage);

#endif
