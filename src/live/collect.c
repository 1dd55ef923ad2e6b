/* collect.c -- times of all ranks, by one clock.
 *
 * Ranks of one machine have one clock. Else a message goes to the rank and back: its clock is
 * read half way, and of many tries the quickest is the truest.
 */
#include "live/collect.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
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

static double *receive(MPI_Comm comm, int peer, size_t count, double offset_s)
{
    double *times = dts_alloc(count, sizeof(*times));
    DTS_MPI(MPI_Recv(times, (int)count, MPI_DOUBLE, peer, TAG, comm, MPI_STATUS_IGNORE));
    for (size_t i = 0; i < count; i++)
        times[i] += offset_s;
    return times;
}

static double *copy(const double *times, size_t count)
{
    double *mine = dts_alloc(count, sizeof(*mine));
    memcpy(mine, times, count * sizeof(*mine));
    return mine;
}

void dts_live_collect(const struct dts_live *live, const struct dts_live_rank *rank,
                      const struct dts_live_times *times, struct dts_live_all *all)
{
    MPI_Comm comm = dts_wire_all(live->wire);
    size_t count = entries_of(live, rank->role);
    *all = (struct dts_live_all){0};
    if (rank->rank > 0) {
        if (!name_machine(comm))
            answer_clock(comm);
        DTS_MPI(MPI_Send(times->begin_s, (int)count, MPI_DOUBLE, 0, TAG, comm));
        DTS_MPI(MPI_Send(times->end_s, (int)count, MPI_DOUBLE, 0, TAG, comm));
        return;
    }
    all->ranks = live->job->ranks;
    all->steps = live->steps;
    all->begin_s = dts_alloc((size_t)all->ranks, sizeof(*all->begin_s));
    all->end_s = dts_alloc((size_t)all->ranks, sizeof(*all->end_s));
    all->begin_s[0] = copy(times->begin_s, count);
    all->end_s[0] = copy(times->end_s, count);
    for (int r = 1; r < all->ranks; r++) {
        size_t theirs = entries_of(live, dts_job_role(live->job, r));
        double offset_s = same_machine(comm, r) ? 0 : clock_offset(comm, r);
        all->begin_s[r] = receive(comm, r, theirs, offset_s);
        all->end_s[r] = receive(comm, r, theirs, offset_s);
    }
}

void dts_live_all_free(struct dts_live_all *all)
{
    for (int r = 0; r < all->ranks; r++) {
        free(all->begin_s[r]);
        free(all->end_s[r]);
    }
    free(all->begin_s);
    free(all->end_s);
    *all = (struct dts_live_all){0};
}
