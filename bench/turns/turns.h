/* turns.h -- a profile and whole steps, measured in turns.
 *
 * On a machine whose speed drifts by more than a prediction may be wrong, what is measured
 * first and what is measured next cannot be compared: here steps run between their own calls in
 * a profile, about half as long as these took, so that both meet the same moments of the
 * machine. All runs of both count, brought to one pace (base/measure/measure.h). The profile is
 * timed as ever, call by call, but for an unseen run, which a step before it makes needless.
 * The first steps of a turn, one or as many as last DTS_SHORT_RUN_S, do not count.
 */
#ifndef DTS_BENCH_TURNS_TURNS_H
#define DTS_BENCH_TURNS_TURNS_H

#include "train/timing/profile.h"
#include "turns/steps.h"

enum { DTS_MOST_TURNS = 32 }; // kinds of steps

/* Measures the profile and writes it to `path` (train/timing/profile.h), and into `steps` those
 * of each of the requests, of which at most DTS_MOST_TURNS; request.steps of each count, spread
 * over all of the profile, where that is long enough. */
bool dts_turns_measure(const struct dts_profile_request *profile, const char *path,
                       const struct dts_steps_request *requests, int count,
                       struct dts_steps *steps, struct dts_profile_moments *moments,
                       struct dts_error *err);

#endif
