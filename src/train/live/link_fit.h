/* link_fit.h -- measured seconds of messages become a latency, a rate and factors by size, as a
 * transport has them (sim/net/transport.h).
 */
#ifndef DTS_TRAIN_LIVE_LINK_FIT_H
#define DTS_TRAIN_LIVE_LINK_FIT_H

#include <stdbool.h>

#include "sim/net/transport.h"

struct dts_link_fit {
    double latency_s;   // of the smallest message
    double bytes_per_s; // that large messages approach
    struct dts_transport_range ranges[DTS_TRANSPORT_RANGES];
    int range_count;
};

/* seconds[i] for a message of bytes[i]: ascending, from a byte to some MiB; 2 to
 * DTS_TRANSPORT_RANGES of them. bursts: what is faster than large messages are does not last;
 * else each size is as fast as it was measured, and all between two of them on a line. */
void dts_link_fit(const double *bytes, const double *seconds, int count, bool bursts,
                  struct dts_link_fit *fit);

/* What the fit says for a message of this size. */
double dts_link_fit_seconds(const struct dts_link_fit *fit, double bytes);

#endif
