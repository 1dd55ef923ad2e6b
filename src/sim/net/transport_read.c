/* transport_read.c -- a transport from JSON: the name of a row, or a row with changes. */
#include <string.h>

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
     .missing = "null",
     .help = "factors by message size, up to 4"},
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
    struct dts_cfg source = dts_cfg_member(at, "source");
    if (!alone && dts_cfg_is_string(&source) &&
        !dts_cfg_string(&source, &changes.transport.source, err))
        return false;
    changes.transport.name = dts_transports[row]->name; // outlives the document
    *out = changes.transport;
    return true;
}
