/* tuner.c -- NCCL's formula for a pair.
 *
 * Rules changed with versions; a comparison with version->from is such a change, and holds from
 * that version on. Latencies are in us, bandwidths in GB/s.
 */
#include "plan/coll/choice/tuner.h"

#include <math.h>
#include <stddef.h>

#include "plan/coll/choice/tuner_sharp.h"

static bool since(const struct dts_choice_call *call, int version)
{
    return call->group->version >= version;
}

static int size_of(const struct dts_choice_call *call)
{
    return call->group->nodes * call->group->per_node;
}

/* Where the caps of one, two and more nodes stand. */
static int column(const struct dts_choice_call *call)
{
    return (call->group->nodes > 3 ? 3 : call->group->nodes) - 1;
}

static double at_most(double value, double most)
{
    return most > 0 ? fmin(value, most) : value;
}

static double log2_floor(double value)
{
    return floor(log2(value));
}

/* LL128 needs stores of 128 bytes that arrive whole: NVLink in the node, and no CPU between a
 * device and its NIC, which from Hopper on another device's NVLink goes around (PXN). */
static bool ll128_works(const struct dts_choice_call *call)
{
    const struct dts_choice_group *group = call->group;
    static const int from[DTS_CHOICE_GPUS] = {1000, 205, 207, 216, 225}; // Pascal: in none
    if (group->version < from[group->gpu] || group->nvlinks == 0)
        return false;
    return group->nodes == 1 || group->nics_near ||
           (group->gpu >= DTS_CHOICE_HOPPER && since(call, 217));
}

/* Reduce-scatter and all-gather had NVLS in 2.17, lost it in 2.18 and have it since 2.19. */
static bool nvls_works(const struct dts_choice_call *call)
{
    const struct dts_choice_group *group = call->group;
    const bool switched =
        group->gpu >= DTS_CHOICE_HOPPER && group->nvlinks > 0 && group->nvswitch;
    if (!switched || call->protocol != DTS_CHOICE_SIMPLE || call->graph.channels < 2)
        return false;
    if (call->algorithm == DTS_CHOICE_NVLS_TREE)
        return call->kind == DTS_ALLREDUCE && group->nodes > 1 && since(call, 218);
    return call->kind != DTS_BROADCAST && group->nodes == 1 && since(call, 217) &&
           (call->kind == DTS_ALLREDUCE || !since(call, 218) || since(call, 219));
}

static bool works(const struct dts_choice_call *call)
{
    if (call->protocol == DTS_CHOICE_LL128 && !ll128_works(call))
        return false;
    switch (call->algorithm) {
    case DTS_CHOICE_RING:
        return true;
    case DTS_CHOICE_TREE:
        return call->kind == DTS_ALLREDUCE;
    case DTS_CHOICE_SHARP:
        return dts_choice_sharp_works(call);
    case DTS_CHOICE_PAT:
        return (call->kind == DTS_REDUCE_SCATTER || call->kind == DTS_ALLGATHER) &&
               call->group->per_node == 1 && call->protocol == DTS_CHOICE_SIMPLE &&
               since(call, 223);
    default:
        return nvls_works(call);
    }
}

/* Steps of a ring. */
static int steps(const struct dts_choice_call *call)
{
    const int size = size_of(call);
    if (call->kind == DTS_ALLREDUCE)
        return 2 * (size - 1);
    return call->kind == DTS_BROADCAST ? size : size - 1;
}

static double ring_bus(const struct dts_choice_call *call, double bus)
{
    const struct dts_choice_caps *caps = call->version->caps[call->group->gpu];
    if (call->protocol == DTS_CHOICE_LL) {
        const bool third = call->group->nodes == 1 && call->kind != DTS_ALLREDUCE;
        bus *= since(call, 221) ? 1. / 2 : third && since(call, 207) ? 1. / 3 : 1. / 4;
        return since(call, 208) ? fmin(bus, dts_choice_ll_most(call->group)) : bus;
    }
    if (call->protocol == DTS_CHOICE_SIMPLE)
        return bus;
    if (!since(call, 207))
        return fmin(bus * 120 / 128, 100);
    // One device both sends and receives through its NIC.
    const double share = call->group->per_node < 2 && !since(call, 223) ? 0.7 : 0.92;
    const double most = since(call, 208) ? caps->ring_ll128[column(call)] : 16.7;
    return fmin(bus * share, call->graph.channels * most);
}

