/* explain.c -- what bounds a step, in words. */
#include "answer/explain.h"

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
    const char *verdict =
        step->exposed_comm_s < 0.01 * step->total_s ? "communication hides behind compute"
        : bound->link_s > 0.5 * step->comm_s        ? "that bounds the communication"
                                                    : "latency, sums and waiting take the rest";
    struct dts_text why = {0};
    const bool many = bound->links_alike > 1;
    dts_text_add(&why,
                 bound->servers_port ? "a server's port, %s%s, carries" : "link %s%s carries",
                 bound->link, many ? " (and others like it)" : "");
    dts_text_add(&why, " %.3g %s a step: ", bytes, unit);
    dts_text_add_significant(&why, 1e3 * bound->link_s, 3);
    dts_text_add(&why, " ms of ");
    dts_text_add_significant(&why, 1e3 * step->comm_s, 3);
    dts_text_add(&why, " ms communication; %s", verdict);
    snprintf(text, room, "%s", dts_text_string(&why));
    dts_text_free(&why);
}
