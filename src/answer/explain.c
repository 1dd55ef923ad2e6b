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
    dts_text_add(why, ": ");
}

/* "882 ms of 900 ms communication" */
static void add_share(struct dts_text *why, double seconds, const struct dts_step *step)
{
    dts_text_add_significant(why, 1e3 * seconds, 3);
    dts_text_add(why, " ms of ");
    dts_text_add_significant(why, 1e3 * step->comm_s, 3);
    dts_text_add(why, " ms communication; ");
}

void dts_explain_bound(const struct dts_bound *bound, const struct dts_step *step, char *text,
                       size_t room)
{
    double bytes;
    const char *unit;
    scale_bytes(bound->link_bytes, &bytes, &unit);
    if (bound->link_s <= 0) {
        snprintf(text, room, "nothing is sent: the step is its kernels");
        return;
    }
    const bool flow = bound->flow != NULL, many = bound->links_alike > 1;
    const double longest_s = flow ? fmin(bound->flow_s, step->comm_s) : bound->link_s;
    const char *verdict =
        step->exposed_comm_s < 0.01 * step->total_s ? "communication hides behind compute"
        : longest_s > 0.5 * step->comm_s            ? "that bounds the communication"
                                                    : "latency, sums and waiting take the rest";
    struct dts_text why = {0};
    add_limit(&why, bound);
    if (flow)
        add_share(&why, longest_s, step);
    else {
        dts_text_add(
            &why, bound->servers_port ? "a server's port, %s%s, carries" : "link %s%s carries",
            bound->link, many ? " (and others like it)" : "");
        dts_text_add(&why, " %.3g %s a step: ", bytes, unit);
        add_share(&why, bound->link_s, step);
    }
    dts_text_add(&why, "%s", verdict);
    if (flow) {
        dts_text_add(&why, "; link %s alone needs ", bound->link);
        dts_text_add_significant(&why, 1e3 * bound->link_s, 3);
        dts_text_add(&why, " ms");
    }
    snprintf(text, room, "%s", dts_text_string(&why));
    dts_text_free(&why);
}
