/* fabric_nvlink_cube.c -- eight GPUs in a hybrid cube mesh: DGX-1, Big Basin, p3.16xlarge.
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
 * Links: 4 d + slot; slots 0 to 2 are the others of the quad in order, slot 3 is the partner.
 * Behind them the PCIe tree.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/fabric.h"
#include "sim/pcie.h"

enum { GPUS = 8, SLOTS = 4, NVLINKS = GPUS * SLOTS };

struct cube {
    int links_per_device;
    double nvlink_bytes_per_s, nvlink_latency_us;
    const char *indirect;
    struct dts_pcie pcie;
    bool forward; // by prepare
};

static const char *const indirect_names[] = {"pcie", "forward", NULL};

static const char *indirect_name(int i)
{
    return indirect_names[i];
}

static const struct dts_field fields[] = {
    {DTS_KEY(struct cube, links_per_device), .type = DTS_INT, .min = 4, .max = 6,
     .help = "NVLinks of a GPU: 4 (P100) or 6 (V100)"},
    {DTS_KEY(struct cube, nvlink_bytes_per_s), .type = DTS_REAL, .min = 1e6, .max = 1e15,
     .help = "of one NVLink, each way"},
    {DTS_KEY(struct cube, nvlink_latency_us), .type = DTS_REAL, .min = 0, .max = 1e6,
     .help = "of one NVLink, in us"},
    {DTS_KEY(struct cube, indirect), .type = DTS_STRING, .missing = "\"pcie\"",
     .choice = indirect_name, .help = "how GPUs without a direct link exchange data"},
    {DTS_KEY(struct cube, pcie), .type = DTS_OBJECT, .fields = dts_pcie_fields,
     .help = "the PCIe tree to the NICs and the host"},
    {0},
};

static bool prepare(void *self, int devices, int nics, const struct dts_cfg *at,
                    struct dts_error *err)
{
    struct cube *cube = self;
    struct dts_cfg pcie = dts_cfg_member(at, "pcie");
    if (devices != GPUS)
        return dts_cfg_fail(at, "kind", err,
                            "\"nvlink_cube\" needs 8 devices on a node, got %d", devices);
    if (cube->links_per_device == 5)
        return dts_cfg_fail(at, "links_per_device", err, "must be 4 or 6, got 5");
    cube->forward = strcmp(cube->indirect, "forward") == 0;
    return dts_pcie_prepare(&cube->pcie, devices, nics, &pcie, err);
}

/* Where a GPU sits on PCIe: NVIDIA's number, by which pairs share a switch. */
static int slot_on_pcie(const struct cube *cube, int port)
{
    static const int single[GPUS] = {0, 1, 2, 3, 7, 6, 5, 4};
    static const int doubled[GPUS] = {0, 3, 2, 1, 5, 6, 7, 4};
    if (port >= GPUS)
        return port;
    return cube->links_per_device == 6 ? doubled[port] : single[port];
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

static int links(const void *self)
{
    return NVLINKS + dts_pcie_links(&((const struct cube *)self)->pcie);
}

static double capacity(const void *self, int link)
{
    const struct cube *cube = self;
    if (link >= NVLINKS)
        return dts_pcie_capacity(&cube->pcie, link - NVLINKS);
    int from = link / SLOTS, distance = abs(from - peer_at(from, link % SLOTS));
    bool doubled = cube->links_per_device == 6 && (distance == 1 || distance == GPUS - 1);
    return cube->nvlink_bytes_per_s * (doubled ? 2 : 1);
}

static void link_name(const void *self, int link, char *name, size_t room)
{
    const struct cube *cube = self;
    if (link >= NVLINKS)
        dts_pcie_link_name(&cube->pcie, link - NVLINKS, name, room);
    else
        snprintf(name, room, "nvlink%d-%d", link / SLOTS, peer_at(link / SLOTS, link % SLOTS));
}

static int places(const void *self)
{
    return dts_pcie_places(&((const struct cube *)self)->pcie);
}

static int place_of(const void *self, int port)
{
    return slot_on_pcie(self, port);
}

static void ends(const void *self, int link, int *from, int *to)
{
    const struct cube *cube = self;
    if (link >= NVLINKS) {
        dts_pcie_ends(&cube->pcie, link - NVLINKS, from, to);
        return;
    }
    *from = slot_on_pcie(cube, link / SLOTS);
    *to = slot_on_pcie(cube, peer_at(link / SLOTS, link % SLOTS));
}

/* NVLinks from GPU to GPU; 0: there are none, by PCIe. */
static int route_nvlink(const struct cube *cube, int from, int to, int *links)
{
    if (from >= GPUS || to >= GPUS || from == to)
        return 0;
    if (direct(from, to)) {
        links[0] = nvlink(from, to);
        return 1;
    }
    if (!cube->forward)
        return 0;
    int middle = (from + to) % 2 == 0 ? partner(from) : partner(to);
    links[0] = nvlink(from, middle);
    links[1] = nvlink(middle, to);
    return 2;
}

static int route(const void *self, int from, int to, bool staged, int *links)
{
    const struct cube *cube = self;
    int count = route_nvlink(cube, from, to, links);
    if (count > 0)
        return count;
    count = dts_pcie_route(&cube->pcie, slot_on_pcie(cube, from), slot_on_pcie(cube, to),
                           staged, links);
    for (int i = 0; i < count; i++)
        links[i] += NVLINKS;
    return count;
}

static double latency(const void *self, int from, int to, bool staged)
{
    const struct cube *cube = self;
    int links[DTS_MAX_FABRIC_ROUTE];
    int count = route_nvlink(cube, from, to, links);
    if (count > 0)
        return count * cube->nvlink_latency_us * 1e-6;
    return dts_pcie_latency(&cube->pcie, slot_on_pcie(cube, from), slot_on_pcie(cube, to),
                            staged);
}

static int nic_of(const void *self, int device)
{
    const struct cube *cube = self;
    return dts_pcie_nic_of(&cube->pcie, slot_on_pcie(cube, device));
}

const struct dts_fabric dts_fabric_nvlink_cube = {
    .name = "nvlink_cube",
    .summary = "eight GPUs in the hybrid cube mesh of DGX-1 and Big Basin",
    .fields = fields,
    .size = sizeof(struct cube),
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
