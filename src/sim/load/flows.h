/* flows.h -- messages under way: each moves at the rate that max-min fair sharing leaves to it,
 * as time passes and others begin and end.
 *
 * When a message begins or ends, only those get a new rate that it is tied to by links which
 * all their messages together could fill; who is limited elsewhere is left alone.
 */
#ifndef DTS_SIM_LOAD_FLOWS_H
#define DTS_SIM_LOAD_FLOWS_H

#include "sim/load/route_shares.h"

struct dts_flows;

struct dts_flows *dts_flows_new(const struct dts_route_shares *pairs);
void dts_flows_free(struct dts_flows *flows);

/* A message enters the wire. `tag` is the caller's. */
void dts_flows_start(struct dts_flows *flows, int pair, double bytes, int tag, double now);

/* Share the links anew, after all that starts and ends at this time. */
void dts_flows_settle(struct dts_flows *flows, double now);

/* When the next message ends; INFINITY: none is under way. */
double dts_flows_next(const struct dts_flows *flows);

/* Take away a message that ends by then; its tag, or -1: none does. */
int dts_flows_end(struct dts_flows *flows, double by);

#endif
