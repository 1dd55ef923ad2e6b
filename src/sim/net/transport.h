/* transport.h -- how software moves a message over a path: what it adds to the wire.
 *
 *     alpha(bytes)      = path latency * latency_factor(bytes) + overhead
 *     wire bytes(bytes) = bytes / (efficiency * bandwidth_factor(bytes))
 *
 * The rows are those of transport.c, each with its source; a platform or a stack names one and
 * may change single values of it.
 */
#ifndef DTS_SIM_NET_TRANSPORT_H
#define DTS_SIM_NET_TRANSPORT_H

#include "base/json/cfg.h"

enum { DTS_TRANSPORT_RANGES = 12 };

/* From this many bytes on, until the next range. */
struct dts_transport_range {
    double from_bytes;
    double latency_factor, bandwidth_factor;
};

struct dts_transport {
    const char *name, *summary, *source;
    double efficiency;       // of the wire, 0 to 1: headers, protocol
    double overhead_s;       // per message
    double flow_bytes_per_s; // cap of one flow; 0: none
    double host_bytes_per_s; // what all flows of an endpoint share each way; 0: no limit
    bool staged;             // device memory passes through the host over PCIe
    bool blocking;           // the sender waits for alpha before it sends (MPI rendezvous)
    double
        reduce_bytes_per_s; // sums what arrives at this rate; 0: the device's memory rate / 3
    struct dts_transport_range ranges[DTS_TRANSPORT_RANGES]; // by from_bytes; the first is 0
    int range_count;                                         // 0: factors are 1
};

extern const struct dts_transport *const dts_transports[]; // ended by NULL
const struct dts_transport *dts_transport_find(const char *name);
const char *dts_transport_name(int i);

/* The factors for a message of this size. */
struct dts_transport_range dts_transport_at(const struct dts_transport *transport,
                                            double bytes);

/* What a message pays on a path of so much latency, and the bytes that it puts on the wire. */
double dts_transport_alpha(const struct dts_transport *transport, double latency_s,
                           double bytes);
double dts_transport_wire_bytes(const struct dts_transport *transport, double bytes);

/* Bytes of data for each byte on the wire, at the size of message that is best for it. */
double dts_transport_best(const struct dts_transport *transport);

/* {"name": "tcp", "efficiency": 0.94, ...} or "tcp": a row with changes. A place with nothing
 * there is an error. */
bool dts_transport_read(const struct dts_cfg *at, struct dts_transport *out,
                        struct dts_error *err);

#endif