/* Trees of 2.5 and 2.7, which bounded the sum of channels. */
static double old_tree_bus(const struct dts_choice_call *call, double bus)
{
    const bool ll128 = call->protocol == DTS_CHOICE_LL128;
    if (!since(call, 207)) {
        bus = fmin(bus * 0.9, call->group->nodes > 1 ? 70 : 90);
        return call->protocol == DTS_CHOICE_LL ? bus / 3 : ll128 ? bus * 7 / 9 : bus;
    }
    const bool faster = call->group->gpu == DTS_CHOICE_AMPERE && ll128;
    const double most = call->group->nodes > 2 ? (faster ? 105 : 80) : (faster ? 130 : 110);
    bus = fmin(bus * 0.9, most);
    if (call->protocol == DTS_CHOICE_LL)
        return bus / 3.8;
    return ll128 ? fmin(bus * (call->group->nodes == 1 ? 7. / 9 : 0.915),
                        16.7 * call->graph.channels * 7 / 9)
                 : bus;
}

static double tree_bus(const struct dts_choice_call *call, double bus)
{
    if (!since(call, 208))
        return old_tree_bus(call, bus);
    const struct dts_choice_caps *caps = call->version->caps[call->group->gpu];
    bus = fmin(bus * 0.92, call->graph.channels * caps->tree[column(call)]);
    if (call->protocol == DTS_CHOICE_LL)
        bus = fmin(bus / 3.8, dts_choice_ll_most(call->group));
    if (call->protocol == DTS_CHOICE_LL128) {
        const double share = call->group->nodes == 1 ? 7. / 9
                             : since(call, 212)      ? 120. / 128
                                                     : 0.915;
        bus = fmin(bus * share, call->graph.channels * caps->tree_ll128[column(call)]);
    }
    // From Hopper on the search goes over to trees that enter and leave a node at one device.
    const bool plain = call->group->gpu >= DTS_CHOICE_HOPPER && call->group->nodes > 1;
    return plain && since(call, 218) ? bus * 0.85 : bus;
}

/* What a channel of the switch carries. Before 2.28 its speed is that of the links. */
static double nvls_channel(const struct dts_choice_call *call)
{
    static const double efficiency[DTS_CHOICE_GPUS] = {0, 0, 0, 0.85, 0.74};
    const struct dts_choice_group *group = call->group;
    const double speed = call->graph.speed, others = 1 - 1. / group->per_node;
    const bool tree = call->algorithm == DTS_CHOICE_NVLS_TREE,
               sum = call->kind == DTS_ALLREDUCE;
    if (!since(call, 228)) {
        if (tree)
            return since(call, 219) && group->nodes > 2 ? speed / 2 : speed;
        return sum || !since(call, 227) ? speed : speed * others;
    }
    // An all-reduce sums and spreads at once.
    const double inside =
        speed * efficiency[group->gpu] * (1 - 1. / call->graph.channels) * (sum ? 2 : others);
    if (!tree)
        return inside;
    const double between = speed * (group->nodes <= 2 ? 2 : 1);
    return at_most(fmin(inside, between),
                   call->version->caps[group->gpu]->nvls_tree[column(call)]);
}

/* Bandwidth of the algorithm over that of the bus. */
static double share_of_bus(const struct dts_choice_call *call)
{
    const bool parts = call->kind == DTS_REDUCE_SCATTER || call->kind == DTS_ALLGATHER;
    const double ring = (double)size_of(call) / steps(call);
    switch (call->algorithm) {
    case DTS_CHOICE_RING:
        return ring;
    case DTS_CHOICE_TREE:
    case DTS_CHOICE_SHARP:
        return 0.5;
    case DTS_CHOICE_PAT:
        return 1;
    default:
        break;
    }
    if (parts && since(call, 223))
        return 1;
    if (since(call, 228))
        return ring;
    if (!since(call, 218))
        return 0.75;
    if (call->algorithm == DTS_CHOICE_NVLS_TREE && !since(call, 219))
        return 0.7 * call->group->nodes / (2 * (call->group->nodes - 1));
    return 5. / 6;
}

