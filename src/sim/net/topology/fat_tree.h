/* fat_tree.h -- the sizes of a fat tree, read from JSON; shared by topology_fat_tree*.c. */
#ifndef DTS_SIM_NET_TOPOLOGY_FAT_TREE_H
#define DTS_SIM_NET_TOPOLOGY_FAT_TREE_H

#include "base/json/cfg.h"

enum { DTS_TREE_LEVELS = 6 };

struct dts_fat_tree {
    struct dts_cfg down_list, up_list, parallel_list, link_bytes_per_s;
    double hop_latency_us;
    const char *routing;
    int paths; // spread: the most that traffic of a pair is spread over

    /* By prepare. Arrays are by level: 1 the leaf switches, `levels` the top. */
    bool spread;
    int levels;

    /* [l]: switches of level l below one of level l + 1; [0]: ports of a leaf switch. */
    int down[DTS_TREE_LEVELS];

    int up[DTS_TREE_LEVELS];              // [l]: switches of level l + 1 above one of level l
    int parallel[DTS_TREE_LEVELS];        // [l]: cables between two of them
    double bytes_per_s[DTS_TREE_LEVELS];  // [l]: of such a cable, each way
    int below[DTS_TREE_LEVELS + 1];       // ports below a switch: M
    int copies[DTS_TREE_LEVELS + 1];      // switches with the same ports below: W
    int first_cable[DTS_TREE_LEVELS + 1]; // [levels]: all cables between switches
};

extern const struct dts_field dts_fat_tree_fields[];

bool dts_fat_tree_prepare(void *self, int ports, const struct dts_cfg *at,
                          struct dts_error *err);

#endif
