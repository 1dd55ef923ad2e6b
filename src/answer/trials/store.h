/* store.h -- runs that are over, in a file beside the profile: an interrupted `dtsim converge`
 * goes on with them.
 */
#ifndef DTS_ANSWER_TRIALS_STORE_H
#define DTS_ANSWER_TRIALS_STORE_H

#include "train/scenario/target_run.h"

struct dts_target_kept {
    struct dts_target_run run;
    struct dts_target_end end;
};

struct dts_target_store {
    char *path;                   // owned
    char identity[24];            // of scenario and program: others' runs are refused
    struct dts_target_kept *kept; // owned; by batch, rate, seed
    size_t count, room;
};

/* Reads the file where it is there. Fails where its runs are of another scenario, program or
 * seed (DTS_BAD_INPUT). */
bool dts_target_store_open(struct dts_target_store *store, const char *path, uint64_t hash,
                           struct dts_error *err);
void dts_target_store_close(struct dts_target_store *store); // leaves it empty

/* NULL: no such run is over. Valid until the next one is added. */
const struct dts_target_end *dts_target_store_find(const struct dts_target_store *store,
                                                   const struct dts_target_run *run);

/* Adds one and writes the file anew, beside and renamed. */
bool dts_target_store_add(struct dts_target_store *store, const struct dts_target_kept *kept,
                          struct dts_error *err);

#endif
