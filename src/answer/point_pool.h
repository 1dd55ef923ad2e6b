/* point_pool.h -- many points at once, each in a child process of its own.
 *
 * SimGrid has one platform per process and aborts on bad input, so every point runs in a child.
 * The death of a child is the error of its point alone, and is printed on standard error when
 * it happens. Results are stored in the order of the points, and do not depend on how many
 * children run at once.
 */
#ifndef DTS_ANSWER_POINT_POOL_H
#define DTS_ANSWER_POINT_POOL_H

#include "answer/result.h"
#include "base/progress.h"

struct dts_point_pool {
    int count; // points
    int jobs;  // children at once; 0: one for each core

    /* Computes point i; runs in a child, which may say how far it is. A failure goes into
     * result->error. */
    void (*work)(void *self, int i, struct dts_progress *progress, struct dts_result *result);
    void *self;

    /* Names point i in progress and errors: "ring, 256 devices, steps=4". */
    void (*name)(const void *self, int i, char *text, size_t room);

    /* The order in which points begin, a permutation of 0 .. count - 1. The longest should come
     * first, so that the last point to end does not run alone. NULL: 0, 1, 2, ... */
    const int *order;

    /* True if the answer to point i is known already: `result` has it, and it is not worked
     * out. NULL: no answer is known. */
    bool (*known)(void *self, int i, struct dts_result *result);

    /* Point i is worked out. Called in the order in which points end; may be NULL. */
    void (*done)(void *self, int i, const struct dts_result *result);
};

/* Fills results[0 .. count - 1]. Where standard error is a terminal, progress appears there
 * after two seconds: how many points are done, and how far the oldest running one is. Fails
 * only if no child can be started. */
bool dts_point_pool_run(const struct dts_point_pool *pool, struct dts_result *results,
                        struct dts_error *err);

/* The first failure of the machine, if possible one that was not printed yet; NULL: none. */
const struct dts_error *dts_point_pool_failure(const struct dts_result *results, int count);

#endif
