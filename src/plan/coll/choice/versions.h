/* versions.h -- the constants of NCCL's tuner, by version. Latencies are in us, bandwidths in
 * GB/s, as NCCL has them.
 */
#ifndef DTS_PLAN_COLL_CHOICE_VERSIONS_H
#define DTS_PLAN_COLL_CHOICE_VERSIONS_H

#include "plan/coll/choice/group.h"

enum { DTS_CHOICE_SPEEDS = 20, DTS_CHOICE_SHARES = 24 };

/* Latencies of LL, LL128, Simple; [0] of trees, [1] of rings. */
struct dts_choice_latencies {
    double base[2][DTS_CHOICE_PROTOCOLS];
    double nvlink[2][DTS_CHOICE_PROTOCOLS]; // of a hop
    double pci[2][DTS_CHOICE_PROTOCOLS];
    double net[2][DTS_CHOICE_PROTOCOLS];
};

/* The most that a channel carries, on one, two and more nodes; 0: not bounded. */
struct dts_choice_caps {
    double ring_ll128[3], tree[3], tree_ll128[3], nvls_tree[3];
};

/* Speeds of a channel that the search tries, largest first, ended by 0. */
struct dts_choice_speeds {
    double one_node[DTS_CHOICE_SPEEDS];
    double more_nodes[DTS_CHOICE_SPEEDS];
};

/* Latencies of the switch's sums: of any call, within a node, between nodes for a tree. */
struct dts_choice_nvls {
    double base, hop, net;
};

/* Latencies of the network's sums, in two forms: of a hop within a node, and between nodes. */
struct dts_choice_sharp {
    double direct_hop, direct_net; // members of a node trade shares
    double chain_hop, chain_net;   // they are a chain
};

struct dts_choice_version {
    int from; // 100 major + minor
    const struct dts_choice_latencies *latencies;
    const double (*share)[DTS_CHOICE_SHARES]; // of a tree's bandwidth that is left; NULL: all
    int shares;                               // sizes in it that trees ask
    struct dts_choice_nvls nvls;
    const struct dts_choice_sharp *sharp; // direct_net 0: not known here
    // by GPU
    const double *nvlink; // of one link
    const struct dts_choice_caps *const *caps;
    const struct dts_choice_speeds *const *speeds;
};

/* The table for a version: the last one that is not newer. NULL before 2.5. */
const struct dts_choice_version *dts_choice_version_find(int version);

/* Rings with LL carry at most this: [0] Volta or an Intel host, [1] Ampere or an AMD host, [2]
 * Hopper, [3] Blackwell; on one, two and more nodes. On one node the device counts, else the
 * host. */
double dts_choice_ll_most(const struct dts_choice_group *group);

#endif
