/* transport_read.c -- a transport from JSON: the name of a row, or a row with changes. */
#include <stdlib.h>
#include <string.h>

#include "base/json/library.h"
#include "sim/net/measured.h"
#include "sim/net/transport.h"

/* A transport and the list in the file that may replace its ranges. */
struct changes {
    struct dts_transport transport;
    struct dts_cfg ranges;
};

#define KEY(member)                                                                            \
    .key = #member, .offset = offsetof(struct changes, transport.member), .missing = "null"

static const struct dts_field fields[] = {
    {.key = "name",
     .offset = offsetof(struct changes, transport.name),
     .type = DTS_STRING,
     .choice = dts_transport_name,
     .help = "the row"},
    {KEY(efficiency), .type = DTS_REAL, .min = 0.001, .max = 1,
     .help = "share of the wire that carries data"},
    {KEY(overhead_s), .type = DTS_REAL, .min = 0, .max = 10, .help = "per message"},
    {KEY(flow_bytes_per_s), .type = DTS_REAL, .min = 0, .max = 1e15,
     .help = "the most that one flow reaches; 0: no limit"},
    {KEY(flows), .type = DTS_INT, .min = 1, .max = 1024,
     .help = "sockets that one message uses at once, each a flow"},
    {KEY(host_bytes_per_s), .type = DTS_REAL, .min = 0, .max = 1e15,
     .help = "what all flows of a host share, each way; 0: no limit"},
    {KEY(staged), .type = DTS_BOOL, .help = "device memory passes through the host's"},
    {KEY(blocking), .type = DTS_BOOL, .help = "the sender waits for the latency, then sends"},
    {KEY(reduce_bytes_per_s), .type = DTS_REAL, .min = 0, .max = 1e15,
     .help = "sums what arrives at this rate; 0: at a third of the device's memory rate"},
    {KEY(spread_percent), .type = DTS_REAL, .min = 0, .max = 1000,
     .help = "how far the truth may be from what was measured; 0: not known"},
    {.key = "ranges",
     .offset = offsetof(struct changes, ranges),
     .type = DTS_OTHER,
     .forms = DTS_FORM_OBJECTS,
     .missing = "null",
     .help = "factors by message size, up to 12"},
    {.key = "measured",
     .offset = offsetof(struct changes, transport.measured.file),
     .type = DTS_STRING,
     .missing = "null",
     .help = "a file: what all_reduce_perf (nccl-tests) printed, of a ring"},
    {.key = "ranks",
     .offset = offsetof(struct changes, transport.measured.ranks),
     .type = DTS_INT,
     .min = 2,
     .max = 1e6,
     .missing = "null",
     .help = "of that ring"},
    {.key = "nodes",
     .offset = offsetof(struct changes, transport.measured.nodes),
     .type = DTS_INT,
     .min = 1,
     .max = 1e6,
     .missing = "null",
     .help = "on which they ran"},
    {.key = "channels",
     .offset = offsetof(struct changes, transport.measured.channels),
     .type = DTS_INT,
     .min = 1,
     .max = 1024,
     .missing = "null",
     .help = "rings at once, each on links of its own (1)"},
    {0},
};

#undef KEY

static const struct dts_field range_fields[] = {
    {DTS_KEY(struct dts_transport_range, from_bytes), .type = DTS_REAL, .min = 0, .max = 1e15,
     .help = "from this size on"},
    {DTS_KEY(struct dts_transport_range, latency_factor), .type = DTS_REAL, .min = 0,
     .max = 1e6, .missing = "1", .help = "times the latency of the path"},
    {DTS_KEY(struct dts_transport_range, bandwidth_factor), .type = DTS_REAL, .min = 0.001,
     .max = 1, .missing = "1", .help = "times the efficiency"},
    {0},
};

static bool read_ranges(const struct dts_cfg *list, struct dts_transport *out,
                        struct dts_error *err)
{
    size_t count = dts_cfg_length(list);
    if (!dts_cfg_is_list(list) || count > DTS_TRANSPORT_RANGES)
        return dts_cfg_fail(list, NULL, err, "must be a list of at most %d ranges",
                            DTS_TRANSPORT_RANGES);
    for (size_t i = 0; i < count; i++) {
        struct dts_cfg item = dts_cfg_item(list, i);
        struct dts_transport_range *range = &out->ranges[i];
        *range = (struct dts_transport_range){0};
        if (!dts_cfg_read(&item, range_fields, range, err))
            return false;
        if (i == 0 && range->from_bytes != 0)
            return dts_cfg_fail(&item, "from_bytes", err,
                                "must be 0 in the first range, got %g", range->from_bytes);
        if (i > 0 && range->from_bytes <= range[-1].from_bytes)
            return dts_cfg_fail(&item, "from_bytes", err, "must be > %g, got %g",
                                range[-1].from_bytes, range->from_bytes);
    }
    out->range_count = (int)count;
    return true;
}

