/* schedule.h -- in which order a stage of a pipeline runs its passes: one file and one row
 * each.
 *
 * A stage has `chunks` parts of the network and sees every microbatch once forward and once
 * backward in each of them. A schedule is a list of these passes in the order in which the
 * stage runs them; when each may begin follows from the messages between stages.
 *
 * A schedule may have two copies of the network, of which stages see other microbatches: copy 0
 * goes from the first stage to the last one, copy 1 from the last stage to the first.
 */
#ifndef DTS_TRAIN_STRATEGY_MESH_SCHEDULE_H
#define DTS_TRAIN_STRATEGY_MESH_SCHEDULE_H

#include <stdbool.h>

#include "plan/plan.h"

/* How many stages, parts of each, and microbatches. */
struct dts_pipeline_shape {
    int stages, chunks, microbatches;
};

/* One pass of a microbatch through a part. Backward may be split into DTS_BACKWARD_INPUT, after
 * which the stage before can go on, and DTS_BACKWARD_WEIGHT. */
struct dts_pipeline_pass {
    enum dts_pass pass;
    int microbatch, chunk;
    bool joins; // forward: it runs together with the backward pass behind it in the list
};

/* What a chunk of a stage is: which part of the network, of which copy. */
struct dts_pipeline_place {
    int part, copy;
};

struct dts_pipeline_schedule {
    const char *name, *summary;
    bool interleaves; // a stage may have several parts
    int copies;       // of the network; 0: one
    int chunks;       // parts that a stage has; 0: one, or as many as is asked for

    /* NULL: part number chunk x stages + stage, of one copy. */
    struct dts_pipeline_place (*place)(const struct dts_pipeline_shape *shape, int stage,
                                       int chunk);

    /* NULL where the shape suits, else why not: "needs ...". NULL: every shape does. */
    const char *(*fits)(const struct dts_pipeline_shape *shape);

    /* Fills the passes of a stage, dts_pipeline_most_passes() at most. Returns how many. */
    int (*list)(const struct dts_pipeline_shape *shape, int stage,
                struct dts_pipeline_pass *passes);
};

extern const struct dts_pipeline_schedule *const dts_pipeline_schedules[]; // ended by NULL
const struct dts_pipeline_schedule *dts_pipeline_schedule_find(const char *name);
const char *dts_pipeline_schedule_name(int i);

/* Room for the passes of any stage. */
int dts_pipeline_most_passes(const struct dts_pipeline_shape *shape);

/* Is the microbatch through with the part after this pass? */
bool dts_pipeline_is_last(enum dts_pass pass);

struct dts_pipeline_place dts_pipeline_place(const struct dts_pipeline_schedule *schedule,
                                             const struct dts_pipeline_shape *shape, int stage,
                                             int chunk);

int dts_pipeline_copies(const struct dts_pipeline_schedule *schedule); // of the network

/* The parts into which the network is cut: each copy has all of them. */
int dts_pipeline_parts(const struct dts_pipeline_schedule *schedule,
                       const struct dts_pipeline_shape *shape);

/* The stage that has a place, and as which of its chunks; false: there is no such part. */
bool dts_pipeline_find(const struct dts_pipeline_schedule *schedule,
                       const struct dts_pipeline_shape *shape, struct dts_pipeline_place place,
                       int *stage, int *chunk);

/* The first of a step's microbatches that a copy sees; its others follow. */
int dts_pipeline_first_microbatch(const struct dts_pipeline_schedule *schedule,
                                  const struct dts_pipeline_shape *shape, int copy);

/* For `list`: so many forward passes, then one forward and one backward in turn, then the
 * backward passes that are left. Returns how many. */
int dts_pipeline_alternate(const struct dts_pipeline_shape *shape, int before,
                           struct dts_pipeline_pass *passes);

/* Which set of activations each pass of a list uses: a forward pass takes the lowest that is
 * free in its chunk, the last backward pass of the microbatch gives it back. slots: one for
 * each of `length` passes; most: for each chunk, how many it needs. Both are the caller's. */
void dts_pipeline_slots(const struct dts_pipeline_shape *shape,
                        const struct dts_pipeline_pass *passes, int length, int *slots,
                        int *most);

/* How many sets of activations a stage needs: of each chunk. The caller frees it. */
int *dts_pipeline_most(const struct dts_pipeline_schedule *schedule,
                       const struct dts_pipeline_shape *shape, int stage);

#endif
