/* read.c -- a machine from its JSON file: the keys, and who reads what is below them. */
#include <string.h>

#include "sim/net/measured.h"
#include "sim/net/platform/build.h"
#include "sim/net/platform/platform.h"
#include "sim/net/platform/sources.h"
#include "sim/net/platform/unlike.h"

struct compute {
    struct dts_cfg together;
    double communicating, messages;
};

struct node {
    const char *device, *cpu;
    int devices, cores;
    double host_memory_bytes, host_memory_bytes_per_s, power_w, price_per_hour;
    struct dts_cfg fabric, kinds, slow;
    struct compute compute;
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

static const struct dts_field compute_fields[] = {
    {DTS_KEY(struct compute, together), .type = DTS_OTHER, .forms = DTS_FORM_NUMBERS,
     .missing = "[1]",
     .help = "list: how much longer kernels take when 1, 2, ... devices of a node compute at "
             "once; the last counts for more, too"},
    {DTS_KEY(struct compute, communicating), .type = DTS_REAL, .min = 0, .max = 1000,
     .missing = "0",
     .help = "kernels take 1 + this as long while messages travel; instead of the stack's "
             "overlap.slowdown"},
    {DTS_KEY(struct compute, messages), .type = DTS_REAL, .min = 0, .max = 1000, .missing = "0",
     .help = "messages of a device take 1 + this as long while its kernels run"},
    {0},
};

static const char *cpu_name(int i)
{
    static const char *const names[] = {"intel", "amd", NULL};
    return names[i];
}

static const struct dts_field node_fields[] = {
    {DTS_KEY(struct node, device), .type = DTS_STRING, .missing = "null",
     .help = "device file that nodes hold; required without kinds"},
    {DTS_KEY(struct node, kinds), .type = DTS_OTHER, .forms = DTS_FORM_OBJECTS,
     .missing = "null",
     .help = "instead of device, where nodes hold different ones: list of {\"nodes\", "
             "\"device\"}"},
    {DTS_KEY(struct node, devices), .type = DTS_INT, .min = 1, .max = 64,
     .help = "devices in a node"},
    {DTS_KEY(struct node, cores), .type = DTS_INT, .min = 1, .max = 4096, .missing = "null",
     .help = "cores of the host of a node, not hardware threads; they decode samples"},
    {DTS_KEY(struct node, host_memory_bytes), .type = DTS_REAL, .min = 1e6, .max = 1e15,
     .help = "memory of the host of a node"},
    {DTS_KEY(struct node, host_memory_bytes_per_s), .type = DTS_REAL, .min = 1e6, .max = 1e15,
     .help = "bandwidth of it"},
    {DTS_KEY(struct node, cpu), .type = DTS_STRING, .missing = "null", .choice = cpu_name,
     .help = "who made the host's processor, for NCCL's constants; default: as intel"},
    {DTS_KEY(struct node, fabric), .type = DTS_OTHER, .forms = DTS_FORM_OBJECT,
     .missing = "null",
     .help = "what connects the devices of a node: {\"kind\": ...}; may be left out "
             "where a file describes the network"},
    {DTS_KEY(struct node, compute), .type = DTS_OBJECT, .fields = compute_fields,
     .missing = "null", .help = "how devices slow one another down"},
    {DTS_KEY(struct node, power_w), .type = DTS_REAL, .min = 1, .max = 1e7, .missing = "null",
     .help = "watts of a node that trains, for the energy of a training"},
    {DTS_KEY(struct node, price_per_hour), .type = DTS_REAL, .min = 0, .max = 1e9,
     .missing = "null", .help = "of a node, in any currency, for the cost of a training"},
    {DTS_KEY(struct node, slow), .type = DTS_OTHER, .forms = DTS_FORM_OBJECT | DTS_FORM_OBJECTS,
     .missing = "null",
     .help = "nodes whose kernels take longer: {\"factor\", \"nodes\" or \"count\"}, or a "
             "list of these"},
    {0},
};

static const struct dts_field transports_fields[] = {
    {DTS_KEY(struct transports, within), .type = DTS_OTHER,
     .forms = DTS_FORM_STRING | DTS_FORM_OBJECT, .help = "transport in a node"},
    {DTS_KEY(struct transports, between), .type = DTS_OTHER,
     .forms = DTS_FORM_STRING | DTS_FORM_OBJECT, .help = "transport between nodes"},
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
    {DTS_KEY(struct file, nics), .type = DTS_OTHER, .forms = DTS_FORM_OBJECT, .missing = "null",
     .help = "network interfaces of a node"},
    {DTS_KEY(struct file, network), .type = DTS_OTHER, .forms = DTS_FORM_OBJECT,
     .help = "what connects the nodes: {\"kind\": ...}"},
    {DTS_KEY(struct file, transports), .type = DTS_OBJECT, .fields = transports_fields,
     .help = "how messages are moved; a stack may say otherwise"},
    {DTS_KEY(struct file, storage), .type = DTS_OBJECT, .fields = storage_fields,
     .missing = "null", .help = "where training data is"},
    {0},
};

/* The stack's transport of a kind of path, where it has one that the network can do. */
static bool read_stack_moves(const struct dts_cfg *said, bool asked, int path,
                             struct dts_platform *platform, struct dts_transport out[2],
                             struct dts_error *err)
{
    struct dts_transport stack;
    if (!dts_cfg_exists(said))
        return true;
    if (!dts_transport_read(said, &stack, err))
        return false;
    const bool cannot =
        path == DTS_BETWEEN && out[path].needs == DTS_SOCKETS && stack.needs == DTS_RDMA;
    if (cannot && !asked) {
        platform->stack_between = stack.name;
        return true;
    }
    platform->stack_moves[path] = true;
    out[path] = stack;
    return true;
}

static bool read_transports(const struct dts_cfg *top, const struct dts_stack_moves *stack,
                            struct dts_platform *platform, struct dts_transport out[2],
                            struct dts_error *err)
{
    struct dts_cfg own = dts_cfg_member(top, "transports");
    struct dts_cfg own_within = dts_cfg_member(&own, "within");
    struct dts_cfg own_between = dts_cfg_member(&own, "between");
    return dts_transport_read(&own_within, &out[DTS_WITHIN], err) &&
           dts_transport_read(&own_between, &out[DTS_BETWEEN], err) &&
           (stack == NULL ||
            (read_stack_moves(&stack->within, stack->asked, DTS_WITHIN, platform, out, err) &&
             read_stack_moves(&stack->between, stack->asked, DTS_BETWEEN, platform, out, err)));
}

static bool read_compute(struct dts_platform *platform, const struct dts_cfg *top,
                         const struct compute *compute, struct dts_error *err)
{
    struct dts_cfg node = dts_cfg_member(top, "node"), at = dts_cfg_member(&node, "compute");
    platform->communicating = -1;
    if (!dts_cfg_exists(&at))
        return true;
    platform->communicating = compute->communicating;
    platform->messages = compute->messages;
    struct dts_cfg together = dts_cfg_member(&at, "together");
    return dts_cfg_reals(&together, 1, 1000, 64, &platform->together, &platform->together_count,
                         err);
}

/* A list is what comes to mind where nodes hold different devices: say where that belongs. */
static bool check_device(const struct dts_cfg *node, struct dts_error *err)
{
    const struct dts_cfg device = dts_cfg_member(node, "device");
    return !dts_cfg_is_list(&device) ||
           dts_cfg_fail(
               &device, NULL, err,
               "must be a string, got a list: for nodes of several kinds leave it out, "
               "and set node.kinds to [{\"nodes\": ..., \"device\": ...}, ...]");
}

static bool read_platform(struct dts_platform *platform, const struct dts_stack_moves *stack,
                          struct dts_error *err)
{
    struct file file = {0};
    struct dts_transport transports[2] = {{0}};
    struct dts_cfg top = dts_doc_top(platform->doc), node = dts_cfg_member(&top, "node");
    if (!check_device(&node, err) || !dts_cfg_read(&top, file_fields, &file, err) ||
        !read_transports(&top, stack, platform, transports, err))
        return false;
    platform->name = file.name;
    platform->summary = file.summary;
    platform->device = file.node.device;
    platform->nodes = file.nodes;
    platform->node.cpu = file.node.cpu;
    platform->devices_per_node = file.node.devices;
    platform->cores = file.node.cores;
    platform->host_memory_bytes = file.node.host_memory_bytes;
    platform->host_memory_bytes_per_s = file.node.host_memory_bytes_per_s;
    platform->storage = file.storage;
    platform->power_w = file.node.power_w;
    platform->price_per_hour = file.node.price_per_hour;

