/* choice.c -- the pair of least time, and the thresholds of NCCL before it reckoned times. */
#include "plan/coll/choice/choice.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "plan/coll/choice/graph.h"
#include "plan/coll/choice/tuner.h"
#include "plan/coll/choice/versions.h"

const char *dts_choice_algorithm_name(enum dts_choice_algorithm algorithm)
{
    static const char *const names[] = {"tree", "ring", "nvls", "nvls_tree", "sharp", "pat"};
    return names[algorithm];
}

const char *dts_choice_protocol_name(enum dts_choice_protocol protocol)
{
    static const char *const names[] = {"LL", "LL128", "Simple"};
    return names[protocol];
}

bool dts_choice_price(const struct dts_choice_group *group, enum dts_coll_kind kind,
                      double bytes, struct dts_choice *choice)
{
    const struct dts_choice_version *version = dts_choice_version_find(group->version);
    if (version == NULL)
        return false;
    struct dts_choice_pair pair;
    const bool nvls =
        choice->algorithm == DTS_CHOICE_NVLS || choice->algorithm == DTS_CHOICE_NVLS_TREE;
    const struct dts_choice_graph graph = dts_choice_graph_find(version, group, nvls);
    const struct dts_choice_call call = {version,           group,           kind, bytes, graph,
                                         choice->algorithm, choice->protocol};
    if (!dts_choice_tune(&call, &pair))
        return false;
    choice->channels = graph.channels;
    choice->channel_bytes_per_s = graph.speed * 1e9;
    choice->latency_s = pair.latency_us * 1e-6;
    choice->bytes_per_s = pair.bandwidth * 1e9;
    choice->time_s = choice->latency_s + bytes / choice->bytes_per_s;
    return true;
}

/* The pair of least time and the next one. */
struct best {
    struct dts_choice first, second;
};

static void consider(struct best *best, const struct dts_choice *choice)
{
    if (choice->time_s < best->first.time_s) {
        best->second = best->first;
        best->first = *choice;
    } else if (choice->time_s < best->second.time_s) {
        best->second = *choice;
    }
}

/* "34.1 us", "65.3 ms", "2.5 s". */
static const char *duration(double seconds, char text[24])
{
    const bool whole = seconds >= 1, small = seconds < 1e-3;
    snprintf(text, 24, "%.4g %s",
             seconds * (whole   ? 1
                        : small ? 1e6
                                : 1e3),
             whole   ? "s"
             : small ? "us"
                     : "ms");
    return text;
}

static void say(const struct dts_choice_group *group, const struct best *best,
                struct dts_choice *choice)
{
    char other[64] = "", time[24];
    if (isfinite(best->second.time_s))
        snprintf(other, sizeof(other), ", %s/%s %s",
                 dts_choice_algorithm_name(best->second.algorithm),
                 dts_choice_protocol_name(best->second.protocol),
                 duration(best->second.time_s, time));
    snprintf(choice->why, sizeof(choice->why),
             "NCCL %d.%d, %d x %d: %s/%s %s%s; %d channel%s of %.4g GB/s", group->version / 100,
             group->version % 100, group->nodes, group->per_node,
             dts_choice_algorithm_name(choice->algorithm),
             dts_choice_protocol_name(choice->protocol), duration(choice->time_s, time), other,
             choice->channels, choice->channels == 1 ? "" : "s",
             choice->channel_bytes_per_s / 1e9);
}

double dts_choice_old_latency_s(const struct dts_choice_group *group,
                                enum dts_choice_algorithm algorithm)
{
    return algorithm == DTS_CHOICE_RING
               ? 6e-6 * (group->nodes * group->per_node - 1)
               : 15e-6 * log2(group->nodes) + 4e-6 * (group->per_node - 1);
}

/* NCCL 2.4: trees serve an all-reduce up to a size (src/init.cc, ncclTreeThreshold() at
 * v2.4.8-1), latencies in us, bandwidths in bytes/us. Before 2.4 there were rings alone. */
static double tree_most(const struct dts_choice_group *group, int channels)
{
    const bool nvlink = group->nvlinks > 0;
    const double ring = nvlink ? 5000 * channels : 5000;
    const double tree =
        ring * (nvlink ? 3. / 4 : 2. / 3) * (nvlink && group->nodes == 2 ? 2 : 1);
    const double ring_latency = 1e6 * dts_choice_old_latency_s(group, DTS_CHOICE_RING);
    const double tree_latency = 1e6 * dts_choice_old_latency_s(group, DTS_CHOICE_TREE);
    if (group->version < 204 || group->nodes < 2 || ring_latency <= tree_latency)
        return 0;
    return tree > ring ? INFINITY : ring * tree / (ring - tree) * (ring_latency - tree_latency);
}

