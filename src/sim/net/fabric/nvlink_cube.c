/* nvlink_cube.c -- eight GPUs in a hybrid cube mesh: DGX-1, Big Basin, p3.16xlarge.
 *
 * Two quads, each all-to-all, and a link between each GPU and its partner in the other quad.
 * P100 has 4 NVLinks and all connections are single. V100 has 6; the two more double those of
 * one ring through all GPUs (NVIDIA DGX-1 white paper WP-08437-002; `nvidia-smi topo -m`).
 *
 * Our numbers go along that ring, so that neighbours 0-1-2-...-7-0 are always direct:
 *
 *     0 === 1 === 2 === 3      === doubled with 6 links; in a quad also 0-2, 1-3, 0-3
 *    ||     |     |    ||      partners are k and 7 - k
 *     7 === 6 === 5 === 4      NVIDIA's number of ours, 4 links: 0 1 2 3 7 6 5 4
 *                                                       6 links: 0 3 2 1 5 6 7 4
 *
 * GPUs without a connection: by PCIe, as CUDA copies between them, or forwarded by a partner.
 * NVLinks: 4 d + slot; slots 0 to 2 are the others of the quad in order, slot 3 is the partner.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/net/fabric/fabric.h"
#include "sim/net/fabric/nvlink.h"

enum { GPUS = 8, SLOTS = 4 };

struct cube {
    struct dts_nvlink net; // first
    int links_per_device;
    const char *indirect;
    bool forward; // by prepare
};

static const char *const indirect_names[] = {
    "pcie",
    "forward",
    NULL,
};

static const char *indirect_name(int i)
{
    return indirect_names[i];
}

static const struct dts_field fields[] = {
    {DTS_KEY(struct cube, links_per_device), .type = DTS_INT, .min = 4, .max = 6,
     .help = "NVLinks of a GPU: 4 (P100) or 6 (V100)"},
    {DTS_KEY(struct dts_nvlink, nvlink_bytes_per_s), .type = DTS_REAL, .min = 1e6, .max = 1e15,
     .help = "of one NVLink, each way"},
    {DTS_KEY(struct dts_nvlink, nvlink_latency_us), .type = DTS_REAL, .min = 0, .max = 1e6,
     .help = "of one NVLink, in us"},
    {DTS_KEY(struct cube, indirect), .type = DTS_STRING, .missing = "\"pcie\"",
     .choice = indirect_name, .help = "how GPUs without a direct link exchange data"},
    {DTS_KEY(struct dts_nvlink, pcie), .type = DTS_OBJECT, .fields = dts_pcie_fields,
     .help = "the PCIe tree to the NICs and the host"},
    {0},
};

/* NVIDIA's number, by which pairs share a switch. */
static int slot_on_pcie(const struct dts_nvlink *net, int gpu)
{
    static const int single[GPUS] = {0, 1, 2, 3, 7, 6, 5, 4};
    static const int doubled[GPUS] = {0, 3, 2, 1, 5, 6, 7, 4};
    return ((const struct cube *)net)->links_per_device == 6 ? doubled[gpu] : single[gpu];
}

static int partner(int gpu)
{
    return GPUS - 1 - gpu;
}

static int slot_of(int from, int to)
{
    if (to == partner(from))
        return 3;
    int mine = from % 4, other = to % 4;
    return other < mine ? other : other - 1;
}

static int peer_at(int from, int slot)
{
    if (slot == 3)
        return partner(from);
    return from / 4 * 4 + (slot < from % 4 ? slot : slot + 1);
}

static bool direct(int from, int to)
{
    return from / 4 == to / 4 || to == partner(from);
}

static int nvlink(int from, int to)
{
    return SLOTS * from + slot_of(from, to);
}

static int links(const struct dts_nvlink *net)
{
    (void)net;
    return GPUS * SLOTS;
}

static double capacity(const struct dts_nvlink *net, int link)
{
    const int from = link / SLOTS, distance = abs(from - peer_at(from, link % SLOTS));
    const bool doubled = ((const struct cube *)net)->links_per_device == 6 &&
                         (distance == 1 || distance == GPUS - 1);
    return net->nvlink_bytes_per_s * (doubled ? 2 : 1);
}

static void ends(const struct dts_nvlink *net, int link, int *from, int *to)
{
    (void)net;
    *from = link / SLOTS;
    *to = peer_at(link / SLOTS, link % SLOTS);
}

static void name(const struct dts_nvlink *net, int link, char *name, size_t room)
{
    int from, to;
    ends(net, link, &from, &to);
    snprintf(name, room, "nvlink%d-%d", from, to);
}

static int route(const struct dts_nvlink *net, int from, int to, int *links)
{
    if (direct(from, to)) {
        links[0] = nvlink(from, to);
        return 1;
    }
    if (!((const struct cube *)net)->forward)
        return 0;
    int middle = (from + to) % 2 == 0 ? partner(from) : partner(to);
    links[0] = nvlink(from, middle);
    links[1] = nvlink(middle, to);
    return 2;
}

static const struct dts_nvlink_mesh mesh = {
    .links = links,
    .capacity = capacity,
    .name = name,
    .ends = ends,
    .route = route,
    .slot = slot_on_pcie,
    .links_per_hop = 1,
};

static bool prepare(void *self, int devices, int nics, const struct dts_cfg *at,
                    struct dts_error *err)
{
    struct cube *cube = self;
    if (devices != GPUS)
        return dts_cfg_fail(at, "kind", err,
                            "\"nvlink_cube\" needs 8 devices on a node, got %d", devices);
    if (cube->links_per_device == 5)
        return dts_cfg_fail(at, "links_per_device", err, "must be 4 or 6, got 5");
    cube->forward = strcmp(cube->indirect, "forward") == 0;
    return dts_nvlink_prepare(&cube->net, &mesh, devices, nics, at, err);
}

static int lanes(const void *self, int from, int to)
{
    const struct dts_nvlink *net = self;
    if (from == to || !direct(from, to))
        return 0;
    return capacity(net, nvlink(from, to)) > net->nvlink_bytes_per_s ? 2 : 1;
}

static int nvlinks(const void *self)
{
    return ((const struct cube *)self)->links_per_device;
}

const struct dts_fabric dts_fabric_nvlink_cube = {
    .name = "nvlink_cube",
    .summary = "eight GPUs in the hybrid cube mesh of DGX-1 and Big Basin",
    .fields = fields,
    .size = sizeof(struct cube),
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
