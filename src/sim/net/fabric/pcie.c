/* pcie.c -- the PCIe tree of a node, as formulas.
 *
 * Cables are pairs of links: link 2 p leads towards the host's memory, 2 p + 1 away from it.
 * Pairs in order: devices, NICs, switches (their uplinks), sockets (their memory), and between
 * two sockets one pair more, where 2 p leads from socket 0 to socket 1.
 */
#include "sim/net/fabric/pcie.h"

#include <stdio.h>

#include "sim/net/fabric/fabric.h"

const struct dts_field dts_pcie_fields[] = {
    {DTS_KEY(struct dts_pcie, sockets), .type = DTS_INT, .min = 1, .max = 2,
     .help = "CPUs that devices are connected to"},
    {DTS_KEY(struct dts_pcie, switches), .type = DTS_INT, .min = 0, .max = 64, .missing = "0",
     .help = "PCIe switches, evenly over the sockets; 0: devices are on the sockets"},
    {DTS_KEY(struct dts_pcie, device_bytes_per_s), .type = DTS_REAL, .min = 1e6, .max = 1e15,
     .help = "between a device or NIC and PCIe, each way"},
    {DTS_KEY(struct dts_pcie, uplink_bytes_per_s), .type = DTS_REAL, .min = 1e6, .max = 1e15,
     .missing = "null",
     .help = "between a switch and its socket, each way; default: device_bytes_per_s"},
    {DTS_KEY(struct dts_pcie, socket_bytes_per_s), .type = DTS_REAL, .min = 1e6, .max = 1e15,
     .missing = "null", .help = "between two sockets, each way; default: device_bytes_per_s"},
    {DTS_KEY(struct dts_pcie, memory_bytes_per_s), .type = DTS_REAL, .min = 1e6, .max = 1e15,
     .help = "host memory of one socket, each way"},
    {DTS_KEY(struct dts_pcie, hop_latency_us), .type = DTS_REAL, .min = 0, .max = 1e6,
     .help = "of each PCIe link on the way, in us"},
    {DTS_KEY(struct dts_pcie, nics_on_switches), .type = DTS_BOOL, .missing = "false",
     .help = "NICs share the switches with the devices; false: they are on the sockets"},
    {0},
};

bool dts_pcie_prepare(struct dts_pcie *pcie, int devices, int nics, const struct dts_cfg *at,
                      struct dts_error *err)
{
    pcie->devices = devices;
    pcie->nics = nics;
    if (pcie->uplink_bytes_per_s == 0)
        pcie->uplink_bytes_per_s = pcie->device_bytes_per_s;
    if (pcie->socket_bytes_per_s == 0)
        pcie->socket_bytes_per_s = pcie->device_bytes_per_s;
    if (pcie->switches % pcie->sockets != 0)
        return dts_cfg_fail(at, "switches", err, "must be a multiple of the %d sockets, got %d",
                            pcie->sockets, pcie->switches);
    if (pcie->nics_on_switches && pcie->switches == 0)
        return dts_cfg_fail(at, "nics_on_switches", err, "must be false where switches is 0");
    return true;
}

static int host_port(const struct dts_pcie *pcie)
{
    return pcie->devices;
}

/* The switch that a device or NIC is on; -1: it is on the socket. */
static int switch_of(const struct dts_pcie *pcie, int port)
{
    if (port < pcie->devices)
        return pcie->switches > 0 ? port * pcie->switches / pcie->devices : -1;
    int nic = port - pcie->devices - 1;
    return pcie->nics_on_switches ? nic * pcie->switches / pcie->nics : -1;
}

static int socket_of(const struct dts_pcie *pcie, int port)
{
    int at = switch_of(pcie, port);
    if (at >= 0)
        return at * pcie->sockets / pcie->switches;
    if (port < pcie->devices)
        return port * pcie->sockets / pcie->devices;
    return (port - pcie->devices - 1) * pcie->sockets / pcie->nics;
}

/* Numbers of pairs. */
static int pair_of_port(const struct dts_pcie *pcie, int port)
{
    return port < pcie->devices ? port : port - 1;
}

static int first_switch_pair(const struct dts_pcie *pcie)
{
    return pcie->devices + pcie->nics;
}

static int first_memory_pair(const struct dts_pcie *pcie)
{
    return first_switch_pair(pcie) + pcie->switches;
}

static int socket_pair(const struct dts_pcie *pcie)
{
    return first_memory_pair(pcie) + pcie->sockets;
}

int dts_pcie_links(const struct dts_pcie *pcie)
{
    return 2 * (socket_pair(pcie) + pcie->sockets - 1);
}

double dts_pcie_capacity(const struct dts_pcie *pcie, int link)
{
    int pair = link / 2;
    if (pair < first_switch_pair(pcie))
        return pcie->device_bytes_per_s;
    if (pair < first_memory_pair(pcie))
        return pcie->uplink_bytes_per_s;
    if (pair < socket_pair(pcie))
        return pcie->memory_bytes_per_s;
    return pcie->socket_bytes_per_s;
}

