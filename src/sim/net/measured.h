/* measured.h -- all-reduces that were measured become factors of a transport.
 *
 * A ring of n ranks takes 2 (n - 1) steps, each with a message of size / (n x channels) on each
 * of its channels. So a step takes seconds / (2 (n - 1)), and what it takes beyond the links'
 * latency and rate are the factors for messages of that size.
 */
#ifndef DTS_SIM_NET_MEASURED_H
#define DTS_SIM_NET_MEASURED_H

#include "sim/net/net.h"

/* Reads the file that a transport names, and thins its rows out to as many as there are ranges.
 */
bool dts_measured_ring_read(const char *path, struct dts_measured_ring *measured,
                            struct dts_error *err);

/* Puts factors into the transports of a network that were measured. */
bool dts_measured_ring_apply(struct dts_net *net, struct dts_error *err);

#endif
