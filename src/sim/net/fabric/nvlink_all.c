/* nvlink_all.c -- every GPU has NVLinks to every other: nodes with four V100 or A100.
 *
 * NVLinks: (devices - 1) d + peer, peers in order without d itself.
 */
#include <stdio.h>

#include "sim/net/fabric/fabric.h"
#include "sim/net/fabric/nvlink.h"

struct all {
    struct dts_nvlink net; // first
    int links_per_pair;
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct all, links_per_pair), .type = DTS_INT, .min = 1, .max = 64,
     .help = "NVLinks between two GPUs"},
    {DTS_KEY(struct dts_nvlink, nvlink_bytes_per_s), .type = DTS_REAL, .min = 1e6, .max = 1e15,
     .help = "of one NVLink, each way"},
    {DTS_KEY(struct dts_nvlink, nvlink_latency_us), .type = DTS_REAL, .min = 0, .max = 1e6,
     .help = "of one NVLink, in us"},
    {DTS_KEY(struct dts_nvlink, pcie), .type = DTS_OBJECT, .fields = dts_pcie_fields,
     .help = "the PCIe tree to the NICs and the host"},
    {0},
};

static int links(const struct dts_nvlink *net)
{
    return net->devices * (net->devices - 1);
}

static double capacity(const struct dts_nvlink *net, int link)
{
    (void)link;
    return ((const struct all *)net)->links_per_pair * net->nvlink_bytes_per_s;
}

static void ends(const struct dts_nvlink *net, int link, int *from, int *to)
{
    const int rank = link % (net->devices - 1);
    *from = link / (net->devices - 1);
    *to = rank < *from ? rank : rank + 1;
}

static void name(const struct dts_nvlink *net, int link, char *name, size_t room)
{
    int from, to;
    ends(net, link, &from, &to);
    snprintf(name, room, "nvlink%d-%d", from, to);
}

static int route(const struct dts_nvlink *net, int from, int to, int *links)
{
    links[0] = from * (net->devices - 1) + (to < from ? to : to - 1);
    return 1;
}

static const struct dts_nvlink_mesh mesh = {
    .links = links,
    .capacity = capacity,
    .name = name,
    .ends = ends,
    .route = route,
    .links_per_hop = 1,
};

static bool prepare(void *self, int devices, int nics, const struct dts_cfg *at,
                    struct dts_error *err)
{
    return dts_nvlink_prepare(self, &mesh, devices, nics, at, err);
}

static int lanes(const void *self, int from, int to)
{
    return from != to ? ((const struct all *)self)->links_per_pair : 0;
}

static int nvlinks(const void *self)
{
    const struct all *all = self;
    return (all->net.devices - 1) * all->links_per_pair;
}

const struct dts_fabric dts_fabric_nvlink_all = {
    .name = "nvlink_all",
    .summary = "NVLinks between all pairs of GPUs",
    .fields = fields,
    .size = sizeof(struct all),
    .prepare = prepare,
    .links = dts_nvlink_links,
    .capacity = dts_nvlink_capacity,
    .link_name = dts_nvlink_link_name,
    .places = dts_nvlink_places,
    .place_of = dts_nvlink_place_of,
    .ends = dts_nvlink_ends,
    .inner_name = dts_nvlink_inner_name,
    .route = dts_nvlink_route,
    .latency = dts_nvlink_latency,
    .nic_of = dts_nvlink_nic_of,
    .nvlinks = nvlinks,
    .lanes = lanes,
    .nics_near = dts_nvlink_nics_near,
};
