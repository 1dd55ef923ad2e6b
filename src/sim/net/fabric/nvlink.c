/* nvlink.c -- NVLinks above a PCIe tree: which of the two a link, a place or a way belongs to.
 */
#include "sim/net/fabric/nvlink.h"

#include "sim/net/fabric/fabric.h"

bool dts_nvlink_prepare(struct dts_nvlink *net, const struct dts_nvlink_mesh *mesh, int devices,
                        int nics, const struct dts_cfg *at, struct dts_error *err)
{
    struct dts_cfg pcie = dts_cfg_member(at, "pcie");
    net->devices = devices;
    net->mesh = mesh;
    return dts_pcie_prepare(&net->pcie, devices, nics, &pcie, err);
}

int dts_nvlink_place(const struct dts_nvlink *net)
{
    return dts_pcie_places(&net->pcie);
}

int dts_nvlink_links(const void *self)
{
    const struct dts_nvlink *net = self;
    return net->mesh->links(net) + dts_pcie_links(&net->pcie);
}

double dts_nvlink_capacity(const void *self, int link)
{
    const struct dts_nvlink *net = self;
    const int nvlinks = net->mesh->links(net);
    return link < nvlinks ? net->mesh->capacity(net, link)
                          : dts_pcie_capacity(&net->pcie, link - nvlinks);
}

void dts_nvlink_link_name(const void *self, int link, char *name, size_t room)
{
    const struct dts_nvlink *net = self;
    const int nvlinks = net->mesh->links(net);
    if (link < nvlinks)
        net->mesh->name(net, link, name, room);
    else
        dts_pcie_link_name(&net->pcie, link - nvlinks, name, room);
}

int dts_nvlink_places(const void *self)
{
    const struct dts_nvlink *net = self;
    return dts_nvlink_place(net) + net->mesh->places;
}

int dts_nvlink_place_of(const void *self, int port)
{
    const struct dts_nvlink *net = self;
    return port < net->devices && net->mesh->slot != NULL ? net->mesh->slot(net, port) : port;
}

void dts_nvlink_inner_name(const void *self, int place, char *name, size_t room)
{
    const struct dts_nvlink *net = self;
    if (place >= dts_nvlink_place(net))
        snprintf(name, room, "NVSwitch");
    else
        dts_pcie_inner_name(&net->pcie, place, name, room);
}

void dts_nvlink_ends(const void *self, int link, int *from, int *to)
{
    const struct dts_nvlink *net = self;
    const int nvlinks = net->mesh->links(net);
    if (link >= nvlinks) {
        dts_pcie_ends(&net->pcie, link - nvlinks, from, to);
        return;
    }
    net->mesh->ends(net, link, from, to);
    *from = dts_nvlink_place_of(net, *from);
    *to = dts_nvlink_place_of(net, *to);
}

/* Links of the way by NVLink; 0: there is none. */
static int route(const struct dts_nvlink *net, int from, int to, int *links)
{
    if (from == to || from >= net->devices || to >= net->devices)
        return 0;
    return net->mesh->route(net, from, to, links);
}

int dts_nvlink_route(const void *self, int from, int to, bool staged, int *links)
{
    const struct dts_nvlink *net = self;
    int count = route(net, from, to, links);
    if (count > 0)
        return count;
    count = dts_pcie_route(&net->pcie, dts_nvlink_place_of(net, from),
                           dts_nvlink_place_of(net, to), staged, links);
    for (int i = 0; i < count; i++)
        links[i] += net->mesh->links(net);
    return count;
}

double dts_nvlink_latency(const void *self, int from, int to, bool staged)
{
    const struct dts_nvlink *net = self;
    int links[DTS_MAX_FABRIC_ROUTE];
    const int count = route(net, from, to, links);
    if (count > 0)
        return count / net->mesh->links_per_hop * net->nvlink_latency_us * 1e-6;
    return dts_pcie_latency(&net->pcie, dts_nvlink_place_of(net, from),
                            dts_nvlink_place_of(net, to), staged);
}

int dts_nvlink_nic_of(const void *self, int device)
{
    const struct dts_nvlink *net = self;
    return dts_pcie_nic_of(&net->pcie, dts_nvlink_place_of(net, device));
}

bool dts_nvlink_nics_near(const void *self)
{
    return dts_pcie_nics_near(&((const struct dts_nvlink *)self)->pcie);
}