void dts_pcie_link_name(const struct dts_pcie *pcie, int link, char *name, size_t room)
{
    int pair = link / 2;
    const char *way = link % 2 == 0 ? "up" : "down";
    if (pair < pcie->devices)
        snprintf(name, room, "pcie.device%d.%s", pair, way);
    else if (pair < first_switch_pair(pcie))
        snprintf(name, room, "pcie.nic%d.%s", pair - pcie->devices, way);
    else if (pair < first_memory_pair(pcie))
        snprintf(name, room, "pcie.switch%d.%s", pair - first_switch_pair(pcie), way);
    else if (pair < socket_pair(pcie))
        snprintf(name, room, "memory%d.%s", pair - first_memory_pair(pcie), way);
    else
        snprintf(name, room, "sockets.%s", way);
}

int dts_pcie_places(const struct dts_pcie *pcie)
{
    return pcie->devices + 1 + pcie->nics + pcie->switches + pcie->sockets;
}

static int place_of_switch(const struct dts_pcie *pcie, int number)
{
    return pcie->devices + 1 + pcie->nics + number;
}

static int place_of_socket(const struct dts_pcie *pcie, int number)
{
    return place_of_switch(pcie, pcie->switches) + number;
}

void dts_pcie_inner_name(const struct dts_pcie *pcie, int place, char *name, size_t room)
{
    const int sockets = place_of_socket(pcie, 0);
    if (place < sockets)
        snprintf(name, room, "PCIe switch %d", place - place_of_switch(pcie, 0));
    else
        snprintf(name, room, "socket %d", place - sockets);
}

/* The upper and the lower end of a pair. */
static void pair_ends(const struct dts_pcie *pcie, int pair, int *lower, int *upper)
{
    if (pair < first_switch_pair(pcie)) {
        *lower = pair < pcie->devices ? pair : pair + 1;
        int at = switch_of(pcie, *lower);
        *upper = at >= 0 ? place_of_switch(pcie, at)
                         : place_of_socket(pcie, socket_of(pcie, *lower));
    } else if (pair < first_memory_pair(pcie)) {
        int number = pair - first_switch_pair(pcie);
        *lower = place_of_switch(pcie, number);
        *upper = place_of_socket(pcie, number * pcie->sockets / pcie->switches);
    } else if (pair < socket_pair(pcie)) {
        *lower = place_of_socket(pcie, pair - first_memory_pair(pcie));
        *upper = host_port(pcie);
    } else {
        *lower = place_of_socket(pcie, 0);
        *upper = place_of_socket(pcie, 1);
    }
}

void dts_pcie_ends(const struct dts_pcie *pcie, int link, int *from, int *to)
{
    bool up = link % 2 == 0;
    pair_ends(pcie, link / 2, up ? from : to, up ? to : from);
}

/* From a port to its socket (way 0), or from there to it (way 1). */
static int branch(const struct dts_pcie *pcie, int port, int way, int *links)
{
    int at = switch_of(pcie, port);
    int count = 0;
    links[count++] = 2 * pair_of_port(pcie, port) + way;
    if (at >= 0)
        links[count++] = 2 * (first_switch_pair(pcie) + at) + way;
    if (way == 1 && count == 2) {
        int first = links[1];
        links[1] = links[0];
        links[0] = first;
    }
    return count;
}

/* Between the host's memory and a port: by the memory of the port's socket. */
static int route_host(const struct dts_pcie *pcie, int port, int way, int *links)
{
    int memory = 2 * (first_memory_pair(pcie) + socket_of(pcie, port)) + way;
    if (way == 1) {
        links[0] = memory;
        return 1 + branch(pcie, port, way, links + 1);
    }
    int count = branch(pcie, port, way, links);
    links[count] = memory;
    return count + 1;
}

int dts_pcie_route(const struct dts_pcie *pcie, int from, int to, bool staged, int *links)
{
    int host = host_port(pcie);
    if (from == to)
        return 0;
    if (from == host)
        return route_host(pcie, to, 1, links);
    if (to == host)
        return route_host(pcie, from, 0, links);
    if (staged && (from > host) != (to > host)) {
        int count = route_host(pcie, from, 0, links);
        return count + route_host(pcie, to, 1, links + count);
    }
    int at = switch_of(pcie, from);
    if (at >= 0 && at == switch_of(pcie, to)) {
        links[0] = 2 * pair_of_port(pcie, from);
        links[1] = 2 * pair_of_port(pcie, to) + 1;
        return 2;
    }
    int count = branch(pcie, from, 0, links);
    int source = socket_of(pcie, from), target = socket_of(pcie, to);
    if (source != target)
        links[count++] = 2 * socket_pair(pcie) + (source > target);
    return count + branch(pcie, to, 1, links + count);
}

double dts_pcie_latency(const struct dts_pcie *pcie, int from, int to, bool staged)
{
    int links[DTS_MAX_FABRIC_ROUTE];
    return dts_pcie_route(pcie, from, to, staged, links) * pcie->hop_latency_us * 1e-6;
}

int dts_pcie_nic_of(const struct dts_pcie *pcie, int device)
{
    return device * pcie->nics / pcie->devices;
}

bool dts_pcie_nics_near(const struct dts_pcie *pcie)
{
    return pcie->nics_on_switches && pcie->nics >= pcie->switches;
}
