/* graph.h -- how many channels NCCL's search finds, and how fast each is.
 *
 * The search cuts channels through the links of a node and its NICs (NVIDIA/nccl,
 * src/graph/search.cc, ncclTopoCompute()). What comes of it in the nodes that dtsim knows
 * follows from sums alone: a channel leaves by a NIC of its own, and all channels together fit
 * a device's NVLinks.
 */
#ifndef DTS_PLAN_COLL_CHOICE_GRAPH_H
#define DTS_PLAN_COLL_CHOICE_GRAPH_H

#include "plan/coll/choice/versions.h"

struct dts_choice_graph {
    int channels;
    double speed; // of a channel, GB/s
};

/* Of rings and trees, or with `nvls` of the switch's sums. */
struct dts_choice_graph dts_choice_graph_find(const struct dts_choice_version *version,
                                              const struct dts_choice_group *group, bool nvls);

#endif
