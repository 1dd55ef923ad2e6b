/* profile_entries.h -- what there is to measure of some networks: every distinct call, and how
 * much memory that takes. */
#ifndef DTS_TRAIN_TIMING_PROFILE_ENTRIES_H
#define DTS_TRAIN_TIMING_PROFILE_ENTRIES_H

#include "train/model/calls.h"
#include "train/network/network_reuse.h"
#include "train/timing/profile_request.h"

/* Values of memory, whatever the batch and for each sample. */
struct dts_footprint {
    double fixed, sample;
};

/* The calls before another one, or those after it. */
struct dts_others {
    double operations;            // the share of all forward operations that are theirs,
    double parameters;            // and of all parameters
    struct dts_footprint touched; // weights, gradients and what they leave: each value once
};

/* A call that occurs, and what was measured of it. */
struct dts_profile_entry {
    struct dts_op_call call;
    struct dts_op_call_key key;
    struct dts_profile_work work;
    bool learns;
    int model;                       // of the request's: the largest that it occurs in,
    double parameters;               // which has so many
    int uses;                        // how often it occurs
    struct dts_others before, after; // where: means of its uses
    struct dts_kernel_times *times;  // owned; one for each batch,
    struct dts_reuse *reuse;         // owned; the same: means of its uses
};

/* What a step of a model takes beside its update. Seconds are 0 until it was measured. */
struct dts_profile_step {
    double forward_s, backward_s;
    double parameters;
    struct dts_others all, before; // before: before the layer of the mean parameter
};

struct dts_profile_entries {
    struct dts_profile_entry *items; // owned
    size_t room;
    int count;
    struct dts_profile_step *steps; // owned; of each model at each batch
    double *updates_s;              // owned; of each model by each optimizer, 0 until measured
};

void dts_profile_entries_find(const struct dts_profile_request *request,
                              struct dts_profile_entries *entries);

/* The call of that key (kernels/call/op_call.h); NULL: there is none. */
struct dts_profile_entry *dts_profile_entry_of(const struct dts_profile_entries *entries,
                                               const char *key);

/* Whose the scratch of each call was before, in networks there. Fails where nothing carries a
 * call out there. */
bool dts_profile_entries_reuse(const struct dts_profile_request *request,
                               struct dts_space *space, struct dts_profile_entries *entries,
                               struct dts_error *err);
void dts_profile_entries_free(struct dts_profile_entries *entries);

/* How much memory a step of a model at the batch of that number has: the timer is told. */
void dts_profile_around(const struct dts_profile_request *request,
                        const struct dts_profile_entries *entries, int model, int batch,
                        struct dts_kernel_timer *timer);

/* By what was measured so far: of each call, and updates of each model and optimizer. Runs that
 * had to wait longer than they will are dropped. */
void dts_profile_find_steps(const struct dts_profile_request *request,
                            struct dts_profile_entries *entries, struct dts_runs *updates,
                            const struct dts_pace *pace);

/* What passes before a call at the batch of that number, forward or backward. Forward, and
 * where its gradients are cleared, the update used its weights and gradients last: the update
 * of the layers after it and what is forward before it lie between. Backward its weights were
 * used forward, and the calls after it lie between, both ways, each of which touches what is
 * theirs: twice. Sums of gradients are of several ages: a third of the step's time, and all of
 * its memory. */
struct dts_gap dts_profile_gap(const struct dts_profile_request *request,
                               const struct dts_profile_entries *entries,
                               const struct dts_profile_entry *entry, int batch, bool backward);

/* What passes between a call's backward and the update of its weights, which is older than what
 * passes before its next forward. */
struct dts_gap dts_profile_gap_unused(const struct dts_profile_request *request,
                                      const struct dts_profile_entries *entries,
                                      const struct dts_profile_entry *entry, int batch);

/* And between the end of an update and the next one, at the first batch, in steps that update
 * in that way. Weights and gradients were used backward, the optimizer's state a whole step
 * ago: the mean of their ages, less the update that each run of it is behind. Of memory what
 * is not the update's own. */
struct dts_gap dts_profile_gap_update(const struct dts_profile_request *request,
                                      const struct dts_profile_entries *entries, int model,
                                      int optimizer);

/* How a call is to be timed. */
struct dts_kernel_work dts_profile_kernel_work(const struct dts_profile_entry *entry,
                                               int batch);

/* Fails where a call or an update needs more memory than there is now: a process that takes
 * more is ended without a word. */
bool dts_profile_entries_fit(const struct dts_profile_request *request,
                             const struct dts_kernel_timer *timer,
                             const struct dts_profile_entries *entries, struct dts_error *err);

#endif
