/* platform_parts.c -- the parts of a platform file in the making, in order: node, interfaces,
 * network, transports, storage. What was said earlier decides what is usual later: the device
 * the fabric, the fabric the transport, interfaces the cables. */
#include "cli/platform_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/json/library.h"
#include "sim/net/fabric/fabric.h"
#include "sim/net/platform/platform.h"
#include "sim/net/topology/topology.h"

enum question {
    NODES,
    DEVICE,
    DEVICES_PER_NODE,
    HOST_MEMORY,
    HOST_MEMORY_RATE,
    FABRIC,
    NICS,
    NIC_RATE,
    NIC_LATENCY,
    TOPOLOGY,
    TRANSPORT_WITHIN,
    TRANSPORT,
    QUESTIONS
};

static const struct dts_wanted questions[QUESTIONS] = {
    [NODES] = {.key = "nodes", .option = "nodes", .help = "nodes of the machine", .scale = 1},
    [DEVICE] = {.key = "device",
                .option = "device",
                .help = "what nodes compute with (`dtsim list devices`)",
                .folder = "devices",
                .word = true},
    [DEVICES_PER_NODE] = {.key = "devices",
                          .option = "devices-per-node",
                          .help = "devices in a node",
                          .usual = "1",
                          .scale = 1},
    [HOST_MEMORY] = {.key = "host_memory_bytes",
                     .option = "host-memory-gb",
                     .help = "memory of the host of a node",
                     .usual = "256",
                     .scale = 1e9},
    [HOST_MEMORY_RATE] = {.key = "host_memory_bytes_per_s",
                          .option = "host-memory-gbyte-per-s",
                          .help = "bandwidth of it",
                          .usual = "100",
                          .scale = 1e9},
    [FABRIC] = {.key = "kind",
                .option = "fabric",
                .help = "what connects the devices of a node (`dtsim list fabrics`)",
                .choice = dts_fabric_name,
                .word = true},
    [NICS] = {.key = "count",
              .option = "nics",
              .help = "network interfaces in a node",
              .usual = "1",
              .scale = 1},
    [NIC_RATE] = {.key = "bytes_per_s",
                  .option = "nic-gbit",
                  .help = "of one interface, each way",
                  .scale = 1e9 / 8},
    [NIC_LATENCY] = {.key = "latency_us",
                     .option = "nic-latency-us",
                     .help = "of one interface and its cable, in us",
                     .usual = "0.5",
                     .scale = 1},
    [TOPOLOGY] = {.key = "kind",
                  .option = "topology",
                  .help = "what connects the nodes (`dtsim list topologies`)",
                  .usual = "star",
                  .choice = dts_topology_name,
                  .word = true},
    [TRANSPORT_WITHIN] = {.key = "within",
                          .option = "transport-within",
                          .help = "how messages move in a node (`dtsim list transports`)",
                          .choice = dts_transport_name,
                          .word = true},
    [TRANSPORT] = {.key = "between",
                   .option = "transport",
                   .help = "how messages move between nodes (`dtsim list transports`)",
                   .usual = "tcp",
                   .choice = dts_transport_name,
                   .word = true},
};

/* usually: the usual value where it is not the one in the table; NULL: it is. */
static bool want(struct dts_draft *draft, enum question question,
                 const struct dts_usual *usually, char *value, struct dts_error *err)
{
    struct dts_wanted wanted = questions[question];
    if (usually != NULL) {
        wanted.usual = usually->value;
        wanted.source = wanted.word && strcmp(usually->source, "ASSUMED") == 0
                            ? NULL // a word that nobody chose is a default, no assumption
                            : usually->source;
    }
    return dts_draft_want(draft, &wanted, value, err);
}

static bool load_device(const char *name, struct dts_device *device, struct dts_error *err)
{
    char *path;
    if (!dts_library_find(&path, "devices", name, NULL, err))
        return false;
    bool good = dts_device_load(device, path, err);
    free(path);
    return good;
}

/* What the node holds; device is loaded. */
static bool write_devices(struct dts_draft *draft, struct dts_shape *shape,
                          struct dts_device *device, struct dts_error *err)
{
    char value[DTS_DRAFT_VALUE];
    struct dts_like *like = &draft->like;
    if (!want(draft, DEVICE, NULL, value, err) || !load_device(value, device, err))
        return false;
    shape->device = device;
    like->other_node = !dts_like_is(like, "node.device", value);
    if (!want(draft, DEVICES_PER_NODE, NULL, value, err))
        return false;
    shape->devices = atoi(value);
    like->other_node =
        like->other_node || dts_like_number(like, "node.devices") != shape->devices;
    return dts_draft_optional(draft, "cores", err) &&
           want(draft, HOST_MEMORY, NULL, value, err) &&
           want(draft, HOST_MEMORY_RATE, NULL, value, err);
}

