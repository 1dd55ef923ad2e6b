/* topology.c -- the one place where topologies are listed. */
#include "sim/net/topology/topology.h"

#include <string.h>

extern const struct dts_topology dts_topology_star;
extern const struct dts_topology dts_topology_two_level;
extern const struct dts_topology dts_topology_fat_tree;
extern const struct dts_topology dts_topology_torus;
extern const struct dts_topology dts_topology_dragonfly;

const struct dts_topology *const dts_topologies[] = {
    &dts_topology_star,
    &dts_topology_two_level,
    &dts_topology_fat_tree,
    &dts_topology_torus,
    &dts_topology_dragonfly,
    // ends the table
    NULL,
};

bool dts_topology_check_links(double links, const struct dts_cfg *at, const char *key,
                              struct dts_error *err)
{
    return links <= DTS_MOST_LINKS ||
           dts_cfg_fail(at, key, err, "must be less: the network has %.0f links, more than %d",
                        links, DTS_MOST_LINKS);
}

const struct dts_topology *dts_topology_find(const char *name)
{
    for (int i = 0; dts_topologies[i] != NULL; i++)
        if (strcmp(dts_topologies[i]->name, name) == 0)
            return dts_topologies[i];
    return NULL;
}

const char *dts_topology_name(int i)
{
    return dts_topologies[i] != NULL ? dts_topologies[i]->name : NULL;
}
