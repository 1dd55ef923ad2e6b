/* profile_entries.h -- what there is to measure of some networks: every distinct call, and how
 * much memory that takes. */
#ifndef DTS_EXEC_PROFILE_ENTRIES_H
#define DTS_EXEC_PROFILE_ENTRIES_H

#include "exec/profile.h"
#include "train/calls.h"

/* What a step touches: weights, gradients and what calls leave. Between two runs of one call in
 * training all of it passes through the caches, and no more. */
struct dts_footprint {
    double fixed_bytes, sample_bytes;
};

/* A call that occurs, and what was measured of it: one for each batch. */
struct dts_profile_entry {
    struct dts_op_call call;
    struct dts_op_call_key key;
    struct dts_profile_work work;
    bool learns;
    struct dts_footprint around;    // of the largest network that it occurs in,
    int model;                      // which is that one of the request's
    int uses;                       // how often it occurs
    struct dts_kernel_times *times; // owned
};

struct dts_profile_entries {
    struct dts_profile_entry *items; // owned
    size_t room;
    int count;
    double *rests_s; // owned; of each model at each batch: between two uses of the same data
};

void dts_profile_entries_find(const struct dts_profile_request *request,
                              struct dts_profile_entries *entries);
void dts_profile_entries_free(struct dts_profile_entries *entries);

/* Bytes that a step touches: of the network of a call, of a model. */
size_t dts_profile_around(const struct dts_profile_entry *entry, int batch);
size_t dts_profile_step_bytes(const struct dts_model *model, int batch);

/* Seconds that pass between two uses of the same data in a step of that model, at the batch of
 * that number: a third of the step, which takes what was measured so far. (Weights and what
 * calls leave are used forward, backward, and by the update or the next step.) Until this is
 * called, and at the most, DTS_FORGOTTEN_S. Runs that had a longer rest are dropped. */
void dts_profile_find_rests(const struct dts_profile_request *request,
                            struct dts_profile_entries *entries, const struct dts_pace *pace);
double dts_profile_rest_s(const struct dts_profile_request *request,
                          const struct dts_profile_entries *entries, int model, int batch);

/* How a call is to be timed. */
struct dts_kernel_work dts_profile_kernel_work(const struct dts_profile_entry *entry,
                                               int batch);

/* Fails where a call or an update needs more memory than there is now: a process that takes
 * more is ended without a word. */
bool dts_profile_entries_fit(const struct dts_profile_request *request,
                             const struct dts_kernel_timer *timer,
                             const struct dts_profile_entries *entries, struct dts_error *err);

#endif
