/* search.h -- what a target takes at each batch, with a learning rate found for it.
 *
 * All seeds run at each rate that is tried, and the rate whose runs need the fewest samples in
 * the mean counts; a rate with a run that does not get there is no candidate. Three rates come
 * first: the guess, its half and its double. The guess is the scenario's rate for the smallest
 * batch; then the rate of the batch before, grown as it grew there, as the batch does at the
 * most. While the best rate is the largest or smallest that was tried, one more is tried beyond
 * it. Runs that need half more than the best rate until then are ended.
 */
#ifndef DTS_ANSWER_TRIALS_SEARCH_H
#define DTS_ANSWER_TRIALS_SEARCH_H

#include "answer/trials/runs.h"
#include "train/scenario/scenario.h"

/* The word for a rate that is searched; others are rules (train/scenario/scaling.h). */
#define DTS_TARGET_SEARCH "search"

struct dts_target_request {
    const struct dts_scenario *scenario;
    const int *batches; // ascending
    int batch_count, seeds;
    const char *rule; // DTS_TARGET_SEARCH or a row of scaling.h, from the smallest batch
    double accuracy;  // as in target_run.h, as are the following
    int every, test_samples, microbatch;
    double most_samples;
    int delay, local_steps;
    double outer_rate;
};

/* What came of a batch. */
struct dts_target_point {
    int batch, seeds, rates;      // rates that were tried
    bool reached;                 // by all seeds, at some rate; else the rest is 0
    double rate;                  // that was best
    double mean, cv, least, most; // samples until the target, over the seeds

    /* The mean over the seeds that have one; steps of all of them, 0: none has. */
    struct dts_target_noise noise;
};

/* Fills a point for each batch. */
bool dts_target_search(const struct dts_target_request *request,
                       struct dts_target_runner *runner, struct dts_target_point *points,
                       struct dts_error *err);

#endif
