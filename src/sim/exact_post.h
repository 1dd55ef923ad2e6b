/* exact_post.h -- how messages of the engine `exact` get into SimGrid and out of it.
 *
 * A letter is what the sender tells the receiver about a message; SimGrid carries its address
 * through a mailbox, one for each (sender, receiver, stream, channel).
 */
#ifndef DTS_SIM_EXACT_POST_H
#define DTS_SIM_EXACT_POST_H

#include "plan/run.h"
#include "sim/engine.h"
#include "sim/map.h"
#include "sim/simgrid_zone.h"

struct dts_letter {
    double delay_s;   // alpha that the receiver sees: latency that does not block the sender
    double arrived_s; // when the wire was done, as the sender saw it; -1: not yet
    int holders;      // sender and receiver; freed by the last
    struct dts_letter *next;
};

struct dts_post {
    const struct dts_simulation *simulation;
    const sg_actor_t *receivers; // by rank and stream
    struct dts_map mailboxes;
    struct dts_map pairs;    // messages between endpoints: begun, and started << 32
    struct dts_letter *free; // to be used again
    double sent;             // messages
};

/* What a message needs before it can be sent. */
struct dts_postage {
    double before_s, after_s; // latency before the message enters the wire, or after it
    double wire_bytes;
};

struct dts_postage dts_post_weigh(struct dts_post *post, int src_rank, int dst_rank,
                                  double bytes);

/* Send and receive, without waiting. start false: the message starts when it is waited for. */
sg_comm_t dts_post_send(struct dts_post *post, int rank, enum dts_stream stream,
                        const struct dts_message *message, const struct dts_postage *postage,
                        bool start, void **letter);
sg_comm_t dts_post_receive(struct dts_post *post, int rank, enum dts_stream stream,
                           const struct dts_message *message, void **letter);
void dts_post_drop(struct dts_post *post, struct dts_letter *letter);

/* For dts_simgrid_paths: the path of the message that starts now. */
int dts_post_next_path(void *post, int src, int dst);

#endif
