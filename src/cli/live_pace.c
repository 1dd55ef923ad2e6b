/* live_pace.c -- the pace of all ranks at once. */
#include "cli/live_pace.h"

#include <stdlib.h>

#include "base/mem.h"
#include "ops/cpu_pace.h"

enum { MOMENTS = 31 };

double dts_live_pace_s(const struct dts_wire *wire, bool computes, struct dts_workers *workers)
{
    struct dts_pace pace = dts_cpu_pace(workers);
    const int ranks = dts_wire_size(wire);
    double *all = dts_wire_rank(wire) == 0 ? dts_alloc((size_t)ranks, sizeof(*all)) : NULL;
    double slowest_s = 0;
    dts_wire_barrier(wire);
    for (int i = 0; computes && i < MOMENTS; i++)
        dts_pace_take(&pace);
    const double mine_s = computes ? dts_pace_usual_s(&pace) : 0;
    dts_wire_gather(wire, &mine_s, 1, all);
    for (int i = 0; all != NULL && i < ranks; i++)
        slowest_s = all[i] > slowest_s ? all[i] : slowest_s;
    free(all);
    return slowest_s;
}