static bool write_node(struct dts_draft *draft, struct dts_shape *shape,
                       struct dts_device *device, struct dts_error *err)
{
    char value[DTS_DRAFT_VALUE];
    struct dts_usual usual;
    dts_draft_begin(draft, "node");
    if (!write_devices(draft, shape, device, err))
        return false;
    dts_usual_fabric(shape, &usual);
    dts_draft_begin(draft, "fabric");
    if (!want(draft, FABRIC, &usual, value, err))
        return false;
    draft->like.other_fabric = !dts_like_is(&draft->like, "node.fabric.kind", value);
    shape->fabric = dts_fabric_find(value)->name;
    if (!dts_draft_fields(draft, dts_fabric_find(value)->fields, shape, err))
        return false;
    dts_draft_end(draft);
    if (!dts_draft_optional(draft, "compute", err))
        return false;
    dts_draft_end(draft);
    return true;
}

static bool write_nics(struct dts_draft *draft, struct dts_shape *shape, struct dts_error *err)
{
    char value[DTS_DRAFT_VALUE];
    struct dts_usual usual;
    bool own_links = dts_usual_nic_gbit(shape, &usual);
    dts_draft_begin(draft, "nics");
    if (!want(draft, NICS, NULL, value, err))
        return false;
    shape->ports *= atoi(value);
    if (!want(draft, NIC_RATE, own_links ? &usual : NULL, value, err))
        return false;
    shape->nic_bytes_per_s = atof(value);
    if (!want(draft, NIC_LATENCY, NULL, value, err) || !dts_draft_optional(draft, "rails", err))
        return false;
    dts_draft_end(draft);
    struct dts_like *like = &draft->like;
    like->ports = shape->ports;
    like->other_nic = shape->nic_bytes_per_s != dts_like_number(like, "nics.bytes_per_s");
    return true;
}

static bool write_topology(struct dts_draft *draft, struct dts_shape *shape,
                           struct dts_error *err)
{
    char value[DTS_DRAFT_VALUE];
    const struct dts_usual torus = {.value = "torus", .source = "ASSUMED"};
    dts_draft_begin(draft, "network");
    if (!want(draft, TOPOLOGY, shape->device->links.torus > 0 ? &torus : NULL, value, err))
        return false;
    draft->like.other_topology = !dts_like_is(&draft->like, "network.kind", value);
    if (!dts_draft_fields(draft, dts_topology_find(value)->fields, shape, err))
        return false;
    dts_draft_end(draft);
    return true;
}

static bool write_transports(struct dts_draft *draft, const struct dts_shape *shape,
                             struct dts_error *err)
{
    char value[DTS_DRAFT_VALUE];
    struct dts_usual usual = {.source = "ASSUMED"}, remote = {.value = "verbs"};
    snprintf(usual.value, sizeof(usual.value), "%s", dts_usual_within(shape->fabric));
    snprintf(remote.source, sizeof(remote.source),
             "ASSUMED: links of the device move data by remote DMA");
    dts_draft_begin(draft, "transports");
    if (!want(draft, TRANSPORT_WITHIN, &usual, value, err) ||
        !want(draft, TRANSPORT, shape->device->links.torus > 0 ? &remote : NULL, value, err))
        return false;
    dts_draft_end(draft);
    return true;
}

static bool write_storage(struct dts_draft *draft, struct dts_error *err)
{
    static const char *const keys[] = {"storage.shared_bytes_per_s",
                                       "storage.node_bytes_per_s"};
    bool any = false;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        any = dts_draft_says(draft, keys[i]) || any;
    if (!any)
        return true;
    dts_draft_begin(draft, "storage");
    if (!dts_draft_optional(draft, "shared_bytes_per_s", err) ||
        !dts_draft_optional(draft, "node_bytes_per_s", err))
        return false;
    dts_draft_end(draft);
    return true;
}

const char *dts_platform_option(int i)
{
    return i < QUESTIONS ? questions[i].option : NULL;
}

bool dts_platform_parts(struct dts_draft *draft, struct dts_device *device,
                        struct dts_error *err)
{
    char value[DTS_DRAFT_VALUE];
    if (!want(draft, NODES, NULL, value, err))
        return false;
    struct dts_shape shape = {.ports = atoi(value)};
    return write_node(draft, &shape, device, err) && write_nics(draft, &shape, err) &&
           write_topology(draft, &shape, err) && write_transports(draft, &shape, err) &&
           write_storage(draft, err);
}
