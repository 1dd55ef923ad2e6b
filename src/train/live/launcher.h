/* launcher.h -- what started this process, as its environment tells. A launcher of another MPI
 * starts ranks that never find each other: each is rank 0 of one, and runs alone.
 */
#ifndef DTS_TRAIN_LIVE_LAUNCHER_H
#define DTS_TRAIN_LIVE_LAUNCHER_H

#include "live/wire.h"

struct dts_launcher {
    const char *name;     // for people; NULL: no launcher was seen
    const char *variable; // of the environment, that tells so
    int ranks;            // that it started; of PMIx at least so many
    int rank;             // which of them this is; -1: not told
};

/* Before MPI starts, which changes the environment. */
void dts_launcher_find(struct dts_launcher *launcher);

/* Fails where a launcher started several ranks and MPI found one. `what` is what was asked for.
 */
bool dts_launcher_check(const struct dts_launcher *launcher, const struct dts_wire *wire,
                        const char *what, struct dts_error *err);

#endif
