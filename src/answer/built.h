/* built.h -- one point of a scenario as plans, ready to be simulated or run. */
#ifndef DTS_ANSWER_BUILT_H
#define DTS_ANSWER_BUILT_H

#include "answer/unlike.h"

/* Borrows from the question. */
struct dts_built {
    struct dts_machine machine;
    struct dts_point point;
    struct dts_model_seconds seconds;
    struct dts_job job;
    int *endpoints; // of each rank
    int ranks;      // so many

    /* Kernels take this many times as long because devices share the node. `seconds` includes
     * it. */
    double together;

    struct dts_kinds_used used; // kinds of node; `seconds` are of its first
    struct dts_unlike unlike;
};

/* *built must stay where it is while it is used: its parts point to one another. */
bool dts_built_make(const struct dts_question *question, struct dts_built *built,
                    struct dts_error *err);
/* By how much communication slows kernels down: the platform's word goes before the stack's. */
double dts_built_slowdown(const struct dts_question *question);

/* Bytes of arriving gradients that a device sums in a second. */
double dts_built_sums(const struct dts_built *built);

/* Who does not wait for all others, in words of an error; NULL: all do. */
const char *dts_built_drifting(const struct dts_built *built);

void dts_built_free(struct dts_built *built); // leaves it empty

#endif
