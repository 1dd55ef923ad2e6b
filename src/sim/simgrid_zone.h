/* simgrid_zone.h -- what needs SimGrid's C++: a platform whose routes are those of a network,
 * and a look into platforms that SimGrid reads from XML.
 *
 * SimGrid takes one platform per process: dts_simgrid_start() and then one of the two others,
 * once, in a child (child.h).
 */
#ifndef DTS_SIM_SIMGRID_ZONE_H
#define DTS_SIM_SIMGRID_ZONE_H

#include <simgrid/forward.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "sim/net.h"

/* SimGrid counts whole bytes. We count in parts of one, so that a message of a few bytes takes
 * the time that its size says: capacities and sizes are multiplied by this. */
enum { DTS_SIMGRID_PARTS = 1024 };

/* Initialise SimGrid for so many actors: fair sharing, no latency of its own (exact.c),
 * silent. */
void dts_simgrid_start(int actors);

/* Which path the next message from endpoint src to endpoint dst takes. SimGrid asks once for
 * each message, when it enters the network. */
struct dts_simgrid_paths {
    int (*next)(void *self, int src, int dst);
    void *self;
};

/* Make the platform: the links of a network, and a host for each endpoint in the list. hosts[i]
 * becomes that of endpoint[i]; equal endpoints have one host. */
void dts_simgrid_make(const struct dts_net *net, const int *endpoint, int count,
                      const struct dts_simgrid_paths *paths, sg_host_t *hosts);

/* A mailbox. With a receiver, messages start as soon as they are sent, otherwise when the
 * receiver is there, too. */
sg_mailbox_t dts_simgrid_mailbox(const char *name, sg_actor_t receiver);

/* Wait for all messages, and call over(self, i) whenever number i is. Releases them. */
void dts_simgrid_wait_each(const sg_comm_t *comms, int count, void (*over)(void *self, int i),
                           void *self);

/* Load an XML platform. What SimGrid throws becomes an error, what it aborts on aborts. */
bool dts_simgrid_load(const char *path, struct dts_error *err);

/* The links from host to host, at most `room`; returns how many. */
int dts_simgrid_route(sg_host_t from, sg_host_t to, sg_link_t *links, int room,
                      double *latency_s);

/* Is its capacity a number that flows share (or, FATPIPE, that caps each)? Wi-Fi is not. */
bool dts_simgrid_is_plain(sg_link_t link);

#ifdef __cplusplus
}
#endif

#endif
