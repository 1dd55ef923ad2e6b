/* paced.h -- the transports that messages of a collective take: those of the network, or what
 * its library makes of them (struct dts_coll_pace).
 */
#ifndef DTS_SIM_PACED_H
#define DTS_SIM_PACED_H

#include "plan/plan.h"
#include "sim/net/net.h"

/* pace NULL or not known: those of the network. */
void dts_paced_transports(const struct dts_net *net, const struct dts_coll_pace *pace,
                          struct dts_transport transports[2]);

#endif
