/* usual.c -- usual values, by the ends of keys. */
#include "cli/usual.h"

#include <math.h>
#include <stdarg.h>
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

static void say(struct dts_usual *usual, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(struct dts_usual *usual, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(usual->value, sizeof(usual->value), format, args);
    va_end(args);
}

static const struct dts_device_links *links_of(const struct dts_shape *shape)
{
    static const struct dts_device_links none;
    return shape->device != NULL ? &shape->device->links : &none;
}

/* The device's file says it. */
static void from_device(const struct dts_shape *shape, struct dts_usual *usual,
                        const char *what)
{
    snprintf(usual->source, sizeof(usual->source), "device %.48s: %.80s", shape->device->name,
             what);
}

static void nic_rate(const struct dts_shape *shape, struct dts_usual *usual)
{
    say(usual, "%.12g", shape->nic_bytes_per_s);
}

static void leaf_ports(const struct dts_shape *shape, struct dts_usual *usual)
{
    say(usual, "%d", shape->ports < LEAF_PORTS ? shape->ports : LEAF_PORTS);
}

/* A full fat tree of switches with 2 x LEAF_PORTS ports: one, two or three levels. */
static int levels(const struct dts_shape *shape)
{
    if (shape->ports <= 2 * LEAF_PORTS)
        return 1;
    return shape->ports <= 2 * LEAF_PORTS * LEAF_PORTS ? 2 : 3;
}

static void down(const struct dts_shape *shape, struct dts_usual *usual)
{
    int ports = shape->ports;
    if (levels(shape) == 1)
        say(usual, "[%d]", ports);
    else if (levels(shape) == 2)
        say(usual, "[%d, %d]", LEAF_PORTS, ceil_div(ports, LEAF_PORTS));
    else
        say(usual, "[%d, %d, %d]", LEAF_PORTS, LEAF_PORTS,
            ceil_div(ports, LEAF_PORTS * LEAF_PORTS));
}

static void up(const struct dts_shape *shape, struct dts_usual *usual)
{
    if (levels(shape) == 1)
        say(usual, "[]");
    else if (levels(shape) == 2)
        say(usual, "[%d]", LEAF_PORTS);
    else
        say(usual, "[%d, %d]", LEAF_PORTS, LEAF_PORTS);
}

/* The dimensions that the device's links make; else three, or five for a large machine (Mira
 * has five). As even as they get. */
static void dims(const struct dts_shape *shape, struct dts_usual *usual)
{
    int left = shape->ports, own = links_of(shape)->torus;
    size_t used = 0;
    int count = own > 0 ? own : left <= LARGE_TORUS ? 3 : 5;
    for (int more = count; more > 0 && used < sizeof(usual->value); more--) {
        int size = (int)ceil(pow(left, 1.0 / more) - 1e-9);
        left = ceil_div(left, size);
        used += (size_t)snprintf(usual->value + used, sizeof(usual->value) - used, "%s%d%s",
                                 used == 0 ? "[" : ", ", size, more == 1 ? "]" : "");
    }
}

static bool small_groups(const struct dts_shape *shape)
{
    return shape->ports <= MOST_GROUPS * GROUP_ROUTERS * ROUTER_NODES;
}

static void rows(const struct dts_shape *shape, struct dts_usual *usual)
{
    say(usual, "%d", small_groups(shape) ? 1 : CABINET_ROWS);
}

static void columns(const struct dts_shape *shape, struct dts_usual *usual)
{
    say(usual, "%d", small_groups(shape) ? GROUP_ROUTERS : CABINET_COLUMNS);
}

static void groups(const struct dts_shape *shape, struct dts_usual *usual)
{
    int routers = small_groups(shape) ? GROUP_ROUTERS : CABINET_ROWS * CABINET_COLUMNS;
    int count = ceil_div(shape->ports, routers * ROUTER_NODES);
    say(usual, "%d", count > 1 ? count : 2);
}

static void link_rate(const struct dts_shape *shape, struct dts_usual *usual)
{
    const struct dts_device_links *links = links_of(shape);
    nic_rate(shape, usual);
    if (links->torus == 0)
        return;
    say(usual, "%.12g", links->bytes_per_s);
    from_device(shape, usual, links->kind);
}

/* There are columns where there are rows. */
static void black_rate(const struct dts_shape *shape, struct dts_usual *usual)
{
    nic_rate(shape, usual);
    usual->always = !small_groups(shape);
}

static void sockets(const struct dts_shape *shape, struct dts_usual *usual)
{
    say(usual, "%d", shape->devices == 1 ? 1 : 2);
}

/* A hybrid cube mesh takes 4 or 6, whatever a device has. */
static void links_per_device(const struct dts_shape *shape, struct dts_usual *usual)
{
    enum { CUBE = 6 };
    const struct dts_device_links *links = links_of(shape);
    const bool cube = shape->fabric != NULL && strcmp(shape->fabric, "nvlink_cube") == 0;
    const bool fits = links->count > 0 && (!cube || links->count <= CUBE);
    say(usual, "%d", fits ? links->count : CUBE);
    if (fits)
        from_device(shape, usual, links->kind);
}

static void links_per_pair(const struct dts_shape *shape, struct dts_usual *usual)
{
    const struct dts_device_links *links = links_of(shape);
    int each = shape->devices > 1 ? links->count / (shape->devices - 1) : 0;
    if (links->most_per_pair > 0 && each > links->most_per_pair)
        each = links->most_per_pair;
    say(usual, "%d", links->count == 0 ? 2 : each > 1 ? each : 1);
    if (links->count > 0)
        from_device(shape, usual, links->kind);
}

static void nvlink_rate(const struct dts_shape *shape, struct dts_usual *usual)
{
    const struct dts_device_links *links = links_of(shape);
    say(usual, "%.12g", links->count > 0 ? links->bytes_per_s : 25e9); // NVLink 2
    if (links->count > 0)
        from_device(shape, usual, links->kind);
}

/* NCCL's transport rows multiply this one. */
static void nvlink_latency(const struct dts_shape *shape, struct dts_usual *usual)
{
    const char *kind = links_of(shape)->kind;
    const bool nvlink = kind != NULL && strncmp(kind, "NVLink", strlen("NVLink")) == 0;
    say(usual, "0.6");
    snprintf(usual->source, sizeof(usual->source),
             "%sNCCL src/graph/tuning.cc: one hop of ring LL on NVLink",
             nvlink ? "" : "ASSUMED, as in ");
}

/* What of a lane of PCIe is data: 8 of 10 or 128 of 130 bits of 2.5, 5, 8, 16 .. GT/s, and of
 * those bytes 81 % that are no headers: 12.8 GB/s of generation 3 with 16 lanes. */
static void pcie_rate(const struct dts_shape *shape, struct dts_usual *usual)
{
    static const double x16[] = {12.8e9, 3.2e9, 6.4e9, 12.8e9, 25.6e9, 51.2e9, 102.4e9};
    const struct dts_device_links *links = links_of(shape);
    const int generation = links->pcie_generation,
              lanes = generation > 0 ? links->pcie_lanes : 16;
    char what[80];
    say(usual, "%.12g", x16[generation] * lanes / 16);
    if (generation == 0)
        return;
    snprintf(what, sizeof(what), "PCIe %d x%d; ASSUMED: 81 %% of its bytes are data",
             generation, lanes);
    from_device(shape, usual, what);
}

/* The first row whose words a key ends with says what is usual. */
static const struct {
    const char *end, *value;
    void (*compute)(const struct dts_shape *shape, struct dts_usual *usual);
    bool always;
} usuals[] = {
    {"nvlink_latency_us", NULL, nvlink_latency, false},
    {"latency_us", "0.5", NULL, false},
    // nodes
    {"sockets", NULL, sockets, false},
    {"links_per_device", NULL, links_per_device, false},
    {"links_per_pair", NULL, links_per_pair, false},
    {"nvlink_bytes_per_s", NULL, nvlink_rate, false},
    {"gpu_bytes_per_s", "50e9", NULL, false},
    {"cpu_bytes_per_s", "50e9", NULL, false},
    {"socket_bytes_per_s", "20e9", NULL, false},
    {"nic_bytes_per_s", NULL, pcie_rate, false},
    {"device_bytes_per_s", NULL, pcie_rate, false},
    {"memory_bytes_per_s", "50e9", NULL, false},
    {"copy_bytes_per_s", "10e9", NULL, false},
    // networks
    {"uplink_bytes_per_s", NULL, nic_rate, false},
    {"black_lane_bytes_per_s", NULL, black_rate, false},
    {"lane_bytes_per_s", NULL, nic_rate, false},
    {"link_bytes_per_s", NULL, link_rate, true},
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

bool dts_usual(const struct dts_shape *shape, const char *key, struct dts_usual *usual)
{
    size_t length = strlen(key);
    *usual = (struct dts_usual){.source = "ASSUMED"};
    for (size_t i = 0; i < sizeof(usuals) / sizeof(usuals[0]); i++) {
        size_t end = strlen(usuals[i].end);
        if (length < end || strcmp(key + length - end, usuals[i].end) != 0 ||
            (length > end && key[length - end - 1] != '_'))
            continue;
        if (usuals[i].compute != NULL)
            usuals[i].compute(shape, usual);
        else
            say(usual, "%s", usuals[i].value);
        usual->always |= usuals[i].always;
        return true;
    }
    return false;
}

void dts_usual_fabric(const struct dts_shape *shape, struct dts_usual *usual)
{
    const struct dts_device_links *links = links_of(shape);
    const int devices = shape->devices;
    const bool gpu = shape->device != NULL && strcmp(shape->device->kind, "gpu") == 0;
    char what[80];
    *usual = (struct dts_usual){.source = "ASSUMED"};
    say(usual, "%s", links->torus > 0 || (devices == 1 && !gpu) ? "none" : "pcie");
    if (devices == 1 || links->torus > 0)
        return;
    if (devices <= links->nvlink_all)
        say(usual, "nvlink_all");
    else if (devices == links->nvlink_cube)
        say(usual, "nvlink_cube");
    else if (devices <= links->nvswitch)
        say(usual, "nvswitch");
    else if (links->nvlink_all > 0 || links->nvswitch > 0)
        snprintf(usual->source, sizeof(usual->source),
                 "ASSUMED: device %.48s says no fabric for %d", shape->device->name, devices);
    if (strcmp(usual->value, "pcie") == 0)
        return;
    snprintf(what, sizeof(what), "%.40s in nodes of %d", links->kind, devices);
    from_device(shape, usual, what);
}

const char *dts_usual_within(const char *fabric)
{
    if (strcmp(fabric, "none") == 0)
        return "shared_memory";
    return strcmp(fabric, "pcie") == 0 ? "pcie" : "nvlink";
}

bool dts_usual_nic_gbit(const struct dts_shape *shape, struct dts_usual *usual)
{
    const struct dts_device_links *links = links_of(shape);
    char what[80];
    if (links->torus == 0)
        return false;
    *usual = (struct dts_usual){.always = false};
    say(usual, "%.12g", links->count * links->bytes_per_s * 8 / 1e9);
    snprintf(what, sizeof(what), "%d links of %.40s together", links->count, links->kind);
    from_device(shape, usual, what);
    return true;
}
