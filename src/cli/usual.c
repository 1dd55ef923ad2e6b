/* usual.c -- usual values, by the ends of keys. */
#include "cli/usual.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LEAF_PORTS = 20,   // towards nodes, of a switch with 40 ports
    GROUP_ROUTERS = 8, // dragonfly: routers of a group ...
    ROUTER_NODES = 4,  // ... and their ports, as Aries has them
    MOST_GROUPS = 80,  // that so many routers connect with 10 optical ports each
    CABINET_ROWS = 6,  // Aries: a group of two cabinets, 6 chassis of 16 routers
    CABINET_COLUMNS = 16,
    LARGE_TORUS = 15000, // nodes
};

static int ceil_div(int a, int b)
{
    return (a + b - 1) / b;
}

static void nic_rate(const struct dts_shape *shape, char *text, size_t room)
{
    snprintf(text, room, "%.12g", shape->nic_bytes_per_s);
}

static void leaf_ports(const struct dts_shape *shape, char *text, size_t room)
{
    snprintf(text, room, "%d", shape->ports < LEAF_PORTS ? shape->ports : LEAF_PORTS);
}

/* A full fat tree of switches with 2 x LEAF_PORTS ports: one, two or three levels. */
static int levels(const struct dts_shape *shape)
{
    if (shape->ports <= 2 * LEAF_PORTS)
        return 1;
    return shape->ports <= 2 * LEAF_PORTS * LEAF_PORTS ? 2 : 3;
}

static void down(const struct dts_shape *shape, char *text, size_t room)
{
    int ports = shape->ports;
    if (levels(shape) == 1)
        snprintf(text, room, "[%d]", ports);
    else if (levels(shape) == 2)
        snprintf(text, room, "[%d, %d]", LEAF_PORTS, ceil_div(ports, LEAF_PORTS));
    else
        snprintf(text, room, "[%d, %d, %d]", LEAF_PORTS, LEAF_PORTS,
                 ceil_div(ports, LEAF_PORTS * LEAF_PORTS));
}

static void up(const struct dts_shape *shape, char *text, size_t room)
{
    if (levels(shape) == 1)
        snprintf(text, room, "[]");
    else if (levels(shape) == 2)
        snprintf(text, room, "[%d]", LEAF_PORTS);
    else
        snprintf(text, room, "[%d, %d]", LEAF_PORTS, LEAF_PORTS);
}

/* Three dimensions, or five for a large machine (Mira has five), as even as they get. */
static void dims(const struct dts_shape *shape, char *text, size_t room)
{
    int left = shape->ports;
    size_t used = 0;
    for (int more = left <= LARGE_TORUS ? 3 : 5; more > 0 && used < room; more--) {
        int size = (int)ceil(pow(left, 1.0 / more) - 1e-9);
        left = ceil_div(left, size);
        used += (size_t)snprintf(text + used, room - used, "%s%d%s", used == 0 ? "[" : ", ",
                                 size, more == 1 ? "]" : "");
    }
}

static bool small_groups(const struct dts_shape *shape)
{
    return shape->ports <= MOST_GROUPS * GROUP_ROUTERS * ROUTER_NODES;
}

static void rows(const struct dts_shape *shape, char *text, size_t room)
{
    snprintf(text, room, "%d", small_groups(shape) ? 1 : CABINET_ROWS);
}

static void columns(const struct dts_shape *shape, char *text, size_t room)
{
    snprintf(text, room, "%d", small_groups(shape) ? GROUP_ROUTERS : CABINET_COLUMNS);
}

static void groups(const struct dts_shape *shape, char *text, size_t room)
{
    int routers = small_groups(shape) ? GROUP_ROUTERS : CABINET_ROWS * CABINET_COLUMNS;
    int count = ceil_div(shape->ports, routers * ROUTER_NODES);
    snprintf(text, room, "%d", count > 1 ? count : 2);
}

/* The first row whose words a key ends with says what is usual. */
static const struct {
    const char *end, *value;
    void (*compute)(const struct dts_shape *shape, char *text, size_t room);
    bool always;
} usuals[] = {
    {"latency_us", "0.5", NULL, false},
    // nodes
    {"sockets", "2", NULL, false},
    {"links_per_device", "6", NULL, false}, // V100
    {"links_per_pair", "2", NULL, false},
    {"nvlink_bytes_per_s", "25e9", NULL, false}, // NVLink 2, one link, one direction
    {"gpu_bytes_per_s", "50e9", NULL, false},
    {"cpu_bytes_per_s", "50e9", NULL, false},
    {"socket_bytes_per_s", "20e9", NULL, false},
    {"nic_bytes_per_s", "12.8e9", NULL, false},    // PCIe 3 x16 less its headers
    {"device_bytes_per_s", "12.8e9", NULL, false}, // the same
    {"memory_bytes_per_s", "50e9", NULL, false},
    {"copy_bytes_per_s", "10e9", NULL, false},
    // networks
    {"uplink_bytes_per_s", NULL, nic_rate, false},
    {"lane_bytes_per_s", NULL, nic_rate, false},
    {"link_bytes_per_s", NULL, nic_rate, true},
    {"ports_per_leaf", NULL, leaf_ports, false},
    {"spines", NULL, leaf_ports, false}, // as many up as down: non-blocking
    {"down", NULL, down, false},
    {"up", NULL, up, true},
    {"dims", NULL, dims, false},
    {"groups", NULL, groups, false},
    {"rows", NULL, rows, false},
    {"columns", NULL, columns, false},
    {"nodes_per_router", "4", NULL, false},
};

bool dts_usual(const struct dts_shape *shape, const char *key, char *text, size_t room,
               bool *always)
{
    size_t length = strlen(key);
    for (size_t i = 0; i < sizeof(usuals) / sizeof(usuals[0]); i++) {
        size_t end = strlen(usuals[i].end);
        if (length < end || strcmp(key + length - end, usuals[i].end) != 0 ||
            (length > end && key[length - end - 1] != '_'))
            continue;
        if (usuals[i].compute != NULL)
            usuals[i].compute(shape, text, room);
        else
            snprintf(text, room, "%s", usuals[i].value);
        *always = usuals[i].always;
        return true;
    }
    return false;
}
