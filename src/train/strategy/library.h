/* library.h -- "algorithm": "auto": what the stack's library of collectives takes.
 *
 * NCCL's own formula chooses algorithm, protocol and channels (plan/coll/choice); the rules of
 * MPI libraries and Gloo are thresholds by ranks and bytes.
 */
#ifndef DTS_TRAIN_STRATEGY_LIBRARY_H
#define DTS_TRAIN_STRATEGY_LIBRARY_H

#include "train/strategy/strategy.h"

/* 100 major + minor of "2.18" or "2.18.5"; 0: it is no version. */
int dts_library_version(const char *version);

/* Fills all of a collective among the members but its data: `bytes` of it, as
 * dts_coll_bus_factor() counts. channels 0: as many as the library takes. */
bool dts_library_choose(const struct dts_point *point, const struct dts_members *members,
                        enum dts_coll_kind kind, double bytes, int channels,
                        struct dts_collective *collective, struct dts_error *err);

/* The same where the plan's maker says the row, as by NCCL_ALGO. False without an error: the
 * library has no such, or the stack names none. */
bool dts_library_force(const struct dts_point *point, const struct dts_members *members,
                       enum dts_coll_kind kind, double bytes, const struct dts_coll *row,
                       int channels, struct dts_collective *collective);

#endif
