/* pool.h -- many points at once, each in a child process of its own.
 *
 * SimGrid has one platform per process and aborts on what it dislikes: so every point runs in a
 * child, whose death becomes the error of that point and of no other, and is said on standard
 * error when it happens. Results are stored in the order of the points; what they are does not
 * depend on how many children run at once.
 */
#ifndef DTS_ANSWER_POOL_H
#define DTS_ANSWER_POOL_H

#include "answer/result.h"
#include "base/progress.h"

struct dts_pool {
    int count; // points
    int jobs;  // children at once; 0: one for each core

    /* Work out point i into `result`; runs in a child, which may say how far it is. A failure
     * goes into result->error. */
    void (*work)(void *self, int i, struct dts_progress *progress, struct dts_result *result);
    void *self;

    /* Is the answer to point i known already? Then `result` has it and it is not worked out.
     * NULL: none is. */
    bool (*known)(void *self, int i, struct dts_result *result);

    /* Point i is worked out; called in the order in which points end. NULL: nobody wants to
     * know. */
    void (*done)(void *self, int i, const struct dts_result *result);

    /* What point i is, for progress and for messages: "ring, 256 devices, steps=4". */
    void (*name)(const void *self, int i, char *text, size_t room);

    /* Which points begin first: a permutation of 0 .. count - 1, those that take longest in
     * front, or the last one would keep one core while the others have nothing to do. NULL: as
     * they are. */
    const int *order;
};

/* Fills results[0 .. count - 1]. Progress goes to standard error where that is a terminal and
 * the work takes longer than two seconds: what is done, and what the point that began first of
 * those under way is at. Fails only when the machine gives no child at all. */
bool dts_pool_run(const struct dts_pool *pool, struct dts_result *results,
                  struct dts_error *err);

/* The first failure of the machine, one that is not told yet if there is any; NULL: none. */
const struct dts_error *dts_pool_failure(const struct dts_result *results, int count);

#endif
