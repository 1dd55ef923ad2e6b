/* explain.h -- one sentence on what bounds a step. */
#ifndef DTS_ANSWER_EXPLAIN_H
#define DTS_ANSWER_EXPLAIN_H

#include "answer/result.h"
#include "sim/load/bottleneck.h"
#include "sim/load/bound.h"
#include "train/strategy/input.h"
#include "train/strategy/strategy.h"

enum { DTS_EXPLAINED = 3 }; // kinds of links that a sentence names

/* What is known of a step. */
struct dts_why {
    const struct dts_step *step;
    const struct dts_bound *bound;
    const struct dts_bottleneck *found; // dts_bottlenecks_find(), the longest first
    int count;
    struct dts_input input;
    const struct dts_machine *machine;
    bool neighbours; // other jobs are on the machine
};

/* What bounds the step; where samples are waited for, what they wait for; then what the
 * communication waits for: each kind of link with its seconds, and what is left after all links
 * for latency, sums and waiting, also for neighbours. */
void dts_explain_bound(const struct dts_why *e, char *text, size_t room);

#endif
