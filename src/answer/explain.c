/* explain.c -- what bounds a step, in words. */
#include "answer/explain.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"

static void scale_bytes(double bytes, double *value, const char **unit)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int i = 0;
    while (bytes >= 999.5 && i < 5) {
        bytes /= 1000;
        i++;
    }
    *value = bytes;
    *unit = units[i];
}

/* "63.9 s", "33.7 ms", "12 us". */
static void add_seconds(struct dts_text *text, double seconds)
{
    const bool whole = seconds >= 10, small = seconds < 1e-4;
    dts_text_add_significant(text, seconds * (whole ? 1 : small ? 1e6 : 1e3), 3);
    dts_text_add(text, whole ? " s" : small ? " us" : " ms");
}

/* "the 24 cores of a node decode 2.91e3 samples a second", in parentheses. */
static void add_input(struct dts_text *why, const struct dts_why *e)
{
    const bool fed = 2 * e->input.seconds[DTS_INPUT_FEED] >= e->step->input_s;
    const enum dts_input_part part = fed ? DTS_INPUT_FEED : e->input.bound;
    if (e->input.seconds[part] <= 0)
        return;
    const double rate = e->input.samples[part] / e->input.seconds[part];
    switch (part) {
    case DTS_INPUT_SHARED:
        dts_text_add(why, " (the storage that all nodes share gives ");
        break;
    case DTS_INPUT_STORAGE:
        dts_text_add(why, " (the storage of a node gives ");
        break;
    case DTS_INPUT_CORES:
        dts_text_add(why, " (the %d cores of a node decode ", e->machine->cores);
        break;
    case DTS_INPUT_MEMORY:
        dts_text_add(why, " (the memory of a host lets pass ");
        break;
    default:
        dts_text_add(why, " (a host hands over, one by one, ");
        break;
    }
    dts_text_add_significant(why, rate, 3);
    dts_text_add(why, " samples/s)");
}

/* What bounds the step: the longest of kernels, communication that they do not hide, and input.
 * Where kernels wait for samples that are read ahead, the step is what input makes it. */
static void add_step(struct dts_text *why, const struct dts_why *e)
{
    const struct dts_step *step = e->step;
    const double hidden = 0.01; // of the step: less is nothing
    const double input_s = isfinite(step->input_s) ? step->input_s : 0;
    const double kernels_s = step->total_s - step->exposed_comm_s - input_s;
    if (step->compute_s <= 0)
        return;                                      // a collective alone
    const double late_s = input_s - e->input.here_s; // read ahead, and not there in time
    const bool input = (input_s > kernels_s && input_s > step->exposed_comm_s) ||
                       late_s >= hidden * step->total_s;
    const bool communication = !input && step->exposed_comm_s > kernels_s;
    const bool host =
        !input && !communication && e->bound->issue_s >= (1 - hidden) * step->total_s;
    dts_text_add(why, "%s the step, ",
                 input           ? "input bounds"
                 : communication ? "communication bounds"
                 : host          ? "the host, which issues the calls of kernels, bounds"
                                 : "kernels bound");
    if (input_s >= hidden * step->total_s) {
        add_seconds(why, input_s);
        dts_text_add(why, " of it are input that is waited for");
        add_input(why, e);
        dts_text_add(why, "; ");
    }
    if (step->comm_s <= 0)
        return;
    if (step->exposed_comm_s < hidden * step->total_s) {
        const bool seen = step->exposed_comm_s >= (1 - hidden) * step->comm_s;
        add_seconds(why, step->comm_s);
        dts_text_add(why, seen ? " of communication are not hidden, but less than 1 %% of it; "
                               : " of communication are hidden; ");
        return;
    }
    add_seconds(why, step->exposed_comm_s);
    if (step->exposed_comm_s > (1 + hidden) * step->comm_s) {
        // of stages for one another, or for the host
        dts_text_add(why, " are waits, of which ");
        add_seconds(why, step->comm_s);
        dts_text_add(why, " at most for communication; ");
        return;
    }
    dts_text_add(why, " of ");
    add_seconds(why, step->comm_s);
    dts_text_add(why, " communication are not hidden; ");
}

/* What the transport lets one flow, or a host, do; where that is no limit, nothing. */
static void add_limit(struct dts_text *why, const struct dts_bound *bound)
{
    const struct dts_transport *flow = bound->flow, *host = bound->host;
    const char *unit;
    double bytes;
    if (flow != NULL && flow->flows > 1)
        dts_text_add(why, "the %d flows of a message of %s carry at most ", flow->flows,
                     flow->name);
    else if (flow != NULL)
        dts_text_add(why, "one flow of %s carries at most ", flow->name);
    else if (host != NULL)
        dts_text_add(why, "a host sends and receives at most ");
    else
        return;
    scale_bytes(flow != NULL ? dts_transport_message_rate(flow) : host->host_bytes_per_s,
                &bytes, &unit);
    dts_text_add_significant(why, bytes, 3);
    dts_text_add(why, " %s/s", unit);
    if (flow == NULL)
        dts_text_add(why, " by %s", host->name);
    dts_text_add(why, "; ");
}

/* The busiest link, and how long all operations together keep it busy: with headers, and with
 * what a protocol leaves idle, so that bytes would say less. */
static void add_busiest(struct dts_text *why, const struct dts_bound *bound)
{
    dts_text_add(why, "%s%s%s is busy for ",
                 bound->servers_port ? "a server's port, " : "link ", bound->link,
                 bound->links_alike > 1 ? " (and others like it)" : "");
    add_seconds(why, bound->link_s);
}

/* "waits 158 ms for node0.nic0.out, 182 ms for leaf0.up, 4 ms for latency and sums". */
static void add_waits(struct dts_text *why, const struct dts_why *e)
{
    const struct dts_bottleneck *found = e->found;
    const struct dts_step *step = e->step;
    const double named = 0.02; // of the communication: less is not worth a word
    double left_s = step->comm_s;
    int said = 0;
    dts_text_add(why, "; the messages wait ");
    for (int i = 0; i < e->count; i++) {
        left_s -= found[i].seconds;
        if (i > 0 && found[i].seconds < named * step->comm_s)
            continue;
        dts_text_add(why, "%s", said++ > 0 ? ", " : "");
        add_seconds(why, found[i].seconds);
        dts_text_add(why, " for %s",
                     found[i].link[0] != '\0' ? found[i].link : "flows at their limit");
    }
    if (left_s > named * step->comm_s) {
        dts_text_add(why, "%s", said > 0 ? ", " : "");
        add_seconds(why, left_s);
        dts_text_add(why, " for latency, sums and %s", e->neighbours ? "neighbours" : "others");
    }
}

void dts_explain_bound(const struct dts_why *e, char *text, size_t room)
{
    struct dts_text why = {0};
    add_step(&why, e);
    if (e->bound->link_s <= 0) {
        snprintf(text, room, "%snothing is sent", dts_text_string(&why));
        dts_text_free(&why);
        return;
    }
    add_limit(&why, e->bound);
    add_busiest(&why, e->bound);
    if (e->step->comm_s > 0)
        add_waits(&why, e);
    snprintf(text, room, "%s", dts_text_string(&why));
    dts_text_free(&why);
}
