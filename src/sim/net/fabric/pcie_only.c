/* pcie_only.c -- devices that are connected by PCIe alone. */
#include "sim/net/fabric/fabric.h"
#include "sim/net/fabric/pcie.h"

struct tree {
    struct dts_pcie pcie;
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct tree, pcie), .type = DTS_OBJECT, .fields = dts_pcie_fields,
     .help = "the PCIe tree"},
    {0},
};

static bool prepare(void *self, int devices, int nics, const struct dts_cfg *at,
                    struct dts_error *err)
{
    struct dts_cfg pcie = dts_cfg_member(at, "pcie");
    return dts_pcie_prepare(self, devices, nics, &pcie, err);
}

static int links(const void *self)
{
    return dts_pcie_links(self);
}

static double capacity(const void *self, int link)
{
    return dts_pcie_capacity(self, link);
}

static void link_name(const void *self, int link, char *name, size_t room)
{
    dts_pcie_link_name(self, link, name, room);
}

static int places(const void *self)
{
    return dts_pcie_places(self);
}

static int place_of(const void *self, int port)
{
    (void)self;
    return port;
}

static void inner_name(const void *self, int place, char *name, size_t room)
{
    dts_pcie_inner_name(self, place, name, room);
}

static void ends(const void *self, int link, int *from, int *to)
{
    dts_pcie_ends(self, link, from, to);
}

static int route(const void *self, int from, int to, bool staged, int *links)
{
    return dts_pcie_route(self, from, to, staged, links);
}

static double latency(const void *self, int from, int to, bool staged)
{
    return dts_pcie_latency(self, from, to, staged);
}

static int nic_of(const void *self, int device)
{
    return dts_pcie_nic_of(self, device);
}

const struct dts_fabric dts_fabric_pcie = {
    .name = "pcie",
    .summary = "a PCIe tree with one or two sockets",
    .fields = fields,
    .size = sizeof(struct tree),
    .prepare = prepare,
    .links = links,
    .capacity = capacity,
    .link_name = link_name,
    .places = places,
    .place_of = place_of,
    .ends = ends,
    .inner_name = inner_name,
    .route = route,
    .latency = latency,
    .nic_of = nic_of,
};
