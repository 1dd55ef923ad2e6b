/* pace.c -- the pace of all ranks at once. */
#include "train/live/kernels/pace.h"

#include <stdlib.h>

#include "base/mem.h"
#include "train/network/network_pace.h"

double dts_live_pace_s(const struct dts_wire *wire, struct dts_network *network)
{
    const int ranks = dts_wire_size(wire);
    double *all = dts_wire_rank(wire) == 0 ? dts_alloc((size_t)ranks, sizeof(*all)) : NULL;
    double slowest_s = 0;
    dts_wire_barrier(wire);
    const double mine_s = network != NULL ? dts_network_pace_s(network) : 0;
    dts_wire_gather(wire, &mine_s, 1, all);
    for (int i = 0; all != NULL && i < ranks; i++)
        slowest_s = all[i] > slowest_s ? all[i] : slowest_s;
    free(all);
    return slowest_s;
}