/* LL while a thread has few bytes (src/enqueue.cc, getKernelInfo() at v2.4.8-1), of which all
 * 256 threads of all channels are in use where it ends. */
static double ll_most(const struct dts_choice_group *group, bool tree, enum dts_coll_kind kind,
                      int channels)
{
    const int of_thread =
        (group->gpu < DTS_CHOICE_VOLTA ? 32 : 64) * (group->nodes > 1 ? 2 : 1);
    const int chunks = tree || kind == DTS_BROADCAST ? 1 : group->nodes * group->per_node;
    return 256. * channels * chunks * of_thread * (tree ? 4 : 1);
}

static void find_by_thresholds(const struct dts_choice_group *group, enum dts_coll_kind kind,
                               double bytes, struct dts_choice *choice)
{
    const struct dts_choice_graph graph =
        dts_choice_graph_find(dts_choice_version_find(205), group, false);
    const double most = kind == DTS_ALLREDUCE ? tree_most(group, graph.channels) : 0;
    const bool tree = bytes <= most;
    *choice = (struct dts_choice){
        .algorithm = tree ? DTS_CHOICE_TREE : DTS_CHOICE_RING,
        .protocol = bytes <= ll_most(group, tree, kind, graph.channels) ? DTS_CHOICE_LL
                                                                        : DTS_CHOICE_SIMPLE,
        .channels = graph.channels,
        .channel_bytes_per_s = graph.speed * 1e9,
    };
    snprintf(choice->why, sizeof(choice->why),
             "NCCL %d.%d, %d x %d: %s/%s, trees up to %.4g bytes; %d channels of %.4g GB/s",
             group->version / 100, group->version % 100, group->nodes, group->per_node,
             dts_choice_algorithm_name(choice->algorithm),
             dts_choice_protocol_name(choice->protocol), most, choice->channels, graph.speed);
}

/* All protocols of an algorithm. */
static void try_all(const struct dts_choice_group *group, enum dts_coll_kind kind, double bytes,
                    enum dts_choice_algorithm algorithm, struct best *best)
{
    for (int p = 0; p < DTS_CHOICE_PROTOCOLS; p++) {
        struct dts_choice pair = {.algorithm = algorithm,
                                  .protocol = (enum dts_choice_protocol)p};
        if (dts_choice_price(group, kind, bytes, &pair))
            consider(best, &pair);
    }
}

/* Two nodes with a NIC for each device reach more than a ring's NICs can carry, from 512 MiB
 * on: 219 to 238 GB/s on 2 x 8 A100 with NICs of 200 GB/s. A tree of two nodes has each byte
 * once on each NIC, a ring nearly twice. The formula takes the ring. */
static bool is_tree_of_two(const struct dts_choice_group *group, enum dts_coll_kind kind,
                           double bytes, const struct dts_choice *choice)
{
    static const double least_bytes = 512 * 1048576.;
    return kind == DTS_ALLREDUCE && group->nodes == 2 && group->nvlinks > 0 &&
           group->gpu <= DTS_CHOICE_AMPERE && group->nics >= group->per_node &&
           bytes >= least_bytes && choice->algorithm == DTS_CHOICE_RING;
}

void dts_choice_find(const struct dts_choice_group *group, enum dts_coll_kind kind,
                     double bytes, struct dts_choice *choice)
{
    assert(group->nodes >= 1 && group->nodes * group->per_node >= 2 && bytes >= 1);
    if (dts_choice_version_find(group->version) == NULL) {
        find_by_thresholds(group, kind, bytes, choice);
        return;
    }
    struct best best = {{.time_s = INFINITY}, {.time_s = INFINITY}};
    for (int a = 0; a < DTS_CHOICE_ALGORITHMS; a++)
        try_all(group, kind, bytes, (enum dts_choice_algorithm)a, &best);
    *choice = best.first; // ring/Simple is always there
    say(group, &best, choice);
    if (is_tree_of_two(group, kind, bytes, choice))
        dts_choice_force(group, kind, bytes, DTS_CHOICE_TREE, choice);
}

bool dts_choice_force(const struct dts_choice_group *group, enum dts_coll_kind kind,
                      double bytes, enum dts_choice_algorithm algorithm,
                      struct dts_choice *choice)
{
    struct dts_choice_group priced = *group;
    struct best best = {{.time_s = INFINITY}, {.time_s = INFINITY}};
    if (dts_choice_version_find(group->version) == NULL)
        priced.version = 205; // the first formula
    try_all(&priced, kind, bytes, algorithm, &best);
    *choice = best.first;
    if (isinf(choice->time_s))
        return false;
    say(group, &best, choice);
    return true;
}
