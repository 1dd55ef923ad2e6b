/* wire.h -- the ranks that mpirun started, and how they talk outside of plans.
 *
 * MPI is started such that the threads of all streams may use it at once. Each stream has a
 * communicator of its own, so that messages of different streams never meet. Only the C
 * interface of MPI-3 is used, no extension of one library.
 */
#ifndef DTS_LIVE_WIRE_H
#define DTS_LIVE_WIRE_H

#include <stddef.h>

#include "base/error.h"
#include "plan/plan.h"

struct dts_wire;

/* threads: several will call MPI; fails if this MPI does not allow it. */
bool dts_wire_open(struct dts_wire **wire, bool threads, int *argc, char ***argv,
                   struct dts_error *err);
void dts_wire_close(struct dts_wire *wire); // every rank; MPI ends here

/* The MPI that this program is built with and its version, "Open MPI v4.1.4". */
void dts_wire_library(char *name, size_t room);

int dts_wire_rank(const struct dts_wire *wire);
int dts_wire_size(const struct dts_wire *wire);

/* Every rank calls the following at the same place, but for dts_wire_abort(). */
void dts_wire_barrier(const struct dts_wire *wire);

/* A barrier for ranks that may be late by long, e.g. rank 0 after a prediction. Ranks that wait
 * sleep and leave their core to others, which costs milliseconds. */
void dts_wire_idle_barrier(const struct dts_wire *wire);

/* Rank 0 gets `count` numbers of every rank, rank after rank; `all` may be NULL elsewhere. */
void dts_wire_gather(const struct dts_wire *wire, const double *mine, int count, double *all);

/* Every rank gets the bytes of rank 0. */
void dts_wire_share(const struct dts_wire *wire, void *bytes, size_t count);

/* Every rank gets the bytes of all, or-ed: of what one rank alone knows, where others have
 * zeros. */
void dts_wire_merge(const struct dts_wire *wire, void *bytes, size_t count);

/* Collect: rank 0 gets the bytes of every rank, rank after rank; each may have another count.
 * Deal: every rank gets its bytes back from rank 0. `all` may be NULL on other ranks. */
void dts_wire_collect(const struct dts_wire *wire, const void *mine, size_t count, void *all);
void dts_wire_deal(const struct dts_wire *wire, const void *all, void *mine, size_t count);

/* True if every rank says so. */
bool dts_wire_all_say(const struct dts_wire *wire, bool mine);

/* Ends all ranks, and says why. For a rank that cannot go on while others wait for it. */
void dts_wire_abort(const struct dts_wire *wire, const char *why);

/* A failure of any rank becomes the failure of all, so that all end together; that of the first
 * rank counts. Returns false if there was one. */
bool dts_wire_agree(const struct dts_wire *wire, struct dts_error *err);

#endif
