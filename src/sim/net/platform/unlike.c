/* unlike.c -- nodes of a platform that are not all alike.
 *
 *     "slow": {"factor": 1.3, "nodes": [3]}, or {"factor": 1.3, "count": 2} for the last two,
 *             or a list of such
 *     "kinds": [{"nodes": 8, "device": "a100_40gb"}, {"nodes": 8, "device": "a100_80gb"}]
 */
#include "sim/net/platform/unlike.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"

enum { MOST_FACTOR = 1000 };

struct slow {
    double factor;
    struct dts_cfg nodes, count;
};

static const struct dts_field slow_fields[] = {
    {DTS_KEY(struct slow, factor), .type = DTS_REAL, .min = 1, .max = MOST_FACTOR,
     .help = "kernels of these nodes' devices take so many times as long"},
    {DTS_KEY(struct slow, nodes), .type = DTS_OTHER, .forms = DTS_FORM_NUMBERS,
     .missing = "null", .help = "list of node numbers, from 0"},
    {DTS_KEY(struct slow, count), .type = DTS_OTHER, .forms = DTS_FORM_NUMBER,
     .missing = "null", .help = "instead of nodes: so many, the last ones"},
    {0},
};

static const struct dts_field kind_fields[] = {
    {DTS_KEY(struct dts_node_kind, nodes), .type = DTS_INT, .min = 1, .max = 1000000,
     .help = "of this kind, behind those of the kinds before; they add up to nodes"},
    {DTS_KEY(struct dts_node_kind, device), .type = DTS_STRING,
     .help = "device file that they hold"},
    {0},
};

void dts_platform_slow_node(struct dts_platform *platform, int node, double factor)
{
    if (platform->node_factor == NULL) {
        platform->node_factor =
            dts_alloc((size_t)platform->nodes, sizeof(*platform->node_factor));
        for (int n = 0; n < platform->nodes; n++)
            platform->node_factor[n] = 1;
    }
    platform->node_factor[node] *= factor;
}

static bool slow_last(struct dts_platform *platform, const struct slow *slow, bool *seen,
                      struct dts_error *err)
{
    int count;
    if (!dts_cfg_int(&slow->count, 1, platform->nodes, &count, err))
        return false;
    for (int n = platform->nodes - count; n < platform->nodes; n++) {
        if (seen[n])
            return dts_cfg_fail(&slow->count, NULL, err,
                                "node %d, one of the last %d, is slow already", n, count);
        seen[n] = true;
        dts_platform_slow_node(platform, n, slow->factor);
    }
    return true;
}

static bool slow_listed(struct dts_platform *platform, const struct slow *slow, bool *seen,
                        struct dts_error *err)
{
    const size_t count = dts_cfg_length(&slow->nodes);
    if (count == 0)
        return dts_cfg_fail(&slow->nodes, NULL, err, "must be a list of node numbers");
    for (size_t i = 0; i < count; i++) {
        const struct dts_cfg at = dts_cfg_item(&slow->nodes, i);
        int node;
        if (!dts_cfg_int(&at, 0, platform->nodes - 1, &node, err))
            return false;
        if (seen[node])
            return dts_cfg_fail(&at, NULL, err, "node %d is listed twice", node);
        seen[node] = true;
        dts_platform_slow_node(platform, node, slow->factor);
    }
    return true;
}

static bool read_one_slow(struct dts_platform *platform, const struct dts_cfg *at, bool *seen,
                          struct dts_error *err)
{
    struct slow slow = {0};
    if (!dts_cfg_read(at, slow_fields, &slow, err))
        return false;
    const bool listed = dts_cfg_exists(&slow.nodes), counted = dts_cfg_exists(&slow.count);
    if (listed == counted)
        return dts_cfg_fail(at, NULL, err,
                            "must have either \"nodes\", a list of node numbers, or \"count\", "
                            "how many of the last nodes");
    return listed ? slow_listed(platform, &slow, seen, err)
                  : slow_last(platform, &slow, seen, err);
}

static bool read_slow(struct dts_platform *platform, const struct dts_cfg *at,
                      struct dts_error *err)
{
    if (!dts_cfg_exists(at))
        return true;
    bool *seen = dts_alloc((size_t)platform->nodes, sizeof(*seen)), good = true;
    if (dts_cfg_is_list(at) && dts_cfg_length(at) == 0)
        good =
            dts_cfg_fail(at, NULL, err, "must not be empty: leave it out, or set it to null");
    else if (dts_cfg_is_list(at))
        for (size_t i = 0; i < dts_cfg_length(at) && good; i++) {
            const struct dts_cfg item = dts_cfg_item(at, i);
            good = read_one_slow(platform, &item, seen, err);
        }
    else
        good = read_one_slow(platform, at, seen, err);
    free(seen);
    return good;
}

