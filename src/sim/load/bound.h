/* bound.h -- what no answer can be faster than: the busiest link, and the compute.
 *
 * An engine that says a step is shorter than its kernels, or than the time that a link needs
 * for the bytes of a step, is wrong, whatever it simulated.
 */
#ifndef DTS_SIM_LOAD_BOUND_H
#define DTS_SIM_LOAD_BOUND_H

#include "sim/load/load.h"

struct dts_bound {
    double compute_s; // kernels of the slowest rank of role 0, undisturbed, or its host's calls
    double plain_s;   // the same of a rank of factor 1
    double issue_s;   // of a host, for the calls of a step
    double link_s;    // of the busiest link: its bytes of one step / its capacity
    double link_bytes; // that it carries in one step
    char link[64];     // its name; "": nothing is sent
    int links_alike;   // how many links are as busy as that, within 1 %

    /* The link carries all that another role sends to ranks on other nodes, or all that it
     * receives from them. */
    bool servers_port;

    /* A transport that limits single flows needs longer for the messages of a stream, one after
     * the other, than any link does. NULL: none does. */
    const struct dts_transport *flow;
    double flow_s; // how long

    const struct dts_transport
        *host; // the link is what this one lets a host do; NULL: it is not

    /* Messages take one of several paths: link_s is the mean of the busiest link, and a
     * simulation may need less. */
    bool drawn;

    /* Some workers wait for no message: the mean step may be shorter than a link needs, whose
     * messages then are fewer. */
    bool links_apart;
};

void dts_bound_find(const struct dts_simulation *simulation, struct dts_loader *loader,
                    struct dts_bound *bound);

/* Does an answer keep its bounds? If not, it is an error of ours: DTS_SYSTEM. The link is no
 * bound for an engine that draws paths. */
bool dts_bound_check(const struct dts_bound *bound, const struct dts_timing *timing,
                     const char *engine, struct dts_error *err);

#endif
