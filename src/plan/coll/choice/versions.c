/* versions.c -- constants of NVIDIA/nccl, src/graph/tuning.cc (latencies, most of a channel,
 * corrections), search.cc (speeds) and topo.h (NVLinks), at the tag that each table names.
 */
#include "plan/coll/choice/versions.h"

#include <stddef.h>

// v2.5.7-1
static const struct dts_choice_latencies latencies_2_5 = {
    .base = {{4.4, 4.4, 0}, {3.6, 3.6, 8.4}},
    .nvlink = {{0.5, 1.9, 28}, {0.4, 2.5, 5.7}},
    .pci = {{1.0, 1.9, 28}, {1.0, 2.5, 5.7}},
    .net = {{5.0, 7.5, 50}, {0.9, 2.5, 6.6}},
};
// v2.7.8-1
static const struct dts_choice_latencies latencies_2_7 = {
    .base = {{4.4, 4.4, 0}, {3.6, 10.0, 8.4}},
    .nvlink = {{0.52, 1.2, 28}, {0.47, 1.9, 3.4}},
    .pci = {{1.0, 1.9, 28}, {1.0, 2.5, 5.7}},
    .net = {{5.0, 8.5, 50}, {2.7, 4.0, 9.6}},
};
// v2.8.4-1, and again from v2.14.3-1 to v2.17.1-1
static const struct dts_choice_latencies latencies_2_8 = {
    .base = {{4.4, 4.4, 0}, {3.6, 10.0, 8.4}},
    .nvlink = {{0.52, 1.25, 28}, {0.47, 1.9, 3.4}},
    .pci = {{1.0, 1.9, 28}, {1.0, 2.5, 5.7}},
    .net = {{5.0, 8.5, 28}, {2.7, 4.0, 9.6}},
};
// v2.12.12-1
static const struct dts_choice_latencies latencies_2_12 = {
    .base = {{4.4, 4.4, 0}, {3.6, 10.0, 8.4}},
    .nvlink = {{0.52, 1.25, 28}, {0.47, 1.9, 3.4}},
    .pci = {{1.0, 1.9, 28}, {1.0, 2.5, 5.7}},
    .net = {{5.0, 8.5, 28}, {2.7, 4.0, 28}},
};
// v2.18.5-1
static const struct dts_choice_latencies latencies_2_18 = {
    .base = {{6.8, 14, 0}, {6.6, 14, 8.4}},
    .nvlink = {{0.6, 1.25, 4}, {0.6, 1.9, 3.4}},
    .pci = {{1.0, 1.9, 6}, {1.0, 2.5, 5.7}},
    .net = {{5.0, 8.5, 14}, {2.7, 4.0, 14}},
};
// v2.19.4-1
static const struct dts_choice_latencies latencies_2_19 = {
    .base = {{6.8, 14, 0}, {6.6, 14, 8.4}},
    .nvlink = {{0.6, 1.25, 28}, {0.6, 1.9, 3.4}},
    .pci = {{1.0, 1.9, 28}, {1.0, 2.5, 5.7}},
    .net = {{5.0, 8.5, 28}, {2.7, 4.0, 14}},
};
// v2.23.4-1 to v2.30.7-1
static const struct dts_choice_latencies latencies_2_23 = {
    .base = {{6.8, 14, 8.4}, {6.6, 14, 8.4}},
    .nvlink = {{0.6, 1.25, 4}, {0.6, 1.9, 3.4}},
    .pci = {{1.0, 1.9, 4}, {1.0, 2.5, 5.7}},
    .net = {{5.0, 8.5, 14}, {2.7, 4.0, 14}},
};

/* What is left of a tree's bandwidth at 64 bytes, 128, 256, ... */
// v2.7.8-1
static const double share_2_7[DTS_CHOICE_PROTOCOLS][DTS_CHOICE_SHARES] = {
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .5, .6, .6, .7, .7, .8, .9, .9, 1},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .5, .5, .6, .6, .7, .8, .9},
};
// v2.8.4-1
static const double share_2_8[DTS_CHOICE_PROTOCOLS][DTS_CHOICE_SHARES] = {
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .5, .6, .6, .7, .7, .8, .9, .9, .92, .92},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
     .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9},
};
// v2.12.12-1 to v2.30.7-1
static const double share_2_12[DTS_CHOICE_PROTOCOLS][DTS_CHOICE_SHARES] = {
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
     .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9},
};

