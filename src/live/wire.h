/* wire.h -- the ranks that mpirun started, and how they talk outside of plans.
 *
 * MPI is started so that every stream's thread may use it at once; each stream has a
 * communicator of its own, so that messages of different streams never meet. The C interface of
 * MPI-3 alone is used, nothing of one library.
 */
#ifndef DTS_LIVE_WIRE_H
#define DTS_LIVE_WIRE_H

#include <stddef.h>

#include "base/error.h"
#include "plan/plan.h"

struct dts_wire;

/* threads: fails where MPI cannot be used by several of them. */
bool dts_wire_open(struct dts_wire **wire, bool threads, int *argc, char ***argv,
                   struct dts_error *err);
void dts_wire_close(struct dts_wire *wire); // every rank; the last that MPI does

int dts_wire_rank(const struct dts_wire *wire);
int dts_wire_size(const struct dts_wire *wire);

/* Every rank calls these at the same place. */
void dts_wire_barrier(const struct dts_wire *wire);

/* The same where some come late by long, rank 0 after a prediction: who waits sleeps, and
 * leaves its core to others. It costs milliseconds. */
void dts_wire_rest(const struct dts_wire *wire);

/* Rank 0 gets `count` numbers of every rank, rank after rank; `all` may be NULL elsewhere. */
void dts_wire_gather(const struct dts_wire *wire, const double *mine, int count, double *all);

/* What rank 0 has becomes what all have. */
void dts_wire_share(const struct dts_wire *wire, void *bytes, size_t count);

/* Rank 0 gets the bytes of every rank, rank after rank, however many each has; and the way
 * back. `all` may be NULL elsewhere. */
void dts_wire_collect(const struct dts_wire *wire, const void *mine, size_t count, void *all);
void dts_wire_deal(const struct dts_wire *wire, const void *all, void *mine, size_t count);

/* Is it so on every rank? */
bool dts_wire_all_say(const struct dts_wire *wire, bool mine);

/* This rank cannot go on while others wait for it: say why, and end all. */
void dts_wire_abort(const struct dts_wire *wire, const char *why);

/* A failure of any rank becomes that of all, so that all end together: the first rank that has
 * one counts. Returns false when there was one. */
bool dts_wire_agree(const struct dts_wire *wire, struct dts_error *err);

#endif
