/* transport.h -- what software adds to a message on its path: latency, and bytes on the wire.
 *
 *     alpha(bytes)      = path latency * latency_factor(bytes) + overhead
 *     wire bytes(bytes) = bytes / (efficiency * bandwidth_factor(bytes))
 *     rate of a message <= flows * flow_bytes_per_s
 *
 * transport.c has a table of them, each with its source. A platform or a stack names one, and
 * may change single values.
 */
#ifndef DTS_SIM_NET_TRANSPORT_H
#define DTS_SIM_NET_TRANSPORT_H

#include "base/json/keys.h"

enum { DTS_TRANSPORT_RANGES = 12 };

/* Factors for messages from this many bytes on, until the next range. */
struct dts_transport_range {
    double from_bytes;
    double latency_factor, bandwidth_factor;
};

/* Steps of a ring that was measured (measured.h), by the size of their messages. */
struct dts_measured_ring {
    const char *file;           // as the document names it, which owns the word
    int ranks, nodes, channels; // of the ring
    double bytes[DTS_TRANSPORT_RANGES], seconds[DTS_TRANSPORT_RANGES];
    int count; // 0: nothing was measured
};

/* What the network has to be able to do. A platform whose own transport is of sockets can do
 * no more. */
enum dts_transport_needs { DTS_ANY_NETWORK, DTS_SOCKETS, DTS_RDMA };

struct dts_transport {
    const char *name, *summary, *source;
    enum dts_transport_needs needs;
    double efficiency;       // of the wire, 0 to 1: headers, protocol
    double overhead_s;       // per message
    double flow_bytes_per_s; // cap of one flow (a socket); 0: none
    int flows;               // sockets that one message uses at once; 0: one
    double host_bytes_per_s; // what all flows of an endpoint share each way; 0: no limit
    bool staged;             // device memory passes through the host over PCIe
    bool blocking;           // the sender waits for alpha before it sends (MPI rendezvous)

    /* The rate at which the receiver sums what arrives; 0: that of the device's memory / 3. */
    double reduce_bytes_per_s;

    double spread_percent; // how far the truth may be from what was measured; 0: not known

    struct dts_transport_range ranges[DTS_TRANSPORT_RANGES]; // by from_bytes; the first is 0
    int range_count;                                         // 0: factors are 1

    /* What the ranges follow from, once the links are known. */
    struct dts_measured_ring measured;
};

extern const struct dts_transport *const dts_transports[]; // ended by NULL
const struct dts_transport *dts_transport_find(const char *name);
const char *dts_transport_name(int i);

/* The factors for a message of this size. */
struct dts_transport_range dts_transport_at(const struct dts_transport *transport,
                                            double bytes);

/* alpha of a message on a path of this latency, and the bytes that it puts on the wire. */
double dts_transport_alpha(const struct dts_transport *transport, double latency_s,
                           double bytes);
double dts_transport_wire_bytes(const struct dts_transport *transport, double bytes);

/* The most that one message reaches on all of its flows, in bytes on the wire; 0: no limit. */
double dts_transport_message_rate(const struct dts_transport *transport);

/* Bytes of data for each byte on the wire, at the most efficient size of message. */
double dts_transport_best(const struct dts_transport *transport);

/* The same transport under a library whose own latency of a message (hop_s, and `path` of the
 * path's) and share of the bandwidth are known: they stand for the ranges and for the sums. The
 * overhead stays, which is that of sockets, and so does all that was measured. share 0: not
 * known. */
struct dts_transport dts_transport_paced(const struct dts_transport *transport, double hop_s,
                                         double path, double share);

/* Reads "tcp", or {"name": "tcp", "efficiency": 0.94, ...}: a transport with changes. It is an
 * error if nothing is there. */
bool dts_transport_read(const struct dts_cfg *at, struct dts_transport *out,
                        struct dts_error *err);

/* The keys of such an object at a path. */
void dts_transport_keys(struct dts_keys *keys, const char *path);

#endif
