/* sockets.c -- GPUs with NVLink to their CPU and to each other: Summit, Sierra.
 *
 *      g0 -- g1 -- g2 (all pairs)        g3 -- g4 -- g5
 *        \   |   /                         \   |   /
 *      memory - CPU 0 ------ X-bus ------ CPU 1 - memory
 *                 |                         |
 *               NIC 0                     NIC 1
 *
 * Between sockets, and to memory and NICs, data passes through the CPU. Links: those between
 * GPUs of a socket, (GPUs of a socket - 1) d + peer; then pairs, where 2 p leads to the CPU and
 * 2 p + 1 away from it: GPUs, NICs, memories; then from socket to socket, all pairs in order.
 * Places: the ports, then the CPUs.
 */
#include <stdio.h>

#include "sim/net/fabric/fabric.h"

struct sockets {
    int sockets;
    double gpu_bytes_per_s, cpu_bytes_per_s, socket_bytes_per_s, nic_bytes_per_s,
        memory_bytes_per_s;
    double gpu_latency_us, cpu_latency_us;
    int devices, each, nics; // by prepare; each: devices of a socket
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct sockets, sockets), .type = DTS_INT, .min = 1, .max = 16, .help = "CPUs"},
    {DTS_KEY(struct sockets, gpu_bytes_per_s), .type = DTS_REAL, .min = 1e6, .max = 1e15,
     .help = "between two GPUs of a socket, each way"},
    {DTS_KEY(struct sockets, cpu_bytes_per_s), .type = DTS_REAL, .min = 1e6, .max = 1e15,
     .help = "between a GPU and its CPU, each way"},
    {DTS_KEY(struct sockets, socket_bytes_per_s), .type = DTS_REAL, .min = 1e6, .max = 1e15,
     .help = "between two CPUs, each way"},
    {DTS_KEY(struct sockets, nic_bytes_per_s), .type = DTS_REAL, .min = 1e6, .max = 1e15,
     .help = "between a CPU and a NIC (PCIe), each way"},
    {DTS_KEY(struct sockets, memory_bytes_per_s), .type = DTS_REAL, .min = 1e6, .max = 1e15,
     .help = "memory of one CPU, each way"},
    {DTS_KEY(struct sockets, gpu_latency_us), .type = DTS_REAL, .min = 0, .max = 1e6,
     .help = "from GPU to GPU of a socket, in us"},
    {DTS_KEY(struct sockets, cpu_latency_us), .type = DTS_REAL, .min = 0, .max = 1e6,
     .help = "of each link to or from a CPU, in us"},
    {0},
};

static bool prepare(void *self, int devices, int nics, const struct dts_cfg *at,
                    struct dts_error *err)
{
    struct sockets *node = self;
    if (devices % node->sockets != 0)
        return dts_cfg_fail(at, "sockets", err, "must divide the %d devices of a node, got %d",
                            devices, node->sockets);
    node->devices = devices;
    node->each = devices / node->sockets;
    node->nics = nics;
    return true;
}

static int gpu_links(const struct sockets *node)
{
    return node->devices * (node->each - 1);
}

/* Pairs of links between a CPU and what is around it. */
static int pairs(const struct sockets *node)
{
    return node->devices + node->nics + node->sockets;
}

static int first_socket_link(const struct sockets *node)
{
    return gpu_links(node) + 2 * pairs(node);
}

static int links(const void *self)
{
    const struct sockets *node = self;
    return first_socket_link(node) + node->sockets * (node->sockets - 1);
}

static double capacity(const void *self, int link)
{
    const struct sockets *node = self;
    int pair = (link - gpu_links(node)) / 2;
    if (link < gpu_links(node))
        return node->gpu_bytes_per_s;
    if (link >= first_socket_link(node))
        return node->socket_bytes_per_s;
    if (pair < node->devices)
        return node->cpu_bytes_per_s;
    return pair < node->devices + node->nics ? node->nic_bytes_per_s : node->memory_bytes_per_s;
}

/* The socket of a pair, and so of a device, a NIC, a memory. */
static int socket_of_pair(const struct sockets *node, int pair)
{
    if (pair < node->devices)
        return pair / node->each;
    if (pair < node->devices + node->nics)
        return (pair - node->devices) * node->sockets / node->nics;
    return pair - node->devices - node->nics;
}

static int place_of_pair(const struct sockets *node, int pair)
{
    if (pair < node->devices)
        return pair;
    return pair < node->devices + node->nics ? pair + 1 : node->devices; // memory is the host
}

static int cpu_place(const struct sockets *node, int socket)
{
    return node->devices + 1 + node->nics + socket;
}

static int places(const void *self)
{
    const struct sockets *node = self;
    return cpu_place(node, node->sockets);
}

static int place_of(const void *self, int port)
{
    (void)self;
    return port;
}

