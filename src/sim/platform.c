/* platform.c -- a machine from its JSON file. */
#include "sim/platform.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "base/mem.h"
#include "sim/platform_net.h"
#include "sim/platform_sources.h"

struct node {
    const char *device;
    int devices;
    double host_memory_bytes, host_memory_bytes_per_s;
    struct dts_cfg fabric;
};

struct nics {
    int count;
    double bytes_per_s, latency_us;
    const char *rails;
};

struct transports {
    struct dts_cfg within, between;
};

/* The file. */
struct file {
    const char *name, *summary;
    int nodes;
    struct node node;
    struct dts_cfg nics, network;
    struct transports transports;
    struct dts_storage storage;
};

static const struct dts_field node_fields[] = {
    {DTS_KEY(struct node, device), .type = DTS_STRING, .help = "device file that nodes hold"},
    {DTS_KEY(struct node, devices), .type = DTS_INT, .min = 1, .max = 64,
     .help = "devices in a node"},
    {DTS_KEY(struct node, host_memory_bytes), .type = DTS_REAL, .min = 1e6, .max = 1e15,
     .help = "memory of the host of a node"},
    {DTS_KEY(struct node, host_memory_bytes_per_s), .type = DTS_REAL, .min = 1e6, .max = 1e15,
     .help = "bandwidth of it"},
    {DTS_KEY(struct node, fabric), .type = DTS_OTHER, .missing = "null",
     .help = "what connects the devices of a node: {\"kind\": ...}"},
    {0},
};

static const struct dts_field nics_fields[] = {
    {DTS_KEY(struct nics, count), .type = DTS_INT, .min = 1, .max = 64, .help = "in a node"},
    {DTS_KEY(struct nics, bytes_per_s), .type = DTS_REAL, .min = 1e3, .max = 1e15,
     .help = "of one, each way"},
    {DTS_KEY(struct nics, latency_us), .type = DTS_REAL, .min = 0, .max = 1e6,
     .help = "of one and its cable, in us; a route has two"},
    {DTS_KEY(struct nics, rails), .type = DTS_STRING, .missing = "\"by_node\"",
     .choice = dts_rails_name,
     .help = "ports of the network: those of a node side by side (by_node), those of a rail "
             "(by_rail), or a network for each rail (separate)"},
    {0},
};

static const struct dts_field transports_fields[] = {
    {DTS_KEY(struct transports, within), .type = DTS_OTHER, .help = "transport in a node"},
    {DTS_KEY(struct transports, between), .type = DTS_OTHER, .help = "transport between nodes"},
    {0},
};

static const struct dts_field storage_fields[] = {
    {DTS_KEY(struct dts_storage, shared_bytes_per_s), .type = DTS_REAL, .min = 0, .max = 1e15,
     .missing = "0", .help = "all nodes from the shared file system; 0: not stated"},
    {DTS_KEY(struct dts_storage, node_bytes_per_s), .type = DTS_REAL, .min = 0, .max = 1e15,
     .missing = "0", .help = "one node, shared or local; 0: not stated"},
    {0},
};

static const struct dts_field file_fields[] = {
    {DTS_KEY(struct file, name), .type = DTS_STRING, .help = "as the file is named"},
    {DTS_KEY(struct file, summary), .type = DTS_STRING, .help = "one line"},
    {DTS_KEY(struct file, nodes), .type = DTS_INT, .min = 1, .max = 1000000, .help = "nodes"},
    {DTS_KEY(struct file, node), .type = DTS_OBJECT, .fields = node_fields, .help = "a node"},
    {DTS_KEY(struct file, nics), .type = DTS_OTHER, .missing = "null",
     .help = "network interfaces of a node"},
    {DTS_KEY(struct file, network), .type = DTS_OTHER,
     .help = "what connects the nodes: {\"kind\": ...}"},
    {DTS_KEY(struct file, transports), .type = DTS_OBJECT, .fields = transports_fields,
     .help = "how messages are moved; a stack may say otherwise"},
    {DTS_KEY(struct file, storage), .type = DTS_OBJECT, .fields = storage_fields,
     .missing = "null", .help = "where training data is"},
    {0},
};

static const struct dts_field kind_field[] = {
    {.key = "kind", .type = DTS_STRING, .help = "the row"},
    {0},
};

const char *dts_rails_name(int i)
{
    return dts_rails[i].name;
}