/* What is left of a tree's bandwidth at this size. Trees over switches of Blackwell ask the
 * same table, to its end. */
static double share_at_size(const struct dts_choice_call *call)
{
    const struct dts_choice_version *version = call->version;
    const bool tree = call->algorithm == DTS_CHOICE_TREE;
    const bool nvls_tree = call->algorithm == DTS_CHOICE_NVLS_TREE &&
                           call->group->gpu == DTS_CHOICE_BLACKWELL && since(call, 229);
    if (version->share == NULL || !(tree || nvls_tree))
        return 1;
    const double at = call->bytes < 64 ? 0 : log2_floor(call->bytes / 64);
    const int sizes = tree ? version->shares : DTS_CHOICE_SHARES;
    return at < sizes ? version->share[call->protocol][(int)at] : 1;
}

static double bandwidth(const struct dts_choice_call *call)
{
    double bus = call->graph.channels * call->graph.speed;
    // Bounds of whole devices, measured then.
    if (call->group->gpu == DTS_CHOICE_AMPERE && since(call, 207) && !since(call, 218))
        bus = fmin(bus, 235);
    if (call->group->gpu >= DTS_CHOICE_HOPPER && since(call, 217) && !since(call, 218))
        bus = fmin(bus, 370);
    if (call->algorithm == DTS_CHOICE_RING)
        bus = ring_bus(call, bus);
    else if (call->algorithm == DTS_CHOICE_TREE)
        bus = tree_bus(call, bus);
    else if (call->algorithm == DTS_CHOICE_SHARP)
        bus = dts_choice_sharp_bus(call, bus);
    else if (call->algorithm == DTS_CHOICE_PAT)
        bus *= since(call, 224) ? 0.75 : 0.85;
    else
        bus = call->graph.channels * nvls_channel(call);
    return bus * share_of_bus(call) * share_at_size(call);
}

/* A hop within the node; row 0 are trees, 1 rings. */
static double intra(const struct dts_choice_call *call, int row)
{
    const struct dts_choice_latencies *latencies = call->version->latencies;
    const double(*hops)[DTS_CHOICE_PROTOCOLS] =
        call->group->nvlinks > 0 ? latencies->nvlink : latencies->pci;
    const bool slower = call->protocol == DTS_CHOICE_LL && call->group->nodes > 1 &&
                        since(call, 207) && !since(call, 218);
    return hops[row][call->protocol] * (slower ? 1.8 : 1);
}

/* What the NIC adds, twice with Simple, which flushes. */
static double of_nic(const struct dts_choice_call *call)
{
    const double latency = call->group->nic_latency_s * 1e6;
    return call->protocol == DTS_CHOICE_SIMPLE && since(call, 218) ? 2 * latency : latency;
}

/* A hop between nodes. From 2.12 to 2.17 a NIC's own latency stood for all of it, before that
 * it was not asked. */
static double inter(const struct dts_choice_call *call, int row)
{
    const double net = call->version->latencies->net[row][call->protocol];
    if (since(call, 218))
        return net + of_nic(call);
    return since(call, 212) && call->group->nic_latency_s > 0 ? of_nic(call) : net;
}

/* The second plateau of a ring with Simple. The library counts channels after it doubled them.
 */
