/* neighbour_jobs.h -- the neighbours of a point as jobs for the engines, and what becomes of
 * them.
 */
#ifndef DTS_ANSWER_VARIANTS_NEIGHBOUR_JOBS_H
#define DTS_ANSWER_VARIANTS_NEIGHBOUR_JOBS_H

#include "answer/built.h"
#include "answer/result.h"

/* All of it owned; count 0: there are none. */
struct dts_neighbour_jobs {
    int count;
    int *entry;                         // of each: its number in the scenario's list
    struct dts_built *built;            // of each
    struct dts_neighbour *calm, *noisy; // of each, without noise and with its own
    bool *taken;                        // by endpoint
};

/* Builds them one after another, each on endpoints that those before it left free; `asked` is
 * the job of the question. */
bool dts_neighbour_jobs_make(const struct dts_question *question, const struct dts_built *asked,
                             struct dts_neighbour_jobs *jobs, struct dts_error *err);
void dts_neighbour_jobs_free(struct dts_neighbour_jobs *jobs); // leaves it empty

/* About how many messages they send in so many seconds, as far as their calls tell. */
double dts_neighbour_jobs_messages(const struct dts_neighbour_jobs *jobs, double seconds);

/* Fills who they are in result->besides. */
void dts_neighbour_jobs_list(const struct dts_question *question,
                             const struct dts_neighbour_jobs *jobs, struct dts_result *result);

/* Fills result->besides, beside and jobs. `times` are of an engine, one for each job; alone_s:
 * the step without neighbours. The result has its step and throughput already. */
void dts_neighbour_jobs_fill(const struct dts_question *question,
                             const struct dts_neighbour_jobs *jobs,
                             const struct dts_neighbour_time *times, double alone_s,
                             struct dts_result *result);

#endif