static void inner_name(const void *self, int place, char *name, size_t room)
{
    snprintf(name, room, "socket %d", place - cpu_place(self, 0));
}

static void ends(const void *self, int link, int *from, int *to)
{
    const struct sockets *node = self;
    if (link < gpu_links(node)) {
        int rank = link % (node->each - 1), own;
        *from = link / (node->each - 1);
        own = *from % node->each;
        *to = *from - own + (rank < own ? rank : rank + 1);
    } else if (link < first_socket_link(node)) {
        int pair = (link - gpu_links(node)) / 2;
        bool inwards = (link - gpu_links(node)) % 2 == 0;
        int cpu = cpu_place(node, socket_of_pair(node, pair));
        *from = inwards ? place_of_pair(node, pair) : cpu;
        *to = inwards ? cpu : place_of_pair(node, pair);
    } else {
        int number = link - first_socket_link(node), others = node->sockets - 1;
        int socket = number / others, rank = number % others;
        *from = cpu_place(node, socket);
        *to = cpu_place(node, rank < socket ? rank : rank + 1);
    }
}

static void link_name(const void *self, int link, char *name, size_t room)
{
    const struct sockets *node = self;
    int from, to;
    ends(self, link, &from, &to);
    int pair = (link - gpu_links(node)) / 2;
    const char *way = (link - gpu_links(node)) % 2 == 0 ? "in" : "out";
    if (link < gpu_links(node))
        snprintf(name, room, "nvlink%d-%d", from, to);
    else if (link >= first_socket_link(node))
        snprintf(name, room, "socket%d-%d", from - cpu_place(node, 0), to - cpu_place(node, 0));
    else if (pair < node->devices)
        snprintf(name, room, "cpu.device%d.%s", pair, way);
    else if (pair < node->devices + node->nics)
        snprintf(name, room, "cpu.nic%d.%s", pair - node->devices, way);
    else
        snprintf(name, room, "memory%d.%s", pair - node->devices - node->nics, way);
}

/* The pair of a port; the host's memory is that of the given socket. */
static int pair_of(const struct sockets *node, int port, int socket)
{
    if (port < node->devices)
        return port;
    return port > node->devices ? port - 1 : node->devices + node->nics + socket;
}

static int through_cpus(const struct sockets *node, int from, int to, int *links)
{
    int near = from == node->devices ? socket_of_pair(node, pair_of(node, to, 0))
                                     : socket_of_pair(node, pair_of(node, from, 0));
    int far = to == node->devices ? near : socket_of_pair(node, pair_of(node, to, 0));
    int count = 0;
    links[count++] = gpu_links(node) + 2 * pair_of(node, from, near);
    if (near != far)
        links[count++] =
            first_socket_link(node) + near * (node->sockets - 1) + (far < near ? far : far - 1);
    links[count++] = gpu_links(node) + 2 * pair_of(node, to, far) + 1;
    return count;
}

static bool linked(const struct sockets *node, int from, int to)
{
    return from < node->devices && to < node->devices && from / node->each == to / node->each;
}

static int route(const void *self, int from, int to, bool staged, int *links)
{
    const struct sockets *node = self;
    int host = node->devices;
    if (from == to)
        return 0;
    if (linked(node, from, to)) {
        int own = from % node->each, other = to % node->each;
        links[0] = from * (node->each - 1) + (other < own ? other : other - 1);
        return 1;
    }
    if (staged && from != host && to != host && (from > host) != (to > host)) {
        int count = through_cpus(node, from, host, links);
        return count + through_cpus(node, host, to, links + count);
    }
    return through_cpus(node, from, to, links);
}

static double latency(const void *self, int from, int to, bool staged)
{
    const struct sockets *node = self;
    int links[DTS_MAX_FABRIC_ROUTE];
    if (from != to && linked(node, from, to))
        return node->gpu_latency_us * 1e-6;
    return route(self, from, to, staged, links) * node->cpu_latency_us * 1e-6;
}

static int nic_of(const void *self, int device)
{
    const struct sockets *node = self;
    return device * node->nics / node->devices;
}

/* Those between the GPUs of a socket, and to the CPU, through which all others are reached. */
static int nvlinks(const void *self)
{
    static const double link_bytes_per_s = 25e9; // NVLink of V100, each way
    const struct sockets *node = self;
    const double sum = node->gpu_bytes_per_s * (node->each - 1) + node->cpu_bytes_per_s;
    return (int)(sum / link_bytes_per_s + 0.5);
}

const struct dts_fabric dts_fabric_sockets = {
    .name = "sockets",
    .summary = "GPUs on NVLink with their CPU, CPUs on a bus: Summit",
    .fields = fields,
    .size = sizeof(struct sockets),
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
    .nvlinks = nvlinks,
};