static double plateau(const struct dts_choice_call *call)
{
    const struct dts_choice_group *group = call->group;
    if (call->protocol != DTS_CHOICE_SIMPLE || group->nodes == 1 || !since(call, 207) ||
        call->kind != DTS_ALLREDUCE)
        return 1;
    if (since(call, 218)) {
        const bool long_enough = call->bytes >= 64. * 2 * call->graph.channels * size_of(call);
        return long_enough ? (group->gpu < DTS_CHOICE_AMPERE ? 1.9 : 1.4) : 1;
    }
    const bool newer = since(call, 217) && group->gpu >= DTS_CHOICE_HOPPER;
    return call->bytes >= 4096. * size_of(call) ? (newer ? 1.5 : 1.9) : 1;
}

/* Steps of a ring that leave a node. 2.5 took all of them for such. */
static int steps_between(const struct dts_choice_call *call)
{
    const int nodes = call->group->nodes;
    if (nodes == 1)
        return 0;
    if (!since(call, 207))
        return steps(call);
    if (call->kind != DTS_ALLREDUCE)
        return nodes - 1;
    return since(call, 212) && !since(call, 223) ? 2 * nodes : 2 * (nodes - 1);
}

/* Data goes round the ring in pieces. Channels of one order start at one root; in others, where
 * NVLinks lead to other devices, the search finds cycles that differ, and n hops count. */
static double broadcast_latency(const struct dts_choice_call *call)
{
    const bool same_order =
        call->group->nodes > 1 || call->group->nvswitch || call->group->nvlinks == 0;
    const int row = call->protocol == DTS_CHOICE_SIMPLE && !same_order ? 0 : 1;
    const struct dts_choice_latencies *latencies = call->version->latencies;
    const double(*hops)[DTS_CHOICE_PROTOCOLS] = call->group->nodes > 1     ? latencies->net
                                                : call->group->nvlinks > 0 ? latencies->nvlink
                                                                           : latencies->pci;
    return hops[row][call->protocol] * (same_order ? 1 : steps(call));
}

static double ring_latency(const struct dts_choice_call *call)
{
    const struct dts_choice_group *group = call->group;
    const double base = call->version->latencies->base[1][call->protocol];
    if (call->kind == DTS_BROADCAST)
        return base + broadcast_latency(call);
    // A lone device of a node waits for its NIC at each step, as a tree does.
    const bool lone = group->per_node == 1 && since(call, 223);
    double within = intra(call, 1);
    if (group->nodes > 1 && since(call, 218)) { // posting to the NIC takes a host that long
        const double post = group->cpu == DTS_CHOICE_AMD ? 2 : 1;
        within = fmax(within, post * (call->protocol == DTS_CHOICE_SIMPLE ? 3 : 1));
    }
    const int between = steps_between(call), all = steps(call);
    return (base + (all - between) * within + between * inter(call, lone ? 0 : 1)) *
           plateau(call);
}

static double nvls_tree_latency(const struct dts_choice_call *call)
{
    const struct dts_choice_version *version = call->version;
    const double net = version->nvls.net;
    if (!since(call, 219))
        return version->nvls.base + 2 * (call->group->nodes - 1) * net;
    return version->nvls.hop + 2 * log2_floor(call->group->nodes) * (net + of_nic(call));
}

static double latency(const struct dts_choice_call *call)
{
    const struct dts_choice_group *group = call->group;
    const double rounds = log2_floor(group->nodes);
    switch (call->algorithm) {
    case DTS_CHOICE_RING:
        return ring_latency(call);
    case DTS_CHOICE_TREE:
        return call->version->latencies->base[0][call->protocol] +
               2 * ((group->per_node - 1) * intra(call, 0) + rounds * inter(call, 0));
    case DTS_CHOICE_SHARP:
        return dts_choice_sharp_us(call) + of_nic(call);
    case DTS_CHOICE_PAT:
        return 8 + rounds * inter(call, 0) / 3.5 + 2.8 * size_of(call);
    case DTS_CHOICE_NVLS:
        return call->version->nvls.base + call->version->nvls.hop;
    default:
        return nvls_tree_latency(call);
    }
}

bool dts_choice_tune(const struct dts_choice_call *call, struct dts_choice_pair *pair)
{
    if (!works(call))
        return false;
    pair->latency_us = latency(call);
    pair->bandwidth = bandwidth(call);
    return true;
}