/* Keys that say what a measurement is of, and those that it takes the place of. */
static const char *const of_measured[] = {"ranks", "nodes", "channels", NULL};
static const char *const instead[] = {
    "efficiency",       "overhead_s",         "flow_bytes_per_s", "flows",
    "host_bytes_per_s", "reduce_bytes_per_s", "ranges",           NULL};

static bool refuse(const struct dts_cfg *at, const char *const *keys, const char *why,
                   struct dts_error *err)
{
    for (int i = 0; keys[i] != NULL; i++) {
        struct dts_cfg key = dts_cfg_member(at, keys[i]);
        if (dts_cfg_exists(&key))
            return dts_cfg_fail(at, keys[i], err, "has no effect %s", why);
    }
    return true;
}

/* What was measured has headers, overheads, limits and sums in it: the links are all that is
 * left. */
static bool read_measured(const struct dts_cfg *at, struct dts_transport *out,
                          struct dts_error *err)
{
    struct dts_measured_ring *measured = &out->measured;
    if (measured->file == NULL)
        return refuse(at, of_measured, "without \"measured\"", err);
    if (!refuse(at, instead, "beside \"measured\"", err))
        return false;
    for (int i = 0; i < 2; i++) {
        struct dts_cfg key = dts_cfg_member(at, of_measured[i]);
        if (!dts_cfg_exists(&key))
            return dts_cfg_fail(at, of_measured[i], err, "must say how many were measured");
    }
    if (measured->ranks % measured->nodes != 0)
        return dts_cfg_fail(at, "ranks", err, "must be a multiple of nodes, got %d on %d",
                            measured->ranks, measured->nodes);
    if (measured->channels == 0)
        measured->channels = 1;
    out->efficiency = 1;
    out->overhead_s = out->flow_bytes_per_s = out->host_bytes_per_s = 0;
    out->reduce_bytes_per_s = 1e15; // sums, too, are in it
    out->flows = out->range_count = 0;
    out->source = measured->file;
    char *path = dts_library_beside(dts_doc_name(at->doc), measured->file);
    struct dts_error why = {0};
    bool good = dts_measured_ring_read(path, measured, &why);
    free(path);
    return good || dts_cfg_fail(at, "measured", err, "%s", why.text);
}

bool dts_transport_read(const struct dts_cfg *at, struct dts_transport *out,
                        struct dts_error *err)
{
    bool alone = dts_cfg_is_string(at);
    struct dts_cfg name = alone ? *at : dts_cfg_member(at, "name");
    int row = 0;
    if (!alone && !dts_cfg_is_object(at))
        return dts_cfg_fail(at, NULL, err, "must be the name of a transport or an object");
    if (!dts_cfg_choice(&name, dts_transport_name, &row, err))
        return false;
    struct changes changes = {.transport = *dts_transports[row]};
    if (!alone && !dts_cfg_read(at, fields, &changes, err))
        return false;
    struct dts_cfg ranges = dts_cfg_member(at, "ranges");
    if (!alone && dts_cfg_exists(&ranges) && !read_ranges(&ranges, &changes.transport, err))
        return false;
    struct dts_cfg flows = dts_cfg_member(at, "flows");
    if (!alone && dts_cfg_exists(&flows) && changes.transport.flow_bytes_per_s == 0)
        return dts_cfg_fail(at, "flows", err,
                            "has no effect where flow_bytes_per_s limits no flow");
    if (!alone && !read_measured(at, &changes.transport, err))
        return false;
    struct dts_cfg source = dts_cfg_member(at, "source");
    if (!alone && dts_cfg_is_string(&source) &&
        !dts_cfg_string(&source, &changes.transport.source, err))
        return false;
    changes.transport.name = dts_transports[row]->name; // outlives the document
    *out = changes.transport;
    return true;
}

void dts_transport_keys(struct dts_keys *keys, const char *path)
{
    char ranges[96];
    snprintf(ranges, sizeof(ranges), "%s.ranges[]", path);
    dts_keys_add(keys, path, fields);
    dts_keys_add(keys, ranges, range_fields);
}
