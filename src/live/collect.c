/* collect.c -- times of all ranks, by one clock.
 *
 * Ranks of one machine have one clock. Else a message goes to the rank and back: its clock is
 * read half way, and of many tries the quickest is the truest.
 */
#include "live/collect.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "live/mpi_call.h"

enum { TRIES = 32, TAG = 1 };

/* Does the peer run on our machine? Called on rank 0, while the peer calls name_machine(). */
static bool same_machine(MPI_Comm comm, int peer)
{
    char mine[MPI_MAX_PROCESSOR_NAME] = {0}, theirs[MPI_MAX_PROCESSOR_NAME];
    int length;
    DTS_MPI(MPI_Get_processor_name(mine, &length));
    DTS_MPI(MPI_Recv(theirs, sizeof(theirs), MPI_CHAR, peer, TAG, comm, MPI_STATUS_IGNORE));
    int same = strcmp(mine, theirs) == 0;
    DTS_MPI(MPI_Send(&same, 1, MPI_INT, peer, TAG, comm));
    return same;
}

static bool name_machine(MPI_Comm comm)
{
    char name[MPI_MAX_PROCESSOR_NAME] = {0};
    int length, same;
    DTS_MPI(MPI_Get_processor_name(name, &length));
    DTS_MPI(MPI_Send(name, sizeof(name), MPI_CHAR, 0, TAG, comm));
    DTS_MPI(MPI_Recv(&same, 1, MPI_INT, 0, TAG, comm, MPI_STATUS_IGNORE));
    return same;
}

/* What to add to the peer's clock to get ours; called on rank 0. */
static double clock_offset(MPI_Comm comm, int peer)
{
    double best_s = 1e9, offset_s = 0;
    for (int i = 0; i < TRIES; i++) {
        double theirs, sent_s = dts_now_s();
        DTS_MPI(MPI_Send(&sent_s, 1, MPI_DOUBLE, peer, TAG, comm));
        DTS_MPI(MPI_Recv(&theirs, 1, MPI_DOUBLE, peer, TAG, comm, MPI_STATUS_IGNORE));
        double back_s = dts_now_s();
        if (back_s - sent_s < best_s) {
            best_s = back_s - sent_s;
            offset_s = (sent_s + back_s) / 2 - theirs;
        }
    }
    return offset_s;
}

static void answer_clock(MPI_Comm comm)
{
    for (int i = 0; i < TRIES; i++) {
        double theirs, mine;
        DTS_MPI(MPI_Recv(&theirs, 1, MPI_DOUBLE, 0, TAG, comm, MPI_STATUS_IGNORE));
        mine = dts_now_s();
        DTS_MPI(MPI_Send(&mine, 1, MPI_DOUBLE, 0, TAG, comm));
    }
}

static size_t entries_of(const struct dts_live *live, const struct dts_role *role)
{
    return (size_t)role->plan.op_count * (size_t)live->steps;
}

/* On rank 0, which has the clocks' offsets: what every rank measured, in one piece of memory,
 * by rank. */
static double **gather(const struct dts_live *live, const double *mine, size_t count,
                       const double *offsets_s)
{
    size_t entries = 0;
    for (int r = 0; offsets_s != NULL && r < live->job->ranks; r++)
        entries += entries_of(live, dts_job_role(live->job, r));
    double *times = offsets_s != NULL ? dts_alloc(entries, sizeof(*times)) : NULL;
    dts_wire_collect(live->wire, mine, count * sizeof(*mine), times);
    if (offsets_s == NULL)
        return NULL;
    double **rows = dts_alloc((size_t)live->job->ranks, sizeof(*rows));
    for (int r = 0; r < live->job->ranks; r++) {
        const size_t theirs = entries_of(live, dts_job_role(live->job, r));
        rows[r] = times;
        for (size_t i = 0; i < theirs; i++)
            times[i] += offsets_s[r];
        times += theirs;
    }
    return rows;
}

/* On rank 0, of each rank. */
static double *clock_offsets(MPI_Comm comm, int ranks)
{
    double *offsets_s = dts_alloc((size_t)ranks, sizeof(*offsets_s));
    for (int r = 1; r < ranks; r++)
        offsets_s[r] = same_machine(comm, r) ? 0 : clock_offset(comm, r);
    return offsets_s;
}

/* On rank 0, of all ranks. */
static struct dts_stale_counts *gather_staleness(const struct dts_live *live,
                                                 const struct dts_live_times *times)
{
    const bool here = dts_wire_rank(live->wire) == 0;
    const struct dts_stale_counts none = {0};
    struct dts_stale_counts *all = NULL, *each = NULL;
    if (dts_job_serving(live->job) == NULL || live->in_order)
        return NULL;
    if (here)
        each = dts_alloc((size_t)live->job->ranks, sizeof(*each));
    dts_wire_collect(live->wire, times->staleness != NULL ? times->staleness : &none,
                     sizeof(none), each);
    if (!here)
        return NULL;
    all = dts_alloc(1, sizeof(*all));
    for (int r = 0; r < live->job->ranks; r++)
        dts_stale_counts_join(all, &each[r]);
    free(each);
    return all;
}

void dts_live_collect(const struct dts_live *live, const struct dts_live_rank *rank,
                      const struct dts_live_times *times, struct dts_live_all *all)
{
    MPI_Comm comm = dts_wire_all(live->wire);
    const size_t count = entries_of(live, rank->role);
    double *offsets_s = NULL;
    *all = (struct dts_live_all){0};
    if (rank->rank == 0) {
        all->ranks = live->job->ranks;
        all->steps = live->steps;
        all->from_rest = live->from_rest;
        offsets_s = clock_offsets(comm, all->ranks);
    } else if (!name_machine(comm)) {
        answer_clock(comm);
    }
    all->begin_s = gather(live, times->begin_s, count, offsets_s);
    all->end_s = gather(live, times->end_s, count, offsets_s);
    all->staleness = gather_staleness(live, times);
    free(offsets_s);
}

void dts_live_all_free(struct dts_live_all *all)
{
    if (all->ranks > 0) { // one piece of memory each
        free(all->begin_s[0]);
        free(all->end_s[0]);
    }
    free(all->begin_s);
    free(all->end_s);
    free(all->staleness);
    *all = (struct dts_live_all){0};
}
