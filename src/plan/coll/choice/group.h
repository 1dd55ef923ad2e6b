/* group.h -- what NCCL knows of a group of devices, and the words of its choice. */
#ifndef DTS_PLAN_COLL_CHOICE_GROUP_H
#define DTS_PLAN_COLL_CHOICE_GROUP_H

#include <stdbool.h>

enum dts_choice_algorithm {
    DTS_CHOICE_TREE,      // a chain in each node, two binary trees of the nodes
    DTS_CHOICE_RING,      // one ring a channel
    DTS_CHOICE_NVLS,      // the switch of one node sums
    DTS_CHOICE_NVLS_TREE, // the switches sum, trees of the nodes between them
    DTS_CHOICE_SHARP,     // the network's switches sum: CollNet
    DTS_CHOICE_PAT,       // parallel aggregated trees, for one device a node
    DTS_CHOICE_ALGORITHMS
};

enum dts_choice_protocol {
    DTS_CHOICE_LL,     // 4 bytes of data and 4 of flag: half of the bandwidth
    DTS_CHOICE_LL128,  // 120 of 128 bytes are data
    DTS_CHOICE_SIMPLE, // whole slices, then a flag
    DTS_CHOICE_PROTOCOLS
};

enum dts_choice_gpu {
    DTS_CHOICE_PASCAL,
    DTS_CHOICE_VOLTA,
    DTS_CHOICE_AMPERE,
    DTS_CHOICE_HOPPER,
    DTS_CHOICE_BLACKWELL,
    DTS_CHOICE_GPUS
};

enum dts_choice_cpu { DTS_CHOICE_INTEL, DTS_CHOICE_AMD };

/* What NCCL knows of a group. */
struct dts_choice_group {
    int version; // 100 major + minor: 212 is NCCL 2.12
    enum dts_choice_gpu gpu;
    enum dts_choice_cpu cpu;
    int nodes, per_node; // devices of a node
    int nvlinks;         // of a device; 0: PCIe alone
    bool nvswitch;       // NVLinks lead to a switch; else to other devices
    bool nics_near;      // each device has a NIC under its own PCIe switch
    bool sharp;          // the switches between nodes sum for the NICs
    int nics;            // of a node; of no effect on one node
    double nic_bytes_per_s;
    double nic_latency_s; // as the NIC's plugin tells it; 0 for InfiniBand and sockets
};

#endif
