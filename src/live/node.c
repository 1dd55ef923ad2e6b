/* node.c -- questions to the ranks with which memory could be shared, as MPI sees it. */
#include "live/node.h"

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
