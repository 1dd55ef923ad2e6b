/* build.c -- the network that a platform file describes. */
#include "sim/net/platform/build.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/library.h"
#include "base/mem.h"
#include "base/text.h"
#include "sim/net/platform/net.h"
#include "sim/net/platform/slot.h"
#include "sim/net/platform/unlike.h"
#include "sim/net/simgrid_file/net_simgrid.h"

struct nics {
    int count;
    double bytes_per_s, latency_us, plugin_latency_us;
    const char *rails;
    bool sharp;
};

const struct dts_field dts_platform_nics_fields[] = {
    {DTS_KEY(struct nics, count), .type = DTS_INT, .min = 1, .max = 64, .help = "in a node"},
    {DTS_KEY(struct nics, bytes_per_s), .type = DTS_REAL, .min = 1e3, .max = 1e15,
     .help = "of one, each way"},
    {DTS_KEY(struct nics, latency_us), .type = DTS_REAL, .min = 0, .max = 1e6,
     .help = "of one and its cable, in us; a route has two"},
    {DTS_KEY(struct nics, plugin_latency_us), .type = DTS_REAL, .min = 0, .max = 1e6,
     .missing = "null",
     .help = "what its plugin tells NCCL's tuner, in us; 0 of InfiniBand and sockets"},
    {DTS_KEY(struct nics, sharp), .type = DTS_BOOL, .missing = "false",
     .help =
         "switches of the network sum for them (SHARP), and NCCL may ask them to (CollNet)"},
    {DTS_KEY(struct nics, rails), .type = DTS_STRING, .missing = "\"by_node\"",
     .choice = dts_rails_name,
     .help = "ports of the network: those of a node side by side (by_node), those of a rail "
             "(by_rail), or a network for each rail (separate)"},
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

static const struct dts_field fabric_field[] = {
    {.key = "kind", .type = DTS_STRING, .choice = dts_fabric_name, .help = "the row"},
    {0},
};
static const struct dts_field network_field[] = {
    {.key = "kind", .type = DTS_STRING, .choice = network_kind, .help = "the row"},
    {0},
};

/* The row that "kind" names in this object. */
static bool read_kind(const struct dts_cfg *at, const char *(*choice)(int i), int *row,
                      struct dts_error *err)
{
    struct dts_cfg kind = dts_cfg_member(at, "kind");
    return dts_cfg_choice(&kind, choice, row, err);
}

static bool read_fabric(const struct dts_cfg *at, struct dts_parts *machine,
                        struct dts_error *err)
{
    int row;
    const char *kind;
    if (!read_kind(at, dts_fabric_name, &row, err))
        return false;
    machine->fabric = dts_fabrics[row];
    machine->fabric_self = dts_alloc(1, machine->fabric->size);
    return dts_cfg_read_both(at, fabric_field, &kind, machine->fabric->fields,
                             machine->fabric_self, err) &&
           machine->fabric->prepare(machine->fabric_self, machine->devices, machine->nics, at,
                                    err);
}

static bool read_topology(const struct dts_cfg *at, int row, struct dts_parts *machine,
                          struct dts_error *err)
{
    const char *kind;
    int ports = machine->nodes * (machine->rails->planes ? 1 : machine->nics);
    machine->topology = dts_topologies[row];
    machine->topology_self = dts_alloc(1, machine->topology->size);
    return dts_cfg_read_both(at, network_field, &kind, machine->topology->fields,
                             machine->topology_self, err) &&
           machine->topology->prepare(machine->topology_self, ports, at, err);
}

static bool read_nics(const struct dts_cfg *at, struct dts_platform *platform,
                      struct dts_parts *machine, struct dts_error *err)
{
    struct nics nics = {0};
    if (!dts_cfg_read(at, dts_platform_nics_fields, &nics, err))
        return false;
    machine->nics = nics.count;
    machine->nic_bytes_per_s = nics.bytes_per_s;
    machine->nic_latency_s = nics.latency_us * 1e-6;
    platform->node.nics = nics.count;
    platform->node.sharp = nics.sharp;
    platform->node.nic_plugin_latency_s = nics.plugin_latency_us * 1e-6;
    machine->rails = dts_rails;
    while (strcmp(machine->rails->name, nics.rails) != 0)
        machine->rails++;
    return true;
}

static void look_at_fabric(const struct dts_parts *machine, struct dts_platform_node *node)
{
    const struct dts_fabric *fabric = machine->fabric;
    const void *self = machine->fabric_self;
    node->nics_near = fabric->nics_near != NULL && fabric->nics_near(self);
    node->nvlinks = fabric->nvlinks != NULL ? fabric->nvlinks(self) : 0;
    node->nvswitch = node->nvlinks > 0 && fabric->lanes == NULL;
    for (int a = 0; a < machine->devices && a < DTS_MESHED; a++)
        for (int b = 0; b < machine->devices && b < DTS_MESHED; b++)
            node->lanes[a][b] =
                (unsigned char)(fabric->lanes != NULL ? fabric->lanes(self, a, b) : 0);
}

/* What engines keep of a link is kept for all of them. */
static bool check_size(const struct dts_cfg *top, const struct dts_parts *machine,
                       struct dts_error *err)
{
    long long node_links =
        machine->fabric->links(machine->fabric_self) + 2LL * machine->nics + 4;
    const double nodes = (double)machine->nodes * (double)node_links;
    const double planes = (double)(machine->rails->planes ? machine->nics : 1) *
                          machine->topology->links(machine->topology_self);
    const struct dts_cfg nics = dts_cfg_member(top, "nics");
    return nodes > planes ? dts_topology_check_links(nodes + planes, top, "nodes", err)
                          : dts_topology_check_links(nodes + planes, &nics, "count", err);
}

static bool build_net(struct dts_platform *platform, const struct dts_cfg *top, int row,
                      const struct dts_transport transports[2], struct dts_error *err)
{
    struct dts_parts machine = {
        .nodes = platform->nodes,
        .devices = platform->devices_per_node,
    };
    struct dts_cfg node = dts_cfg_member(top, "node"), fabric = dts_cfg_member(&node, "fabric");
    struct dts_cfg nics = dts_cfg_member(top, "nics"), network = dts_cfg_member(top, "network");
    bool built = read_nics(&nics, platform, &machine, err) &&
                 (dts_cfg_exists(&fabric) ||
                  dts_cfg_fail(&node, "fabric", err,
                               "missing: what connects the devices of a node; kind \"none\" "
                               "where there is one")) &&
                 read_fabric(&fabric, &machine, err) &&
                 read_topology(&network, row, &machine, err) && check_size(top, &machine, err);
    if (!built) {
        free(machine.fabric_self);
        free(machine.topology_self);
        return false;
    }
    look_at_fabric(&machine, &platform->node);
    platform->nic_bytes_per_s = machine.nic_bytes_per_s;
    platform->slot_bytes_per_s = dts_parts_slot(&machine);
    dts_parts_join(&machine, &transports[DTS_WITHIN], &transports[DTS_BETWEEN], &platform->net);
    return true;
}

struct imported {
    const char *kind, *file;
    bool host_speeds;
    struct dts_cfg hosts;
};

static const struct dts_field import_fields[] = {
    {DTS_KEY(struct imported, kind), .type = DTS_STRING, .help = "the reader"},
    {DTS_KEY(struct imported, file), .type = DTS_STRING, .help = "the file to read"},
    {DTS_KEY(struct imported, host_speeds), .type = DTS_BOOL, .missing = "false",
     .help = "kernels of a node take (speed of the fastest host) / (its speed) times as long"},
    {DTS_KEY(struct imported, hosts), .type = DTS_OTHER,
     .forms = DTS_FORM_STRING | DTS_FORM_STRINGS, .missing = "null",
     .help = "hosts of the file that are nodes: the beginning of their names (\"node-\"), or a "
             "list of names; default: all"},
    {0},
};

/* "hosts" of the network: a prefix, a list, or nothing. The list is the caller's to free. */
static bool read_hosts(const struct dts_cfg *at, struct dts_net_hosts *hosts,
                       const char ***names, struct dts_error *err)
{
    if (!dts_cfg_exists(at))
        return true;
    if (dts_cfg_is_string(at))
        return dts_cfg_string(at, &hosts->prefix, err);
    hosts->count = dts_cfg_length(at);
    if (hosts->count < 1)
        return dts_cfg_fail(at, NULL, err,
                            "must be the beginning of names of hosts, or a list of names");
    hosts->names = *names = dts_alloc(hosts->count, sizeof(**names));
    for (size_t i = 0; i < hosts->count; i++) {
        struct dts_cfg item = dts_cfg_item(at, i);
        if (!dts_cfg_string(&item, &(*names)[i], err))
            return false;
    }
    return true;
}

static bool import_file(struct dts_platform *platform, const struct dts_cfg *network,
                        const struct dts_net_import *import, bool *host_speeds,
                        struct dts_error *err)
{
    struct imported said = {0};
    struct dts_net_hosts hosts = {0};
    const char **names = NULL;
    struct dts_error why = {0};
    if (!dts_cfg_read(network, import_fields, &said, err))
        return false;
    *host_speeds = said.host_speeds;
    bool ok = read_hosts(&said.hosts, &hosts, &names, err);
    if (ok) {
        platform->network_file = dts_library_beside(dts_doc_name(platform->doc), said.file);
        ok = import->load(&platform->net, platform->network_file, &hosts,
                          &platform->network_note, &why);
        if (!ok && why.cause == DTS_BAD_INPUT) // in that file: who names it is said, too
            dts_cfg_fail(network, "file", err, "%s", why.text);
        else if (!ok)
            dts_fail(err, why.cause, "%s", why.text);
    }
    free(names);
    return ok;
}

static bool import_net(struct dts_platform *platform, const struct dts_cfg *top,
                       const struct dts_net_import *import,
                       const struct dts_transport transports[2], struct dts_error *err)
{
    bool host_speeds = false;
    struct dts_cfg network = dts_cfg_member(top, "network"), nics = dts_cfg_member(top, "nics");
    struct dts_cfg node = dts_cfg_member(top, "node"), fabric = dts_cfg_member(&node, "fabric");
    const struct dts_cfg *unused = dts_cfg_exists(&nics) ? &nics : &fabric;
    if (dts_cfg_exists(unused))
        return dts_cfg_fail(unused, NULL, err, "must be left out where network.kind is \"%s\"",
                            import->kind);
    if (platform->devices_per_node != 1)
        return dts_cfg_fail(&node, "devices", err,
                            "must be 1 where network.kind is \"%s\": a host is a node, got %d",
                            import->kind, platform->devices_per_node);
    if (!import_file(platform, &network, import, &host_speeds, err))
        return false;
    platform->net.transports[DTS_WITHIN] = transports[DTS_WITHIN];
    platform->net.transports[DTS_BETWEEN] = transports[DTS_BETWEEN];
    const int hosts = platform->net.nodes;
    if (hosts != platform->nodes)
        return dts_cfg_fail(top, "nodes", err, "must be %d, the hosts of %s%s, got %d", hosts,
                            platform->network_file,
                            hosts > platform->nodes ? " (or network.hosts chooses fewer)" : "",
                            platform->nodes);
    return dts_platform_use_hosts(platform, host_speeds, &network, err);
}

bool dts_platform_build(struct dts_platform *platform, const struct dts_cfg *top,
                        const struct dts_transport transports[2], struct dts_error *err)
{
    struct dts_cfg network = dts_cfg_member(top, "network");
    int row, topologies = 0;
    if (!read_kind(&network, network_kind, &row, err))
        return false;
    while (dts_topologies[topologies] != NULL)
        topologies++;
    if (row < topologies)
        return build_net(platform, top, row, transports, err);
    return import_net(platform, top, dts_net_imports[row - topologies], transports, err);
}

void dts_platform_build_keys(struct dts_keys *keys)
{
    dts_keys_heading(keys, "Network interfaces:");
    dts_keys_add(keys, "nics", dts_platform_nics_fields);
    dts_keys_heading(keys, "The fabric of a node, and the network between nodes:");
    dts_keys_add(keys, "node.fabric", fabric_field);
    dts_keys_add(keys, "network", network_field);
    for (int i = 0; dts_fabrics[i] != NULL; i++) {
        const struct dts_fabric *fabric = dts_fabrics[i];
        dts_keys_heading(keys, "A fabric of kind \"%s\" (%s):", fabric->name, fabric->summary);
        dts_keys_case(keys, "node.fabric", "kind", fabric->name, fabric->fields);
    }
    for (int i = 0; dts_topologies[i] != NULL; i++) {
        const struct dts_topology *topology = dts_topologies[i];
        dts_keys_heading(keys, "A network of kind \"%s\" (%s):", topology->name,
                         topology->summary);
        dts_keys_case(keys, "network", "kind", topology->name, topology->fields);
    }
    for (int i = 0; dts_net_imports[i] != NULL; i++) {
        const struct dts_net_import *import = dts_net_imports[i];
        dts_keys_heading(keys, "A network of kind \"%s\" (%s):", import->kind, import->summary);
        dts_keys_case(keys, "network", "kind", import->kind, import_fields + 1);
    }
}
