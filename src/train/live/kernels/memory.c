/* memory.c -- bytes of a rank's networks, and the most of any rank. */
#include "train/live/kernels/memory.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

double dts_live_network_bytes(const struct dts_live_kernels *k)
{
    const int ranks = dts_wire_size(k->wire);
    double *all = dts_wire_rank(k->wire) == 0 ? dts_alloc((size_t)ranks, sizeof(*all)) : NULL;
    double mine = 0, most = 0;
    for (int i = 0; k->parts != NULL && i < k->parts->seat.part_count; i++)
        mine += (double)dts_network_bytes(k->parts->networks[i]);
    dts_wire_gather(k->wire, &mine, 1, all);
    for (int r = 0; all != NULL && r < ranks; r++)
        most = fmax(most, all[r]);
    free(all);
    return most;
}
