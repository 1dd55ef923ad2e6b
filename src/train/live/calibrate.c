/* calibrate.c -- measured rates as a platform file that the simulator reads.
 *
 * Nodes on a network: a port each way for each node, at the rate of a pair that sends both
 * ways. Ranks on one node: a port for each rank, at the rate of a lone message, and what all
 * ranks share, at the rate that they reach when all send at once; on few cores that is much
 * less.
 */
#include "train/live/calibrate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json/cfg.h"
#include "base/json/json_out.h"
#include "base/os/clock.h"
#include "base/os/file.h"
#include "base/os/processor.h"
#include "base/stats.h"
#include "base/text.h"
#include "device/here.h"
#include "live/calibrate.h"
#include "train/live/calibrate_tell.h"
#include "train/live/link_fit.h"

static double node_memory_bytes(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

static void put_ranges(struct dts_json *json, const struct dts_link_fit *fit)
{
    dts_json_list(json, "ranges");
    for (int r = 0; r < fit->range_count; r++) {
        dts_json_object(json, NULL);
        dts_json_number(json, "from_bytes", fit->ranges[r].from_bytes);
        dts_json_number(json, "latency_factor", fit->ranges[r].latency_factor);
        dts_json_number(json, "bandwidth_factor", fit->ranges[r].bandwidth_factor);
        dts_json_end(json);
    }
    dts_json_end(json);
}

/* How messages move between ranks in this relation. host_bytes_per_s 0: nothing is shared. */
static void put_transport(struct dts_json *json, const char *key, const char *name,
                          const struct dts_calibration *c, const struct dts_link_seconds *link,
                          double host_bytes_per_s)
{
    struct dts_link_fit fit;
    if (!link->measured) {
        dts_json_string(json, key, name);
        return;
    }
    dts_link_fit(dts_calibrate_bytes, link->all_s, DTS_CALIBRATE_SIZES, link != &c->within,
                 &fit);
    dts_json_object(json, key);
    dts_json_string(json, "name", name);
    dts_json_number(json, "efficiency", 1);
    dts_json_number(json, "overhead_s", 0);
    dts_json_number(json, "flow_bytes_per_s", 0);
    dts_json_number(json, "host_bytes_per_s", host_bytes_per_s);
    dts_json_bool(json, "staged", false);
    dts_json_bool(json, "blocking", true);
    dts_json_number(json, "reduce_bytes_per_s", 1 / link->sum_s_per_byte);
    dts_json_number(json, "spread_percent", 100 * link->spread);
    put_ranges(json, &fit);
    dts_json_string(
        json, "source",
        "measured: every rank sends to one and receives from another, in the hosts' memory; "
        "sums: how much longer that takes where what arrives is added");
    dts_json_end(json);
}

/* The fit of what all ranks reach at once has the factors by size; a lone message is so much
 * faster, at all sizes that its rate decides on. */
static double lone_rate(const struct dts_link_seconds *link, const struct dts_link_fit *fit)
{
    double times[DTS_CALIBRATE_SIZES];
    int count = 0;
    for (int i = 0; i < DTS_CALIBRATE_SIZES; i++)
        if (dts_calibrate_bytes[i] >= 65536)
            times[count++] = link->all_s[i] / link->one_way_s[i];
    return fit->bytes_per_s * dts_median(times, count);
}

/* Into one rank and back: with the factor of the size that it was measured with, it is what was
 * measured. */
static double star_rate(const struct dts_link_seconds *link, const struct dts_link_fit *fit)
{
    const double bytes = dts_calibrate_star_bytes;
    return link->star_bytes_per_s * fit->bytes_per_s * dts_link_fit_seconds(fit, bytes) / bytes;
}

static struct dts_link_fit within_fit(const struct dts_calibration *c)
{
    struct dts_link_fit fit;
    dts_link_fit(dts_calibrate_bytes, c->within.all_s, DTS_CALIBRATE_SIZES, false, &fit);
    return fit;
}

/* Of one node alone: never used, and no faster than what would be its slot. */
static double assumed_port(const struct dts_calibration *c)
{
    const double assumed = 1.25e9;
    if (!c->within.measured)
        return assumed;
    const struct dts_link_fit fit = within_fit(c);
    return fmin(assumed, lone_rate(&c->within, &fit));
}

static void put_fabric(struct dts_json *json, const struct dts_calibration *c)
{
    const struct dts_link_seconds *within = &c->within;
    dts_json_object(json, "fabric");
    dts_json_string(json, "kind", within->measured ? "pcie" : "none");
    if (!within->measured) {
        dts_json_number(json, "copy_bytes_per_s", c->copy_bytes_per_s);
        dts_json_number(json, "copy_latency_us", 0);
        dts_json_string(json, "source", "measured: memcpy, 16 MiB");
        dts_json_end(json);
        return;
    }
    // What two directions take from each other is in what all ranks share.
    const struct dts_link_fit fit = within_fit(c);
    const double port = lone_rate(within, &fit);
    dts_json_object(json, "pcie");
    dts_json_integer(json, "sockets", 1);
    dts_json_number(json, "device_bytes_per_s", port);
    dts_json_number(json, "memory_bytes_per_s",
                    within->star_bytes_per_s > 0 ? star_rate(within, &fit) : port);
    dts_json_number(json, "hop_latency_us", 1e6 * within->all_s[0] / 2);
    dts_json_string(
        json, "source",
        "measured, as if shared memory were a tree: one rank sends to another; into one from "
        "all others and back, as a server does; half of the time of a byte for each of two "
        "hops");
    dts_json_end(json);
    dts_json_end(json);
}

static void put_compute(struct dts_json *json, const struct dts_calibration *c)
{
    dts_json_object(json, "compute");
    dts_json_list(json, "together");
    for (int k = 0; k < c->together_count; k++)
        dts_json_number(json, NULL, c->together[k]);
    dts_json_end(json);
    dts_json_number(json, "communicating", c->communicating);
    dts_json_number(json, "messages", c->messages);
    dts_json_string(json, "source",
                    "measured: small products and sums, on 1, 2, ... ranks of a node, and on "
                    "all while they exchange messages");
    dts_json_end(json);
}

static void put_node(struct dts_json *json, const struct dts_calibration *c)
{
    dts_json_object(json, "node");
    dts_json_string(json, "device", DTS_HERE);
    dts_json_integer(json, "devices", c->per_node);
    dts_json_number(json, "host_memory_bytes", node_memory_bytes());
    dts_json_number(json, "host_memory_bytes_per_s", 3 * c->sum_bytes_per_s);
    put_fabric(json, c);
    put_compute(json, c);
    dts_json_string(json, "source",
                    "host_memory_bytes_per_s: measured, x += y moves 3 values for each");
    dts_json_end(json);
}

static void put_network(struct dts_json *json, const struct dts_calibration *c)
{
    const struct dts_link_seconds *between = &c->between;
    const double port = between->measured ? dts_calibrate_port_rate(c) : assumed_port(c);
    dts_json_object(json, "nics");
    dts_json_integer(json, "count", 1);
    dts_json_number(json, "bytes_per_s", port);
    dts_json_number(json, "latency_us", 0);
    dts_json_string(json, "source",
                    between->measured ? "measured: a pair of nodes, both send"
                                      : "assumed: one node alone needs none");
    dts_json_end(json);
    dts_json_object(json, "network");
    dts_json_string(json, "kind", "star");
    dts_json_number(json, "latency_us", between->measured ? 1e6 * between->all_s[0] : 0);
    dts_json_string(json, "source",
                    between->measured ? "measured: a message of a byte" : "assumed");
    dts_json_end(json);
}

/* A rank may receive less from many than from one. */
static double incast_limit(const struct dts_calibration *c)
{
    const struct dts_link_seconds *between = &c->between;
    const double noise = 0.9; // less than this share of the port is no noise. ASSUMED
    const double port = dts_calibrate_port_rate(c);
    bool limited =
        between->incast_bytes_per_s > 0 && between->incast_bytes_per_s < noise * port;
    return limited ? between->incast_bytes_per_s : 0;
}

static const char written_by[] = "measured by dtsim calibrate"; // begins the summary

/* A file that is there is written anew only where calibrate wrote it: what somebody filled in
 * by hand would be lost. */
static bool spares_others(const char *output, struct dts_error *err)
{
    struct stat status;
    struct dts_doc *doc;
    struct dts_error ignored = {0};
    const char *summary = "";
    if (strcmp(output, "-") == 0 || stat(output, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size == 0)
        return true;
    bool ours = dts_doc_load(&doc, output, &ignored);
    if (ours) {
        const struct dts_cfg top = dts_doc_top(doc), at = dts_cfg_member(&top, "summary");
        ours = dts_cfg_string(&at, &summary, &ignored) &&
               strncmp(summary, written_by, strlen(written_by)) == 0;
        dts_doc_free(doc);
    }
    return ours || dts_fail(err, DTS_BAD_INPUT,
                            "%s: is there already, and is no file of dtsim calibrate", output);
}

static void write_platform(const struct dts_calibration *c, FILE *out)
{
    struct dts_json json = {.out = out, .lines = 4};
    char cpu[200], summary[400];
    dts_processor_name(cpu, sizeof(cpu));
    snprintf(summary, sizeof(summary), "%s: %d node%s x %d, %s", written_by, c->nodes,
             dts_plural(c->nodes), c->per_node, cpu);
    dts_json_object(&json, NULL);
    dts_json_string(&json, "name", "calibrated");
    dts_json_string(&json, "summary", summary);
    dts_json_integer(&json, "nodes", c->nodes);
    put_node(&json, c);
    put_network(&json, c);
    dts_json_object(&json, "transports");
    const double shared = dts_calibrate_within_rate(c) * c->per_node;
    put_transport(&json, "within", "shared_memory", c, &c->within, shared);
    put_transport(&json, "between", "tcp", c, &c->between, incast_limit(c));
    dts_json_end(&json);
    dts_json_end(&json);
}

bool dts_live_calibrate(const char *output, const struct dts_wire *wire, struct dts_error *err)
{
    struct dts_calibration calibration;
    struct dts_output out;
    struct dts_calibrate_progress progress = {.begin_s = dts_now_s(), .told_s = dts_now_s()};
    const struct dts_calibrate_listener listener = {dts_calibrate_tell_part, &progress};
    if (dts_wire_rank(wire) == 0)
        (void)(dts_output_try(output, err) && spares_others(output, err));
    if (!dts_wire_agree(wire, err))
        return false;
    dts_calibrate_tell_load(wire);
    if (!dts_calibrate(wire, &listener, &calibration, err))
        return false;
    if (dts_wire_rank(wire) > 0)
        return true;
    if (!dts_output_open(&out, output, err))
        return false;
    write_platform(&calibration, out.stream);
    if (!dts_output_close(&out, err))
        return false;
    dts_calibrate_tell_result(&calibration, dts_now_s() - progress.begin_s, stderr);
    return true;
}
