/* choice.h -- which algorithm, protocol and channels NCCL takes for a collective.
 *
 * NCCL reckons for each pair of algorithm and protocol a latency L and a bandwidth B from a few
 * facts about the group, and takes at each call the pair of least time L + S / B. It knows no
 * congestion and no network beyond the number of nodes. The functions here are that reckoning,
 * by version; they simulate nothing. Sources: NVIDIA/nccl, src/graph/tuning.cc and search.cc at
 * the tags in versions.c; for 2.4 src/init.cc and src/enqueue.cc at v2.4.8-1.
 *
 * Left out: CollNet (SHARP) before 2.17 and sums in switches of node and network at once, hosts
 * other than x86, devices of several kinds, and what the user forces by NCCL_ALGO and
 * NCCL_PROTO, for which dts_choice_price() asks one pair.
 */
#ifndef DTS_PLAN_COLL_CHOICE_CHOICE_H
#define DTS_PLAN_COLL_CHOICE_CHOICE_H

#include "plan/coll/choice/group.h"
#include "plan/coll/coll.h"

/* A pair, and what NCCL expects of it. */
struct dts_choice {
    enum dts_choice_algorithm algorithm;
    enum dts_choice_protocol protocol;
    int channels; // before NCCL doubles them for its kernels
    double channel_bytes_per_s;
    double latency_s;
    double bytes_per_s; // algorithm bandwidth: bytes / bytes_per_s are the time beside latency
    double time_s;      // 0: this version reckons none (before 2.5)
    char why[160];      // "NCCL 2.12, 540 nodes: tree/LL128 611 us, ring/LL128 3264 us; ..."
};

const char *dts_choice_algorithm_name(enum dts_choice_algorithm algorithm); // "nvls_tree"
const char *dts_choice_protocol_name(enum dts_choice_protocol protocol);    // "LL128"

/* Before 2.5: the latencies that its threshold between trees and rings rests on. */
double dts_choice_old_latency_s(const struct dts_choice_group *group,
                                enum dts_choice_algorithm algorithm);

/* What the library takes for `bytes` of data, counted as dts_coll_bus_factor() does. The group
 * has at least two devices, bytes are at least 1. */
void dts_choice_find(const struct dts_choice_group *group, enum dts_coll_kind kind,
                     double bytes, struct dts_choice *choice);

/* The same where the user forces the algorithm (NCCL_ALGO). False where the library cannot. */
bool dts_choice_force(const struct dts_choice_group *group, enum dts_coll_kind kind,
                      double bytes, enum dts_choice_algorithm algorithm,
                      struct dts_choice *choice);

/* What the library expects of choice->algorithm and ->protocol: fills all but `why`. False
 * where it does not know this pair, or version 2.5 and its formula are not yet there. */
bool dts_choice_price(const struct dts_choice_group *group, enum dts_coll_kind kind,
                      double bytes, struct dts_choice *choice);

#endif