static bool read_kinds(struct dts_platform *platform, const struct dts_cfg *at,
                       struct dts_error *err)
{
    const size_t count = dts_cfg_length(at);
    long long nodes = 0;
    if (!dts_cfg_is_list(at) || count < 1 || count > DTS_MOST_KINDS)
        return dts_cfg_fail(at, NULL, err, "must be a list of 1 to %d kinds of node",
                            DTS_MOST_KINDS);
    platform->kinds = dts_alloc(count, sizeof(*platform->kinds));
    for (size_t i = 0; i < count; i++) {
        const struct dts_cfg item = dts_cfg_item(at, i);
        if (!dts_cfg_read(&item, kind_fields, &platform->kinds[i], err))
            return false;
        nodes += platform->kinds[i].nodes;
    }
    platform->kind_count = (int)count;
    if (nodes != platform->nodes)
        return dts_cfg_fail(at, NULL, err,
                            "must add up to the %d node%s of the platform, has %lld",
                            platform->nodes, dts_plural(platform->nodes), nodes);
    platform->device = platform->kinds[0].device;
    return true;
}

bool dts_platform_read_unlike(struct dts_platform *platform, const struct dts_cfg *node,
                              struct dts_error *err)
{
    const struct dts_cfg kinds = dts_cfg_member(node, "kinds"),
                         slow = dts_cfg_member(node, "slow");
    if (!dts_cfg_exists(&kinds) && platform->device == NULL)
        return dts_cfg_fail(node, "device", err, "missing (device file that nodes hold)");
    if (dts_cfg_exists(&kinds) && platform->device != NULL)
        return dts_cfg_fail(node, "device", err,
                            "must be left out, or null, where node.kinds says what nodes hold");
    return (!dts_cfg_exists(&kinds) || read_kinds(platform, &kinds, err)) &&
           read_slow(platform, &slow, err);
}

/* "1e+09 to 4e+09" */
static void add_range(struct dts_text *text, double least, double most)
{
    if (least == most)
        dts_text_add(text, "%.4g", least);
    else
        dts_text_add(text, "%.4g to %.4g", least, most);
}

/* What the file says of its hosts and dtsim leaves out. */
static void note_hosts(struct dts_platform *platform, bool use)
{
    const struct dts_net *net = &platform->net;
    double slowest = net->host_speed[0], fastest = slowest;
    int fewest = net->host_cores[0], most = fewest;
    for (int n = 1; n < net->nodes; n++) {
        slowest = fmin(slowest, net->host_speed[n]);
        fastest = fmax(fastest, net->host_speed[n]);
        fewest = net->host_cores[n] < fewest ? net->host_cores[n] : fewest;
        most = net->host_cores[n] > most ? net->host_cores[n] : most;
    }
    struct dts_text text = {0};
    const bool speeds = slowest < fastest && !use;
    if (speeds) {
        dts_text_add(&text, "speeds of hosts, ");
        add_range(&text, slowest, fastest);
        dts_text_add(&text, " flop/s, ");
    }
    if (fewest < most) {
        dts_text_add(&text, "%score counts of hosts, ", speeds ? "and " : "");
        add_range(&text, fewest, most);
        dts_text_add(&text, ", ");
    }
    if (text.length > 0)
        dts_text_add(&text, "are not used: all devices are taken alike%s",
                     speeds ? " (network.host_speeds uses speeds)"
                     : use  ? " but for their speeds"
                            : "");
    snprintf(platform->hosts_note, sizeof(platform->hosts_note), "%s", dts_text_string(&text));
    dts_text_free(&text);
}

bool dts_platform_use_hosts(struct dts_platform *platform, bool use,
                            const struct dts_cfg *network, struct dts_error *err)
{
    const double *speed = platform->net.host_speed;
    double fastest = 0;
    if (speed == NULL)
        return true;
    note_hosts(platform, use);
    if (!use)
        return true;
    for (int n = 0; n < platform->nodes; n++)
        fastest = fmax(fastest, speed[n]);
    for (int n = 0; n < platform->nodes; n++) {
        const double factor = fastest / speed[n];
        if (!(factor >= 1 && factor <= MOST_FACTOR))
            return dts_cfg_fail(network, "host_speeds", err,
                                "node %d of %g flop/s is more than %d times as slow as the "
                                "fastest, of %g",
                                n, speed[n], MOST_FACTOR, fastest);
        if (factor > 1)
            dts_platform_slow_node(platform, n, factor);
    }
    return true;
}

int dts_platform_node_of(const struct dts_platform *platform, int endpoint)
{
    return dts_net_node(&platform->net, endpoint);
}

int dts_platform_kind_of(const struct dts_platform *platform, int node)
{
    int kind = 0;
    for (int last = 0; kind < platform->kind_count; kind++) {
        last += platform->kinds[kind].nodes;
        if (node < last)
            return kind;
    }
    return 0;
}

void dts_platform_unlike_keys(struct dts_keys *keys)
{
    dts_keys_heading(keys, "Slow nodes:");
    dts_keys_add(keys, "node.slow", slow_fields);
    dts_keys_heading(keys, "Nodes of several kinds, which have one fabric and the same NICs:");
    dts_keys_add(keys, "node.kinds[]", kind_fields);
}