// v2.8.4-1; LL128 of an all-reduce, which has other values for other operations
static const struct dts_choice_caps volta_2_8 = {
    .ring_ll128 = {16.9, 16.9, 16.9},
    .tree = {26.5, 18.5, 10.0},
    .tree_ll128 = {16.9, 16.9, 16.9},
};
static const struct dts_choice_caps ampere_2_8 = {
    .ring_ll128 = {16.9, 16.9, 16.9},
    .tree = {24.0, 22.5, 16.0},
    .tree_ll128 = {16.9, 16.9, 16.9},
};
// v2.12.12-1 to v2.30.7-1
static const struct dts_choice_caps volta = {
    .ring_ll128 = {20.0, 20.0, 20.0},
    .tree = {26.5, 18.5, 10.0},
    .tree_ll128 = {20.0, 20.0, 20.0},
};
static const struct dts_choice_caps ampere = {
    .ring_ll128 = {20.0, 20.0, 20.0},
    .tree = {24.0, 23.6, 17.8},
    .tree_ll128 = {20.0, 20.0, 20.0},
};
// v2.17.1-1
static const struct dts_choice_caps hopper_2_17 = {
    .ring_ll128 = {36.7, 36.7, 36.7},
    .tree = {38.7, 41.4, 33.0},
    .tree_ll128 = {36.7, 36.7, 36.7},
};
// v2.18.5-1 to v2.30.7-1; that of NVLSTree from v2.28.3-1
static const struct dts_choice_caps hopper = {
    .ring_ll128 = {36.7, 36.7, 36.7},
    .tree = {38.7, 41.4, 36.0},
    .tree_ll128 = {36.7, 36.7, 29.0},
    .nvls_tree = {0, 57.7, 45.5},
};
// v2.25.1-1
static const struct dts_choice_caps blackwell_2_25 = {
    .ring_ll128 = {73.4, 73.4, 73.4},
    .tree = {77.4, 82.8, 72.0},
    .tree_ll128 = {73.4, 73.4, 58.0},
};
// v2.28.9-1
static const struct dts_choice_caps blackwell_2_28 = {
    .ring_ll128 = {73.4, 34.6, 73.4},
    .tree = {70.0, 42.8, 24.0},
    .tree_ll128 = {55.6, 31.67, 20.0},
    .nvls_tree = {0, 96.0, 43.8},
};
// v2.29.7-1
static const struct dts_choice_caps blackwell_2_29 = {
    .ring_ll128 = {34.5, 34.6, 34.5},
    .tree = {70.0, 42.8, 24.0},
    .tree_ll128 = {55.6, 31.67, 20.0},
    .nvls_tree = {0, 96.0, 43.8},
};
// v2.30.7-1
static const struct dts_choice_caps blackwell = {
    .ring_ll128 = {40.0, 40.0, 40.0},
    .tree = {70.0, 42.8, 24.0},
    .tree_ll128 = {55.6, 31.67, 20.0},
    .nvls_tree = {0, 96.0, 80.0},
};

