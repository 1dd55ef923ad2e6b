/* bound.h -- what no answer can be faster than: the busiest link, and the compute.
 *
 * An engine that says a step is shorter than its kernels, or than the time that a link needs
 * for the bytes of a step, is wrong, whatever it simulated.
 */
#ifndef DTS_SIM_LOAD_BOUND_H
#define DTS_SIM_LOAD_BOUND_H

#include "sim/load/load.h"

struct dts_bound {
    double compute_s;  // kernels of one rank of role 0, undisturbed
    double link_s;     // of the busiest link: its bytes of one step / its capacity
    double link_bytes; // that it carries in one step
    char link[64];     // its name; "": nothing is sent
    int links_alike;   // how many links are as busy as that, within 1 %
    bool servers_port; // all that another role has for ranks on other nodes goes over it, or
                       // all that it has from them
    bool drawn; // messages may take one of several paths: link_s is what the busiest link
                // carries on average, and one simulation may do with less
};

void dts_bound_find(const struct dts_simulation *simulation, struct dts_loader *loader,
                    struct dts_bound *bound);

/* Does an answer keep its bounds? If not, it is an error of ours: DTS_SYSTEM. The link is no
 * bound for an engine that draws paths. */
bool dts_bound_check(const struct dts_bound *bound, const struct dts_timing *timing,
                     const char *engine, struct dts_error *err);

#endif
