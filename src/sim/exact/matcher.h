/* matcher.h -- where messages of the engine `exact` meet: sender, receiver, and the wire.
 *
 * A message is sent by one lane and received by another; they meet by ranks,
 * wire and channel, in the order in which both name their messages. Where latency blocks the
 * sender, the message enters the wire when both are there; elsewhere as soon as it is sent: the
 * transport has buffers of its own, as NCCL has, and only so is a ring of unlike hops
 * pipelined.
 */
#ifndef DTS_SIM_EXACT_MATCHER_H
#define DTS_SIM_EXACT_MATCHER_H

#include "plan/run.h"
#include "sim/engine.h"
#include "sim/exact/endpoint_pairs.h"
#include "sim/exact/events.h"
#include "sim/exact/simgrid_zone.h"

/* Who learns that the message is over: number `which` of a lane's messages under way. */
struct dts_party {
    struct dts_exact_lane *lane; // NULL: not there yet
    int which;
};

struct dts_exact_message {
    struct dts_matcher *matcher;
    struct dts_party sender, receiver;
    int src, dst;   // ranks
    int pair, path; // of endpoints
    double ready_s; // when the sender has paid its latency
    double delay_s; // alpha that the receiver sees: latency that does not block the sender
    double wire_bytes;
    bool waits;    // for the receiver, before it enters the wire
    double over_s; // when the wire was done; -1: not yet
    struct dts_exact_message *next;
};

/* Messages that were sent and are not received yet, or that a receiver awaits and nobody has
 * sent yet; never both. */
struct dts_match_queue {
    struct dts_exact_message *first, *last;
    bool sent;
    int pair; // of the endpoints that meet here
};

struct dts_matcher {
    const struct dts_simulation *simulation;
    struct dts_simgrid_loop *loop;
    struct dts_heap *events;
    const sg_host_t *hosts;         // of each rank
    struct dts_map numbers;         // of queues, plus 1, by who meets there
    struct dts_match_queue *queues; // owned
    size_t queue_count, queue_room;
    struct dts_endpoint_pairs pairs;
    struct dts_exact_message *free;           // to be used again
    const struct dts_exact_message *entering; // the wire, now
    double sent;                              // messages

    /* Tells a party that its message is over, and when the receiver has it. */
    void (*over)(const struct dts_party *party, double over_s, double delay_s);
};

/* Send a message, or ask for one; matcher->over is called when it is over, perhaps at once.
 * What is asked for arrives with the transport that is returned. */
void dts_matcher_send(struct dts_matcher *matcher, int rank, enum dts_stream stream,
                      const struct dts_message *planned, struct dts_party sender);
const struct dts_transport *dts_matcher_receive(struct dts_matcher *matcher, int rank,
                                                enum dts_stream stream,
                                                const struct dts_message *planned,
                                                struct dts_party receiver);

/* The wire is done with a message. */
void dts_matcher_arrived(struct dts_matcher *matcher, struct dts_exact_message *message);

/* For dts_simgrid_path: the links of the message that enters the wire now. */
int dts_matcher_links(void *matcher, const int **links);

#endif
