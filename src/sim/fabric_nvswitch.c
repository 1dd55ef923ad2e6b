/* fabric_nvswitch.c -- all NVLinks of all GPUs go to switches that never block: DGX-2, DGX
 * A100.
 *
 * A GPU's links are one cable: link 2 d from GPU d to the switch, 2 d + 1 to the GPU. Behind
 * them the PCIe tree; the switch is the place after its places.
 */
#include <stdio.h>

#include "sim/fabric.h"
#include "sim/pcie.h"

struct switched {
    int links_per_device;
    double nvlink_bytes_per_s, nvlink_latency_us;
    struct dts_pcie pcie;
    int devices; // by prepare
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct switched, links_per_device), .type = DTS_INT, .min = 1, .max = 64,
     .help = "NVLinks of a GPU"},
    {DTS_KEY(struct switched, nvlink_bytes_per_s), .type = DTS_REAL, .min = 1e6, .max = 1e15,
     .help = "of one NVLink, each way"},
    {DTS_KEY(struct switched, nvlink_latency_us), .type = DTS_REAL, .min = 0, .max = 1e6,
     .help = "from GPU to GPU, in us"},
    {DTS_KEY(struct switched, pcie), .type = DTS_OBJECT, .fields = dts_pcie_fields,
     .help = "the PCIe tree to the NICs and the host"},
    {0},
};

static bool prepare(void *self, int devices, int nics, const struct dts_cfg *at,
                    struct dts_error *err)
{
    struct switched *net = self;
    struct dts_cfg pcie = dts_cfg_member(at, "pcie");
    net->devices = devices;
    return dts_pcie_prepare(&net->pcie, devices, nics, &pcie, err);
}

static int nvlinks(const struct switched *net)
{
    return 2 * net->devices;
}

static int links(const void *self)
{
    const struct switched *net = self;
    return nvlinks(net) + dts_pcie_links(&net->pcie);
}

static double capacity(const void *self, int link)
{
    const struct switched *net = self;
    if (link >= nvlinks(net))
        return dts_pcie_capacity(&net->pcie, link - nvlinks(net));
    return net->links_per_device * net->nvlink_bytes_per_s;
}

static void link_name(const void *self, int link, char *name, size_t room)
{
    const struct switched *net = self;
    if (link >= nvlinks(net))
        dts_pcie_link_name(&net->pcie, link - nvlinks(net), name, room);
    else
        snprintf(name, room, "nvlink%d.%s", link / 2, link % 2 == 0 ? "out" : "in");
}

static int places(const void *self)
{
    return dts_pcie_places(&((const struct switched *)self)->pcie) + 1;
}

static int place_of(const void *self, int port)
{
    (void)self;
    return port;
}

static void ends(const void *self, int link, int *from, int *to)
{
    const struct switched *net = self;
    int at = places(net) - 1;
    if (link >= nvlinks(net)) {
        dts_pcie_ends(&net->pcie, link - nvlinks(net), from, to);
        return;
    }
    *from = link % 2 == 0 ? link / 2 : at;
    *to = link % 2 == 0 ? at : link / 2;
}

static int route(const void *self, int from, int to, bool staged, int *links)
{
    const struct switched *net = self;
    if (from != to && from < net->devices && to < net->devices) {
        links[0] = 2 * from;
        links[1] = 2 * to + 1;
        return 2;
    }
    int count = dts_pcie_route(&net->pcie, from, to, staged, links);
    for (int i = 0; i < count; i++)
        links[i] += nvlinks(net);
    return count;
}

static double latency(const void *self, int from, int to, bool staged)
{
    const struct switched *net = self;
    if (from != to && from < net->devices && to < net->devices)
        return net->nvlink_latency_us * 1e-6;
    return dts_pcie_latency(&net->pcie, from, to, staged);
}

static int nic_of(const void *self, int device)
{
    return dts_pcie_nic_of(&((const struct switched *)self)->pcie, device);
}

const struct dts_fabric dts_fabric_nvswitch = {
    .name = "nvswitch",
    .summary = "GPUs on NVLink switches that never block",
    .fields = fields,
    .size = sizeof(struct switched),
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