    return dts_platform_read_unlike(platform, &node, err) &&
           read_compute(platform, &top, &file.node.compute, err) &&
           dts_platform_build(platform, &top, transports, err) &&
           dts_measured_ring_apply(&platform->net, err) &&
           dts_platform_read_sources(platform, &top, err);
}

bool dts_platform_read(struct dts_platform *platform, struct dts_doc *doc,
                       const struct dts_stack_moves *stack, struct dts_error *err)
{
    *platform = (struct dts_platform){.doc = doc};
    if (read_platform(platform, stack, err))
        return true;
    dts_platform_free(platform);
    return false;
}

bool dts_platform_load(struct dts_platform *platform, const char *path,
                       const struct dts_stack_moves *stack, struct dts_error *err)
{
    struct dts_doc *doc;
    *platform = (struct dts_platform){0};
    return dts_doc_load(&doc, path, err) && dts_platform_read(platform, doc, stack, err);
}

static const struct dts_field *find_field(const struct dts_field *fields, const char *path)
{
    size_t length = strcspn(path, ".");
    for (; fields != NULL && fields->key != NULL; fields++)
        if (strlen(fields->key) == length && strncmp(fields->key, path, length) == 0)
            return path[length] == '\0' ? fields
                                        : find_field(fields->fields, path + length + 1);
    return NULL;
}

const struct dts_field *dts_platform_field(const char *path)
{
    static const char nics[] = "nics.";
    if (strncmp(path, nics, strlen(nics)) == 0)
        return find_field(dts_platform_nics_fields, path + strlen(nics));
    return find_field(file_fields, path);
}

void dts_platform_keys(struct dts_keys *keys)
{
    dts_keys_heading(keys, "A platform is a JSON object:");
    dts_keys_add(keys, "", file_fields);
    dts_platform_unlike_keys(keys);
    dts_platform_build_keys(keys);
    dts_platform_transport_keys(keys, "transports.within", "transports.between");
}

void dts_platform_transport_keys(struct dts_keys *keys, const char *within, const char *between)
{
    dts_keys_heading(keys, "A transport that is an object:");
    dts_transport_keys(keys, "#transport");
    dts_keys_refer(keys, within, "#transport", NULL);
    dts_keys_refer(keys, between, "#transport", NULL);
}
