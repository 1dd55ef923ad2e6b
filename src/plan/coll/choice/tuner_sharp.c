/* tuner_sharp.c -- CollNet in NCCL's formula (NVIDIA/nccl, src/graph/tuning.cc, v2.17.1-1 to
 * v2.30.7-1).
 */
#include "plan/coll/choice/tuner_sharp.h"

bool dts_choice_sharp_works(const struct dts_choice_call *call)
{
    return call->kind == DTS_ALLREDUCE && call->group->sharp && call->group->nodes > 1 &&
           call->protocol == DTS_CHOICE_SIMPLE && call->version->sharp->direct_net > 0;
}

/* Members of a node trade their shares where a switch connects them all (CollNet direct), else
 * they are a chain. */
static bool is_direct(const struct dts_choice_group *group)
{
    return group->nvswitch && group->nvlinks > 0;
}

/* Direct sums ask for a NIC near each device. */
double dts_choice_sharp_bus(const struct dts_choice_call *call, double bus)
{
    const struct dts_choice_group *group = call->group;
    if (!is_direct(group))
        return group->version >= 218 ? bus : 0.75 * bus;
    const double devices = (double)group->per_node / call->graph.channels;
    bus /= devices - (devices - 1) / 2;
    return group->gpu >= DTS_CHOICE_HOPPER && group->version >= 218 ? 0.85 * bus : bus;
}

double dts_choice_sharp_us(const struct dts_choice_call *call)
{
    const struct dts_choice_sharp *sharp = call->version->sharp;
    const double others = call->group->per_node - 1;
    if (!is_direct(call->group))
        return 2 * others * sharp->chain_hop + sharp->chain_net;
    const double of_other = call->group->version >= 219 ? 0.4 : 0.5; // each adds to the sum
    const double inside = others > 0 ? sharp->direct_hop + of_other * others : 0;
    return 2 * inside + sharp->direct_net;
}
