/* graph.c -- channels and their speed.
 *
 * Between nodes the speed is at most the NIC's: 8 HDR with A100 give 8 x 24, 8 NDR with H100
 * 8 x 45, because NVLink allows no 8 x 48. On one node with a switch 8 A100 have 6 x 40. Where
 * NVLinks lead to other devices, a channel is a cycle over one link of each device: 6 x 20 on
 * four V100. NVLS has a channel for each device that heads one.
 */
#include "plan/coll/choice/graph.h"

#include <math.h>
#include <stddef.h>

enum { MOST_CHANNELS = 32 }; // MAXCHANNELS of src/include/device.h

/* The largest sum of channels, of the largest speed among equal ones. A NIC that is slower than
 * all of them has one channel of its own speed (ASSUMED; the library then takes 0.1 GB/s). */
static struct dts_choice_graph widest(const double *speeds, double most_speed, double most_sum,
                                      int most_channels)
{
    struct dts_choice_graph best = {0};
    for (const double *speed = speeds; *speed > 0; speed++) {
        if (*speed > most_speed)
            continue;
        const double fitting = fmin(floor(most_sum / *speed * (1 + 1e-9)), most_channels);
        if (fitting * *speed > best.channels * best.speed * (1 + 1e-9))
            best = (struct dts_choice_graph){(int)fitting, *speed};
    }
    return best.channels > 0 ? best : (struct dts_choice_graph){1, fmin(most_speed, most_sum)};
}

static double pcie_speed(enum dts_choice_gpu gpu)
{
    static const double x16[DTS_CHOICE_GPUS] = {12, 12, 24, 48, 96}; // generations 3, 4, 5, 6
    return x16[gpu];
}

struct dts_choice_graph dts_choice_graph_find(const struct dts_choice_version *version,
                                              const struct dts_choice_group *group, bool nvls)
{
    const double link = version->nvlink[group->gpu];
    const double sum = group->nvlinks > 0 ? group->nvlinks * link : pcie_speed(group->gpu);
    const struct dts_choice_speeds *speeds = version->speeds[group->gpu];
    if (group->nodes > 1) {
        const int heads = nvls ? (int)fmin(group->nics, group->per_node) : group->nics;
        return widest(speeds->more_nodes, group->nic_bytes_per_s / 1e9, sum, heads);
    }
    if (nvls) // each device heads a channel, no more and no fewer
        return widest(speeds->one_node, sum / group->per_node, sum, group->per_node);
    if (group->nvlinks > 0 && !group->nvswitch)
        return widest(speeds->one_node, link, sum, group->nvlinks);
    return widest(speeds->one_node, sum, sum, MOST_CHANNELS);
}
