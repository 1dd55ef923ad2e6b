/* fabric_nvlink_all.c -- every GPU has NVLinks to every other: nodes with four V100 or A100.
 *
 * Links: (devices - 1) d + peer, peers in order without d itself. Behind them the PCIe tree.
 */
#include <stdio.h>

#include "sim/fabric.h"
#include "sim/pcie.h"

struct all {
    int links_per_pair;
    double nvlink_bytes_per_s, nvlink_latency_us;
    struct dts_pcie pcie;
    int devices; // by prepare
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct all, links_per_pair), .type = DTS_INT, .min = 1, .max = 64,
     .help = "NVLinks between two GPUs"},
    {DTS_KEY(struct all, nvlink_bytes_per_s), .type = DTS_REAL, .min = 1e6, .max = 1e15,
     .help = "of one NVLink, each way"},
    {DTS_KEY(struct all, nvlink_latency_us), .type = DTS_REAL, .min = 0, .max = 1e6,
     .help = "of one NVLink, in us"},
    {DTS_KEY(struct all, pcie), .type = DTS_OBJECT, .fields = dts_pcie_fields,
     .help = "the PCIe tree to the NICs and the host"},
    {0},
};

static bool prepare(void *self, int devices, int nics, const struct dts_cfg *at,
                    struct dts_error *err)
{
    struct all *all = self;
    struct dts_cfg pcie = dts_cfg_member(at, "pcie");
    all->devices = devices;
    return dts_pcie_prepare(&all->pcie, devices, nics, &pcie, err);
}

static int nvlinks(const struct all *all)
{
    return all->devices * (all->devices - 1);
}

static int links(const void *self)
{
    const struct all *all = self;
    return nvlinks(all) + dts_pcie_links(&all->pcie);
}

static double capacity(const void *self, int link)
{
    const struct all *all = self;
    if (link >= nvlinks(all))
        return dts_pcie_capacity(&all->pcie, link - nvlinks(all));
    return all->links_per_pair * all->nvlink_bytes_per_s;
}

static int places(const void *self)
{
    return dts_pcie_places(&((const struct all *)self)->pcie);
}

static int place_of(const void *self, int port)
{
    (void)self;
    return port;
}

static void ends(const void *self, int link, int *from, int *to)
{
    const struct all *all = self;
    if (link >= nvlinks(all)) {
        dts_pcie_ends(&all->pcie, link - nvlinks(all), from, to);
        return;
    }
    int rank = link % (all->devices - 1);
    *from = link / (all->devices - 1);
    *to = rank < *from ? rank : rank + 1;
}

static void link_name(const void *self, int link, char *name, size_t room)
{
    const struct all *all = self;
    int from, to;
    if (link >= nvlinks(all)) {
        dts_pcie_link_name(&all->pcie, link - nvlinks(all), name, room);
        return;
    }
    ends(self, link, &from, &to);
    snprintf(name, room, "nvlink%d-%d", from, to);
}

static int route(const void *self, int from, int to, bool staged, int *links)
{
    const struct all *all = self;
    if (from != to && from < all->devices && to < all->devices) {
        links[0] = from * (all->devices - 1) + (to < from ? to : to - 1);
        return 1;
    }
    int count = dts_pcie_route(&all->pcie, from, to, staged, links);
    for (int i = 0; i < count; i++)
        links[i] += nvlinks(all);
    return count;
}

static double latency(const void *self, int from, int to, bool staged)
{
    const struct all *all = self;
    if (from != to && from < all->devices && to < all->devices)
        return all->nvlink_latency_us * 1e-6;
    return dts_pcie_latency(&all->pcie, from, to, staged);
}

static int nic_of(const void *self, int device)
{
    return dts_pcie_nic_of(&((const struct all *)self)->pcie, device);
}

const struct dts_fabric dts_fabric_nvlink_all = {
    .name = "nvlink_all",
    .summary = "NVLinks between all pairs of GPUs",
    .fields = fields,
    .size = sizeof(struct all),
    .prepare = prepare,
    .links = links,
    .capacity = capacity,
    .link_name = link_name,
    .places = places,
    .place_of = place_of,
    .ends = ends,
    .route = route,
    .latency = latency,
    .nic_of = nic_of,
};