/* Topologies, then imports. */
static const char *network_kind(int i)
{
    int topologies = 0;
    while (dts_topologies[topologies] != NULL)
        topologies++;
    if (i < topologies)
        return dts_topologies[i]->name;
    const struct dts_net_import *import = dts_net_imports[i - topologies];
    return import != NULL ? import->kind : NULL;
}

/* The row that "kind" names in this object. */
static bool read_kind(const struct dts_cfg *at, const char *(*choice)(int i), int *row,
                      struct dts_error *err)
{
    struct dts_cfg kind = dts_cfg_member(at, "kind");
    return dts_cfg_choice(&kind, choice, row, err);
}

static bool read_fabric(const struct dts_cfg *at, struct dts_machine *machine,
                        struct dts_error *err)
{
    int row;
    const char *kind;
    if (!read_kind(at, dts_fabric_name, &row, err))
        return false;
    machine->fabric = dts_fabrics[row];
    machine->fabric_self = dts_alloc(1, machine->fabric->size);
    return dts_cfg_read_both(at, kind_field, &kind, machine->fabric->fields,
                             machine->fabric_self, err) &&
           machine->fabric->prepare(machine->fabric_self, machine->devices, machine->nics, at,
                                    err);
}

static bool read_topology(const struct dts_cfg *at, int row, struct dts_machine *machine,
                          struct dts_error *err)
{
    const char *kind;
    int ports = machine->nodes * (machine->rails->planes ? 1 : machine->nics);
    machine->topology = dts_topologies[row];
    machine->topology_self = dts_alloc(1, machine->topology->size);
    return dts_cfg_read_both(at, kind_field, &kind, machine->topology->fields,
                             machine->topology_self, err) &&
           machine->topology->prepare(machine->topology_self, ports, at, err);
}

static bool read_nics(const struct dts_cfg *at, struct dts_machine *machine,
                      struct dts_error *err)
{
    struct nics nics = {0};
    if (!dts_cfg_read(at, nics_fields, &nics, err))
        return false;
    machine->nics = nics.count;
    machine->nic_bytes_per_s = nics.bytes_per_s;
    machine->nic_latency_s = nics.latency_us * 1e-6;
    machine->rails = dts_rails;
    while (strcmp(machine->rails->name, nics.rails) != 0)
        machine->rails++;
    return true;
}

/* Numbers of links and endpoints are int. */
static bool check_size(const struct dts_cfg *top, const struct dts_machine *machine,
                       struct dts_error *err)
{
    long long node_links =
        machine->fabric->links(machine->fabric_self) + 2LL * machine->nics + 4;
    long long links =
        machine->nodes * node_links +
        (long long)machine->nics * machine->topology->links(machine->topology_self);
    if (links > INT_MAX / 2)
        return dts_cfg_fail(top, "nodes", err, "must be less: the network has %lld links",
                            links);
    return true;
}

static bool build_net(struct dts_platform *platform, const struct dts_cfg *top, int row,
                      const struct dts_transport transports[2], struct dts_error *err)
{
    struct dts_machine machine = {
        .nodes = platform->nodes,
        .devices = platform->devices_per_node,
    };
    struct dts_cfg node = dts_cfg_member(top, "node"), fabric = dts_cfg_member(&node, "fabric");
    struct dts_cfg nics = dts_cfg_member(top, "nics"), network = dts_cfg_member(top, "network");
    bool built = read_nics(&nics, &machine, err) && read_fabric(&fabric, &machine, err) &&
                 read_topology(&network, row, &machine, err) && check_size(top, &machine, err);
    if (!built) {
        free(machine.fabric_self);
        free(machine.topology_self);
        return false;
    }
    dts_machine_net(&machine, &transports[DTS_WITHIN], &transports[DTS_BETWEEN],
                    &platform->net);
    return true;
}

