/* node.c -- questions to the ranks with which memory could be shared, as MPI sees it. */
#include "live/node.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "live/mpi_call.h"

static MPI_Comm node_of(const struct dts_wire *wire)
{
    MPI_Comm node;
    DTS_MPI(MPI_Comm_split_type(dts_wire_all(wire), MPI_COMM_TYPE_SHARED, dts_wire_rank(wire),
                                MPI_INFO_NULL, &node));
    return node;
}

int dts_node_before(const struct dts_wire *wire, bool counts)
{
    MPI_Comm node = node_of(wire);
    const int mine = counts;
    int until = 0;
    DTS_MPI(MPI_Scan(&mine, &until, 1, MPI_INT, MPI_SUM, node));
    MPI_Comm_free(&node);
    return until - mine;
}

int dts_node_first_alike(const struct dts_wire *wire, bool counts, const void *bytes,
                         size_t count)
{
    MPI_Comm node = node_of(wire);
    const size_t each = sizeof(int) + count;
    const int number = counts ? dts_wire_rank(wire) : -1;
    int ranks, found = -1;
    DTS_MPI(MPI_Comm_size(node, &ranks));
    char *mine = dts_alloc(1, each), *all = dts_alloc((size_t)ranks, each);
    memcpy(mine, &number, sizeof(number));
    memcpy(mine + sizeof(number), bytes, count);
    DTS_MPI(MPI_Allgather(mine, (int)each, MPI_BYTE, all, (int)each, MPI_BYTE, node));
    for (int r = ranks - 1; r >= 0 && counts; r--) {
        const char *other = all + (size_t)r * each;
        int other_number;
        memcpy(&other_number, other, sizeof(other_number));
        if (other_number >= 0 && memcmp(other + sizeof(int), bytes, count) == 0)
            found = other_number;
    }
    free(mine);
    free(all);
    MPI_Comm_free(&node);
    return found;
}

/* Who has which core: ranks are given cores one after another, and those who have one already
 * move to another that they may use where that makes room. */
struct cores {
    const cpu_set_t *allowed; // by rank
    int owner[CPU_SETSIZE];   // -1: nobody
    bool asked[CPU_SETSIZE];
};

static bool give(struct cores *cores, int rank)
{
    for (int c = 0; c < CPU_SETSIZE; c++) {
        if (!CPU_ISSET(c, &cores->allowed[rank]) || cores->asked[c])
            continue;
        cores->asked[c] = true;
        if (cores->owner[c] < 0 || give(cores, cores->owner[c])) {
            cores->owner[c] = rank;
            return true;
        }
    }
    return false;
}

static int count_owners(const cpu_set_t *allowed, int ranks)
{
    struct cores cores = {.allowed = allowed};
    int count = 0;
    memset(cores.owner, -1, sizeof(cores.owner));
    for (int r = 0; r < ranks; r++) {
        memset(cores.asked, 0, sizeof(cores.asked));
        count += give(&cores, r);
    }
    return count;
}

void dts_node_cores(const struct dts_wire *wire, struct dts_node_cores *out)
{
    MPI_Comm node = node_of(wire), all = dts_wire_all(wire);
    cpu_set_t mine;
    CPU_ZERO(&mine);
    if (sched_getaffinity(0, sizeof(mine), &mine) != 0) // more than a set has: any of them
        memset(&mine, -1, sizeof(mine));
    DTS_MPI(MPI_Comm_size(node, &out->ranks));
    cpu_set_t *allowed = dts_alloc((size_t)out->ranks, sizeof(mine));
    DTS_MPI(MPI_Allgather(&mine, (int)sizeof(mine), MPI_BYTE, allowed, (int)sizeof(mine),
                          MPI_BYTE, node));
    out->cores = count_owners(allowed, out->ranks);
    free(allowed);
    MPI_Comm_free(&node);
    const int without[2] = {out->ranks - out->cores, dts_wire_rank(wire)};
    int most[2];
    DTS_MPI(MPI_Allreduce(without, most, 1, MPI_2INT, MPI_MAXLOC, all));
    DTS_MPI(MPI_Bcast(out, 2, MPI_INT, most[1], all));
}
