/* measured.c -- thins rows out, and turns seconds of steps into factors relative to the links.
 */
#include "sim/net/measured.h"

#include <math.h>
#include <string.h>

#include "sim/net/nccl_tests.h"

/* By how much a row is off the line between its neighbours, of its own seconds. */
static double bend(const struct dts_nccl_tests *t, int i)
{
    const double part = (t->bytes[i] - t->bytes[i - 1]) / (t->bytes[i + 1] - t->bytes[i - 1]);
    const double line = t->seconds[i - 1] + part * (t->seconds[i + 1] - t->seconds[i - 1]);
    return fabs(line / t->seconds[i] - 1);
}

static void drop(struct dts_nccl_tests *t, int row)
{
    t->count--;
    for (int i = row; i < t->count; i++) {
        t->bytes[i] = t->bytes[i + 1];
        t->seconds[i] = t->seconds[i + 1];
    }
}

bool dts_measured_ring_read(const char *path, struct dts_measured_ring *measured,
                            struct dts_error *err)
{
    struct dts_nccl_tests tests;
    if (!dts_nccl_tests_read(path, measured->ranks, &tests, err))
        return false;
    while (tests.count > DTS_TRANSPORT_RANGES) {
        int least = 1;
        for (int i = 2; i + 1 < tests.count; i++)
            if (bend(&tests, i) < bend(&tests, least))
                least = i;
        drop(&tests, least);
    }
    measured->count = tests.count;
    for (int i = 0; i < tests.count; i++) {
        measured->bytes[i] = tests.bytes[i] / measured->ranks / measured->channels;
        measured->seconds[i] = tests.seconds[i] / (2.0 * (measured->ranks - 1));
    }
    return true;
}

/* Latency of a path, and the rate of the slowest link that all paths of a pair have. */
static void look(const struct dts_net *net, int src, int dst, double *latency_s, double *rate)
{
    int first[DTS_MAX_ROUTE], last[DTS_MAX_ROUTE];
    const int paths = net->ops->paths(net->self, src, dst);
    const int firsts = net->ops->route(net->self, src, dst, 0, first);
    const int lasts = net->ops->route(net->self, src, dst, paths - 1, last);
    *latency_s = dts_net_latency(net, src, dst);
    *rate = INFINITY;
    for (int i = 0; i < firsts; i++)
        for (int k = 0; k < lasts; k++)
            if (first[i] == last[k])
                *rate = fmin(*rate, net->ops->capacity(net->self, first[i]));
}

/* Between two rows a step is on a line; before the first and after the last the line goes on.
 * No line is steeper than the links are fast, or begins before zero. */
static void fill_ranges(const struct dts_measured_ring *m, double latency_s, double rate,
                        struct dts_transport *transport)
{
    transport->range_count = m->count - 1;
    for (int i = 0; i < transport->range_count; i++) {
        const double slope =
            (m->seconds[i + 1] - m->seconds[i]) / (m->bytes[i + 1] - m->bytes[i]);
        double per_byte = fmax(slope, 1 / rate);
        double alpha_s = m->seconds[i] - per_byte * m->bytes[i];
        if (alpha_s < 0) {
            per_byte = fmax(m->seconds[i] / m->bytes[i], 1 / rate);
            alpha_s = 0;
        }
        transport->ranges[i] = (struct dts_transport_range){
            .from_bytes = i == 0 ? 0 : m->bytes[i],
            .latency_factor = alpha_s / latency_s,
            .bandwidth_factor = 1 / (per_byte * rate),
        };
    }
}

static bool apply(struct dts_net *net, int by, struct dts_error *err)
{
    static const double slack = 1.02; // of what links can do: measurements scatter
    struct dts_transport *transport = &net->transports[by];
    const struct dts_measured_ring *m = &transport->measured;
    const int dst = by == DTS_WITHIN ? 1 : net->devices_per_node;
    double latency_s, rate;
    if (m->count == 0 || (by == DTS_WITHIN ? net->devices_per_node < 2 : net->nodes < 2))
        return true;
    if ((by == DTS_WITHIN) != (m->nodes == 1))
        return dts_fail(err, DTS_BAD_INPUT,
                        "%s: measured on %d node%s: does not tell of messages %s", m->file,
                        m->nodes, m->nodes == 1 ? "" : "s",
                        by == DTS_WITHIN ? "within a node" : "between nodes");
    look(net, 0, dst, &latency_s, &rate);
    if (latency_s == 0)
        return dts_fail(err, DTS_BAD_INPUT,
                        "%s: the links that were measured must have a latency > 0", m->file);
    const double best = m->bytes[m->count - 1] / m->seconds[m->count - 1];
    if (best > slack * rate)
        return dts_fail(
            err, DTS_BAD_INPUT,
            "%s: a ring of %d channel%s has %.3g GB/s in each, more than the links' "
            "%.3g: more channels, or no ring (NCCL_ALGO=Ring)",
            m->file, m->channels, m->channels == 1 ? "" : "s", best / 1e9, rate / 1e9);
    fill_ranges(m, latency_s, rate, transport);
    return true;
}

bool dts_measured_ring_apply(struct dts_net *net, struct dts_error *err)
{
    return apply(net, DTS_WITHIN, err) && apply(net, DTS_BETWEEN, err);
}