// v2.8.4-1, without 30 in v2.7.8-1; v2.5.7-1 has no list and is ASSUMED to find the same
static const struct dts_choice_speeds speeds_2_7 = {
    .one_node = {42, 30, 24, 21, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4, 1.2, 0.24, 0.12},
    .more_nodes = {42, 30, 24, 21, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4, 1.2, 0.24, 0.12},
};
// v2.10.3-1; 28 from v2.15.1-1 on
static const struct dts_choice_speeds speeds_2_10 = {
    .one_node = {44, 30, 22, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3},
    .more_nodes = {48, 30, 24, 22, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4, 1.2, 0.24, 0.12},
};
// v2.18.1-1 to v2.30.7-1
static const struct dts_choice_speeds speeds_2_18 = {
    .one_node = {40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3},
    .more_nodes = {48, 30, 28, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4, 1.2, 0.24, 0.12},
};
// v2.17.1-1
static const struct dts_choice_speeds hopper_speeds_2_17 = {
    .one_node = {66, 33, 24, 20, 15, 12, 6, 3},
    .more_nodes = {48, 45, 30, 24, 15, 12, 6, 3, 2.4, 1.2, 0.24, 0.12},
};
// v2.18.5-1 to v2.30.7-1; 50 from v2.19.1-1, 11 from v2.21.5-1 on
static const struct dts_choice_speeds hopper_speeds = {
    .one_node = {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3},
    .more_nodes = {48, 45, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, 0.24, 0.12},
};
// v2.29.2-1; 45 on one node from there on, 86 and 80 between nodes from v2.30.3-1 on left out
static const struct dts_choice_speeds blackwell_speeds = {
    .one_node = {90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18},
    .more_nodes = {96, 48, 45.1, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, 0.24,
                   0.12},
};

/* Of Pascal, Volta, Ampere, Hopper, Blackwell. GPUs that a version did not know stand with the
 * last one that it knew. */
typedef const struct dts_choice_caps *caps_row[DTS_CHOICE_GPUS];
typedef const struct dts_choice_speeds *speeds_row[DTS_CHOICE_GPUS];

static const caps_row caps_2_8 = {&volta_2_8, &volta_2_8, &ampere_2_8, &ampere_2_8,
                                  &ampere_2_8};
static const caps_row caps_2_12 = {&volta, &volta, &ampere, &ampere, &ampere};
static const caps_row caps_2_17 = {&volta, &volta, &ampere, &hopper_2_17, &hopper_2_17};
static const caps_row caps_2_18 = {&volta, &volta, &ampere, &hopper, &hopper};
static const caps_row caps_2_25 = {&volta, &volta, &ampere, &hopper, &blackwell_2_25};
static const caps_row caps_2_28 = {&volta, &volta, &ampere, &hopper, &blackwell_2_28};
static const caps_row caps_2_29 = {&volta, &volta, &ampere, &hopper, &blackwell_2_29};
static const caps_row caps_2_30 = {&volta, &volta, &ampere, &hopper, &blackwell};

static const speeds_row all_2_7 = {&speeds_2_7, &speeds_2_7, &speeds_2_7, &speeds_2_7,
                                   &speeds_2_7};
static const speeds_row all_2_10 = {&speeds_2_10, &speeds_2_10, &speeds_2_10, &speeds_2_10,
                                    &speeds_2_10};
static const speeds_row all_2_17 = {&speeds_2_10, &speeds_2_10, &speeds_2_10,
                                    &hopper_speeds_2_17, &hopper_speeds_2_17};
static const speeds_row all_2_18 = {&speeds_2_18, &speeds_2_18, &speeds_2_18, &hopper_speeds,
                                    &hopper_speeds};
static const speeds_row all_2_25 = {&speeds_2_18, &speeds_2_18, &speeds_2_18, &hopper_speeds,
                                    &blackwell_speeds};

static const double nvlink_2_5[] = {18, 21, 21, 21, 21};
static const double nvlink_2_10[] = {18, 22, 22, 22, 22};
static const double nvlink_2_18[] = {18, 20, 20, 20, 20};
static const double nvlink_2_20[] = {18, 20, 20, 20.6, 20.6};
static const double nvlink_2_25[] = {18, 20, 20, 20.6, 40.1}; // 40 in v2.25.1-1

/* Of the network's sums (CollNet); v2.18.5-1 has 8 us for a hop of a chain over PCIe, left out.
 * Before v2.17.1-1 they had LL, too, and other rules: left out. */
static const struct dts_choice_sharp no_sharp = {0};
static const struct dts_choice_sharp sharp_2_17 = {8, 10.7, 8, 10.7};
static const struct dts_choice_sharp sharp_2_18 = {8, 10.7, 4.75, 14};
static const struct dts_choice_sharp sharp_2_19 = {3.7, 31, 2.8, 30};

