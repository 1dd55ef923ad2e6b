/* simgrid_zone.h -- what needs SimGrid's C++: a platform whose routes are those of a network,
 * its events, and a look into platforms that SimGrid reads from XML.
 *
 * SimGrid takes one platform per process: dts_simgrid_start() and then one of the two others,
 * once, in a child (child.h).
 */
#ifndef DTS_SIM_EXACT_SIMGRID_ZONE_H
#define DTS_SIM_EXACT_SIMGRID_ZONE_H

#include <simgrid/forward.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "sim/net/net.h"

/* SimGrid counts whole bytes. We count in parts of one, so that a message of a few bytes takes
 * the time that its size says: capacities and sizes are multiplied by this. */
enum { DTS_SIMGRID_PARTS = 1024 };

/* Initialise SimGrid: fair sharing, no latency of its own (simulate.c), silent. */
void dts_simgrid_start(void);

/* The links that the flow takes which enters the network now; returns how many. SimGrid asks
 * once for each flow. */
struct dts_simgrid_path {
    int (*links)(void *self, const int **links);
    void *self;
};

/* Make the platform: the links of a network that lie between the endpoints in the list, and a
 * host for each. hosts[i] becomes that of endpoint[i]; equal endpoints have one host. */
void dts_simgrid_make(const struct dts_net *net, const int *endpoint, int count,
                      const struct dts_simgrid_path *path, sg_host_t *hosts);

/* Simulated time. SimGrid's own way to write a simulation, an actor with a stack for each thing
 * that happens, costs up to six switches for each message. Here nothing has a stack: what
 * happens next is decided where something ended. */
struct dts_simgrid_loop;

struct dts_simgrid_events {
    void (*begin)(void *self, struct dts_simgrid_loop *loop); // at time 0
    void (*arrived)(void *self, void *message);               // a flow is over
    double (*next_s)(void *self); // the time of the next event, not in the past
    void (*due)(void *self);      // the clock has moved: carry out what is due
    void *self;
};

/* Run until dts_simgrid_end(), or until nothing can happen any more. Any host will do. */
void dts_simgrid_run(const struct dts_simgrid_events *events, sg_host_t host);
void dts_simgrid_end(struct dts_simgrid_loop *loop);

struct dts_simgrid_flow {
    sg_host_t from, to;
    double bytes;
    double most_bytes_per_s; // INFINITY: as its links allow
    void *message;           // what `arrived` is called with
};

/* It enters the network now. */
void dts_simgrid_enter(struct dts_simgrid_loop *loop, const struct dts_simgrid_flow *flow);

/* Load an XML platform. What SimGrid throws becomes an error, what it aborts on aborts. */
bool dts_simgrid_load(const char *path, struct dts_error *err);

/* The links from host to host, at most `room`; returns how many. */
int dts_simgrid_route(sg_host_t from, sg_host_t to, sg_link_t *links, int room,
                      double *latency_s);

/* Are both in a zone of kind Vivaldi, where coordinates make latency, and no links are needed?
 */
bool dts_simgrid_by_coordinates(sg_host_t from, sg_host_t to);

/* Is its capacity a number that flows share (or, FATPIPE, that caps each)? Wi-Fi is not. */
bool dts_simgrid_is_plain(sg_link_t link);

#ifdef __cplusplus
}
#endif

#endif