static bool import_net(struct dts_platform *platform, const struct dts_cfg *top,
                       const struct dts_net_import *import,
                       const struct dts_transport transports[2], struct dts_error *err)
{
    struct {
        const char *kind, *file;
    } said;
    const struct dts_field fields[] = {
        {.key = "kind", .offset = 0, .type = DTS_STRING, .help = "the reader"},
        {.key = "file",
         .offset = sizeof(const char *),
         .type = DTS_STRING,
         .help = "the file to read"},
        {0},
    };
    struct dts_cfg network = dts_cfg_member(top, "network"), nics = dts_cfg_member(top, "nics");
    char *path = NULL;
    if (dts_cfg_exists(&nics))
        return dts_cfg_fail(&nics, NULL, err, "must be left out where network.kind is \"%s\"",
                            import->kind);
    if (!dts_cfg_read(&network, fields, &said, err) ||
        !dts_library_find(&path, "platforms", said.file, dts_doc_name(platform->doc), err))
        return false;
    bool loaded = import->load(&platform->net, path, err);
    free(path);
    if (!loaded)
        return false;
    platform->net.transports[DTS_WITHIN] = transports[DTS_WITHIN];
    platform->net.transports[DTS_BETWEEN] = transports[DTS_BETWEEN];
    int devices = platform->nodes * platform->devices_per_node;
    if (platform->net.devices != devices || platform->net.nodes != platform->nodes)
        return dts_cfg_fail(&network, "file", err,
                            "must have %d devices in %d nodes, as this file says; has %d in %d",
                            devices, platform->nodes, platform->net.devices,
                            platform->net.nodes);
    return true;
}

/* The stack's transports where it has them, else the platform's. */
static bool read_transports(const struct dts_cfg *top, const struct dts_cfg *within,
                            const struct dts_cfg *between, struct dts_transport out[2],
                            struct dts_error *err)
{
    struct dts_cfg own = dts_cfg_member(top, "transports");
    struct dts_cfg own_within = dts_cfg_member(&own, "within");
    struct dts_cfg own_between = dts_cfg_member(&own, "between");
    bool said_within = within != NULL && dts_cfg_exists(within);
    bool said_between = between != NULL && dts_cfg_exists(between);
    return dts_transport_read(&own_within, &out[DTS_WITHIN], err) &&
           dts_transport_read(&own_between, &out[DTS_BETWEEN], err) &&
           (!said_within || dts_transport_read(within, &out[DTS_WITHIN], err)) &&
           (!said_between || dts_transport_read(between, &out[DTS_BETWEEN], err));
}

static bool read_platform(struct dts_platform *platform, const struct dts_cfg *within,
                          const struct dts_cfg *between, struct dts_error *err)
{
    struct file file = {0};
    struct dts_transport transports[2] = {{0}};
    int row;
    struct dts_cfg top = dts_doc_top(platform->doc), network = dts_cfg_member(&top, "network");
    if (!dts_cfg_read(&top, file_fields, &file, err) ||
        !read_transports(&top, within, between, transports, err) ||
        !read_kind(&network, network_kind, &row, err))
        return false;
    platform->name = file.name;
    platform->summary = file.summary;
    platform->device = file.node.device;
    platform->nodes = file.nodes;
    platform->devices_per_node = file.node.devices;
    platform->host_memory_bytes = file.node.host_memory_bytes;
    platform->host_memory_bytes_per_s = file.node.host_memory_bytes_per_s;
    platform->storage = file.storage;

    const struct dts_topology *topology = dts_topology_find(network_kind(row));
    int topologies = 0;
    while (dts_topologies[topologies] != NULL)
        topologies++;
    bool built =
        topology != NULL
            ? build_net(platform, &top, row, transports, err)
            : import_net(platform, &top, dts_net_imports[row - topologies], transports, err);
    return built && dts_platform_read_sources(platform, &top, err);
}

bool dts_platform_read(struct dts_platform *platform, struct dts_doc *doc,
                       const struct dts_cfg *within, const struct dts_cfg *between,
                       struct dts_error *err)
{
    *platform = (struct dts_platform){.doc = doc};
    if (read_platform(platform, within, between, err))
        return true;
    dts_platform_free(platform);
    return false;
}

bool dts_platform_load(struct dts_platform *platform, const char *path,
                       const struct dts_cfg *within, const struct dts_cfg *between,
                       struct dts_error *err)
{
    struct dts_doc *doc;
    *platform = (struct dts_platform){0};
    return dts_doc_load(&doc, path, err) &&
           dts_platform_read(platform, doc, within, between, err);
}

void dts_platform_free(struct dts_platform *platform)
{
    dts_platform_free_sources(platform);
    dts_net_free(&platform->net);
    dts_doc_free(platform->doc);
    *platform = (struct dts_platform){0};
}
