/* unlike.h -- devices of a point that are not all alike: slow nodes, nodes of several kinds. */
#ifndef DTS_ANSWER_UNLIKE_H
#define DTS_ANSWER_UNLIKE_H

#include "answer/result.h"
#include "answer/scene.h"
#include "train/strategy/build.h"

/* Which kinds of node ranks sit on. */
struct dts_kinds_used {
    const struct dts_device *first;    // of rank 0: the plan has its seconds
    const struct dts_device *smallest; // the least memory; NULL: all are alike
    double memory_bytes_per_s;         // the least of all
    int ranks[DTS_MOST_KINDS];         // on devices of each kind
};

/* How many times as long kernels take, against those of the plan. */
struct dts_unlike {
    double *factor; // by rank; owned. NULL: all as long as the plan says
    double mean;    // of the ranks of role 0
    bool apart;     // they are not all the same
    char note[384]; // who is slowest, and by how much; "": all alike
};

/* Endpoints of the point's ranks; NULL: not known yet, any kind may be used. */
void dts_kinds_used_find(const struct dts_question *question, const int *endpoints, int ranks,
                         struct dts_kinds_used *used);

/* The plan's kernels take so many seconds in a step, on the first kind of `used`. */
bool dts_unlike_find(const struct dts_question *question, const struct dts_point *point,
                     const struct dts_job *job, const int *endpoints,
                     const struct dts_kinds_used *used, struct dts_unlike *unlike,
                     struct dts_error *err);

/* Where the time goes (split.h). Unlike devices are stragglers, as noise makes them: the step
 * is compared with the one in which each has the mean speed, which takes another run. */
bool dts_unlike_split(const struct dts_unlike *unlike, const struct dts_engine *engine,
                      const struct dts_simulation *simulation, const struct dts_timing *calm,
                      const struct dts_timing *noisy, struct dts_step *step,
                      struct dts_error *err);
void dts_unlike_free(struct dts_unlike *unlike);

#endif
