/* runs.h -- runs to a target, several at once, each in a process of its own. */
#ifndef DTS_ANSWER_TRIALS_RUNS_H
#define DTS_ANSWER_TRIALS_RUNS_H

#include "answer/changes.h"
#include "answer/trials/store.h"

/* Who carries runs out. */
struct dts_target_runner {
    const struct dts_changes *changes; // of the scenario, without sweeps
    const char *word;                  // the scenario, as it was named
    int at_once;                       // processes
    struct dts_target_store *store;    // runs in it are not run again; others are added
    int done;                          // runs that were carried out

    /* Carries out one run, here; NULL: a process of dtsim-measure does. */
    void (*run_here)(void *self, const struct dts_target_run *run, struct dts_target_end *end);

    /* Told of each run that is over, in any order. NULL: nobody is. */
    void (*tell)(void *self, const struct dts_target_kept *kept, int done);
    void *self;
};

/* Fills an end for each run. Fails as a run does: no kernels in this build, bad data. */
bool dts_target_runs(struct dts_target_runner *runner, const struct dts_target_run *runs,
                     struct dts_target_end *ends, int count, struct dts_error *err);

#endif
