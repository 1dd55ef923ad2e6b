/* post.h -- where messages of the engine `exact` meet: sender, receiver, and the wire.
 *
 * A letter is one message. It is sent by one lane and fetched by another; they meet by ranks,
 * stream and channel, in the order in which both name their messages. Where latency blocks the
 * sender, the message enters the wire when both are there; elsewhere as soon as it is sent: the
 * transport has buffers of its own, as NCCL has, and only so is a ring of unlike hops
 * pipelined.
 */
#ifndef DTS_SIM_EXACT_POST_H
#define DTS_SIM_EXACT_POST_H

#include "plan/run.h"
#include "sim/engine.h"
#include "sim/exact/clock.h"
#include "sim/exact/pairs.h"
#include "sim/exact/simgrid_zone.h"

/* Who is told that the message is over: number `which` of a lane's messages under way. */
struct dts_party {
    struct dts_lane *lane; // NULL: not there yet
    int which;
};

struct dts_letter {
    struct dts_post *post;
    struct dts_party sender, receiver;
    int src, dst;   // ranks
    int pair, path; // of endpoints
    double ready_s; // when the sender has paid its latency
    double delay_s; // alpha that the receiver sees: latency that does not block the sender
    double wire_bytes;
    bool waits;    // for the receiver, before it enters the wire
    double over_s; // when the wire was done; -1: not yet
    struct dts_letter *next;
};

/* What was sent and is not fetched, or is asked for and not sent: never both. */
struct dts_box {
    struct dts_letter *first, *last;
    bool sent;
    int pair; // of the endpoints that meet here
};

struct dts_post {
    const struct dts_simulation *simulation;
    struct dts_simgrid_loop *loop;
    struct dts_clock *clock;
    const sg_host_t *hosts; // of each rank
    struct dts_map numbers; // of boxes, plus 1, by who meets there
    struct dts_box *boxes;  // owned
    size_t box_count, box_room;
    struct dts_pairs pairs;
    struct dts_letter *free;           // to be used again
    const struct dts_letter *entering; // the wire, now
    double sent;                       // messages

    /* Tells a party that its message is over, and when the receiver has it. */
    void (*over)(const struct dts_party *party, double over_s, double delay_s);
};

/* Send a message, or ask for one; post->over is called when it is over, perhaps at once. What
 * is asked for arrives with the transport that is returned. */
void dts_post_send(struct dts_post *post, int rank, enum dts_stream stream,
                   const struct dts_message *message, struct dts_party sender);
const struct dts_transport *dts_post_receive(struct dts_post *post, int rank,
                                             enum dts_stream stream,
                                             const struct dts_message *message,
                                             struct dts_party receiver);

/* The wire is done with a letter. */
void dts_post_arrived(struct dts_post *post, struct dts_letter *letter);

/* For dts_simgrid_way: the links of the letter that enters the wire now. */
int dts_post_links(void *post, const int **links);

#endif
