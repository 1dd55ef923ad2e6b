/* none.c -- a node with one device that is the host itself: Xeon Phi 7230, Blue Gene/Q.
 *
 * The NICs are on the device. Between the device and the host (a parameter server on the same
 * node) data is copied in memory, so the two ways share what the memory can copy.
 */
#include "sim/net/fabric/fabric.h"

#include <stdio.h>

struct none {
    double copy_bytes_per_s;
    double copy_latency_us;
};

enum { HOST = 1 }; // port; 0 is the device, the NICs follow

static const struct dts_field fields[] = {
    {DTS_KEY(struct none, copy_bytes_per_s), .type = DTS_REAL, .min = 1e6, .max = 1e15,
     .help = "copies between processes on the node, in memory"},
    {DTS_KEY(struct none, copy_latency_us), .type = DTS_REAL, .min = 0, .max = 1e6,
     .help = "of such a copy, in us"},
    {0},
};

static bool prepare(void *self, int devices, int nics, const struct dts_cfg *at,
                    struct dts_error *err)
{
    (void)self, (void)nics;
    if (devices != 1)
        return dts_cfg_fail(at, "kind", err, "\"none\" needs 1 device on a node, got %d",
                            devices);
    return true;
}

static int links(const void *self)
{
    (void)self;
    return 1;
}

static double capacity(const void *self, int link)
{
    (void)link;
    return ((const struct none *)self)->copy_bytes_per_s;
}

static void link_name(const void *self, int link, char *name, size_t room)
{
    (void)self, (void)link;
    snprintf(name, room, "memory");
}

static int places(const void *self)
{
    (void)self;
    return 1;
}

static int place_of(const void *self, int port)
{
    (void)self, (void)port;
    return 0; // device, host and NICs are one
}

static void ends(const void *self, int link, int *from, int *to)
{
    (void)self, (void)link;
    *from = *to = 0;
}

static int route(const void *self, int from, int to, bool staged, int *links)
{
    (void)self, (void)staged;
    if (from == to || from > HOST || to > HOST)
        return 0;
    links[0] = 0;
    return 1;
}

static double latency(const void *self, int from, int to, bool staged)
{
    int links[1];
    return route(self, from, to, staged, links) * ((const struct none *)self)->copy_latency_us *
           1e-6;
}

static int nic_of(const void *self, int device)
{
    (void)self;
    return device;
}

const struct dts_fabric dts_fabric_none = {
    .name = "none",
    .summary = "one device that is the host",
    .fields = fields,
    .size = sizeof(struct none),
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
