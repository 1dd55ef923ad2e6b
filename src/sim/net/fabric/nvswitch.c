/* nvswitch.c -- all NVLinks of all GPUs go to switches that never block: DGX-2, DGX
 * A100.
 *
 * A GPU's links are one cable: link 2 d from GPU d to the switch, 2 d + 1 to the GPU. The
 * switch is a place of its own.
 */
#include <stdio.h>

#include "sim/net/fabric/fabric.h"
#include "sim/net/fabric/nvlink.h"

struct switched {
    struct dts_nvlink net; // first
    int links_per_device;
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct switched, links_per_device), .type = DTS_INT, .min = 1, .max = 64,
     .help = "NVLinks of a GPU"},
    {DTS_KEY(struct dts_nvlink, nvlink_bytes_per_s), .type = DTS_REAL, .min = 1e6, .max = 1e15,
     .help = "of one NVLink, each way"},
    {DTS_KEY(struct dts_nvlink, nvlink_latency_us), .type = DTS_REAL, .min = 0, .max = 1e6,
     .help = "from GPU to GPU, in us"},
    {DTS_KEY(struct dts_nvlink, pcie), .type = DTS_OBJECT, .fields = dts_pcie_fields,
     .help = "the PCIe tree to the NICs and the host"},
    {0},
};

static int links(const struct dts_nvlink *net)
{
    return 2 * net->devices;
}

static double capacity(const struct dts_nvlink *net, int link)
{
    (void)link;
    return ((const struct switched *)net)->links_per_device * net->nvlink_bytes_per_s;
}

static void name(const struct dts_nvlink *net, int link, char *name, size_t room)
{
    (void)net;
    snprintf(name, room, "nvlink%d.%s", link / 2, link % 2 == 0 ? "out" : "in");
}

static void ends(const struct dts_nvlink *net, int link, int *from, int *to)
{
    const int at = dts_nvlink_place(net);
    *from = link % 2 == 0 ? link / 2 : at;
    *to = link % 2 == 0 ? at : link / 2;
}

static int route(const struct dts_nvlink *net, int from, int to, int *links)
{
    (void)net;
    links[0] = 2 * from;
    links[1] = 2 * to + 1;
    return 2;
}

static const struct dts_nvlink_mesh mesh = {
    .links = links,
    .capacity = capacity,
    .name = name,
    .ends = ends,
    .route = route,
    .links_per_hop = 2,
    .places = 1,
};

static bool prepare(void *self, int devices, int nics, const struct dts_cfg *at,
                    struct dts_error *err)
{
    return dts_nvlink_prepare(self, &mesh, devices, nics, at, err);
}

static int nvlinks(const void *self)
{
    return ((const struct switched *)self)->links_per_device;
}

const struct dts_fabric dts_fabric_nvswitch = {
    .name = "nvswitch",
    .summary = "GPUs on NVLink switches that never block",
    .fields = fields,
    .size = sizeof(struct switched),
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
    .nics_near = dts_nvlink_nics_near,
};