static const struct dts_choice_version versions[] = {
    {205, &latencies_2_5, NULL, 0, {0, 0, 0}, &no_sharp, nvlink_2_5, caps_2_8, all_2_7},
    {207, &latencies_2_7, share_2_7, 22, {0, 0, 0}, &no_sharp, nvlink_2_5, caps_2_8, all_2_7},
    {208, &latencies_2_8, share_2_8, 23, {0, 0, 0}, &no_sharp, nvlink_2_5, caps_2_8, all_2_7},
    {210, &latencies_2_8, share_2_8, 23, {0, 0, 0}, &no_sharp, nvlink_2_10, caps_2_8, all_2_10},
    {212,
     &latencies_2_12,
     share_2_12,
     23,
     {0, 0, 0},
     &no_sharp,
     nvlink_2_10,
     caps_2_12,
     all_2_10},
    {214,
     &latencies_2_8,
     share_2_12,
     23,
     {0, 0, 0},
     &no_sharp,
     nvlink_2_10,
     caps_2_12,
     all_2_10},
    {217,
     &latencies_2_8,
     share_2_12,
     23,
     {40, 0, 0},
     &sharp_2_17,
     nvlink_2_10,
     caps_2_17,
     all_2_17},
    {218,
     &latencies_2_18,
     share_2_12,
     23,
     {23, 0, 19},
     &sharp_2_18,
     nvlink_2_18,
     caps_2_18,
     all_2_18},
    {219,
     &latencies_2_19,
     share_2_12,
     23,
     {0, 23, 14},
     &sharp_2_19,
     nvlink_2_18,
     caps_2_18,
     all_2_18},
    {220,
     &latencies_2_19,
     share_2_12,
     23,
     {0, 23, 14},
     &sharp_2_19,
     nvlink_2_20,
     caps_2_18,
     all_2_18},
    {221,
     &latencies_2_19,
     share_2_12,
     23,
     {0, 25, 14},
     &sharp_2_19,
     nvlink_2_20,
     caps_2_18,
     all_2_18},
    {223,
     &latencies_2_23,
     share_2_12,
     23,
     {0, 25, 14},
     &sharp_2_19,
     nvlink_2_20,
     caps_2_18,
     all_2_18},
    {225,
     &latencies_2_23,
     share_2_12,
     23,
     {0, 25, 14},
     &sharp_2_19,
     nvlink_2_25,
     caps_2_25,
     all_2_25},
    {228,
     &latencies_2_23,
     share_2_12,
     23,
     {0, 25, 20.9},
     &sharp_2_19,
     nvlink_2_25,
     caps_2_28,
     all_2_25},
    {229,
     &latencies_2_23,
     share_2_12,
     23,
     {0, 25, 20.9},
     &sharp_2_19,
     nvlink_2_25,
     caps_2_29,
     all_2_25},
    {230,
     &latencies_2_23,
     share_2_12,
     23,
     {0, 25, 20.9},
     &sharp_2_19,
     nvlink_2_25,
     caps_2_30,
     all_2_25},
};

const struct dts_choice_version *dts_choice_version_find(int version)
{
    const struct dts_choice_version *found = NULL;
    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
        if (versions[i].from <= version)
            found = &versions[i];
    return found;
}

double dts_choice_ll_most(const struct dts_choice_group *group)
{
    static const double most[4][3] = {
        {39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {282, 90, 70}};
    const int nodes = group->nodes > 3 ? 3 : group->nodes;
    if (group->nodes > 1)
        return most[group->cpu == DTS_CHOICE_AMD][nodes - 1];
    int row = group->gpu <= DTS_CHOICE_VOLTA ? 0 : (int)group->gpu - DTS_CHOICE_VOLTA;
    if (group->version < 221 && row > 1) // v2.17.1-1 to v2.20.5-1: Hopper as Ampere
        row = 1;
    return most[row][0];
}
