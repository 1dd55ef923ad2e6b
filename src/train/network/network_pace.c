/* network_pace.c -- the pace of the threads that compute. */
#include "train/network/network_pace.h"

#include "kernels/space/cpu_pace.h"

enum { MOMENTS = 31 };

double dts_network_pace_s(struct dts_network *network)
{
    struct dts_pace pace = dts_cpu_pace(dts_network_workers(network));
    for (int i = 0; i < MOMENTS; i++)
        dts_pace_take(&pace);
    return dts_pace_usual_s(&pace);
}
