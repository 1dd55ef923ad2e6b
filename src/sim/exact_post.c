#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <simgrid/mailbox.h>

#include "base/mem.h"
#include "sim/exact_post.h"

/* The path of message number n between two endpoints. Alpha is wanted when the message begins,
 * the route when it enters the network: both count the messages of the pair, so both see the
 * same path (unless two streams of a pair overtake each other; then they swap). */
static int pick(struct dts_post *post, int src, int dst, int shift)
{
    const struct dts_net *net = post->simulation->net;
    if (src == dst || net->ops->paths(net->self, src, dst) == 1)
        return 0;
    uint64_t *numbers = dts_map_at(&post->pairs, (uint64_t)src << 32 | (uint64_t)dst);
    unsigned number = (unsigned)(*numbers >> shift & UINT32_MAX);
    uint64_t next = (uint64_t)(number + 1) << shift;
    *numbers = (*numbers & ~((uint64_t)UINT32_MAX << shift)) | next;
    return dts_net_pick(net, src, dst, number);
}

int dts_post_next_path(void *post, int src, int dst)
{
    return pick(post, src, dst, 32);
}

struct dts_postage dts_post_weigh(struct dts_post *post, int src_rank, int dst_rank,
                                  double bytes)
{
    const struct dts_net *net = post->simulation->net;
    int src = post->simulation->endpoint[src_rank], dst = post->simulation->endpoint[dst_rank];
    int path = pick(post, src, dst, 0);
    double alpha = dts_net_alpha(net, src, dst, path, bytes);
    bool blocks = dts_net_blocks(net, src, dst);
    return (struct dts_postage){
        .before_s = blocks ? alpha : 0,
        .after_s = blocks ? 0 : alpha,
        .wire_bytes = dts_net_wire_bytes(net, src, dst, bytes),
    };
}

/* Messages meet by ranks, stream and channel. Where the sender does not wait for its latency it
 * does not wait for the receiver either: it writes into buffers that the transport keeps, as
 * NCCL does, and only so is a ring of unlike hops pipelined. */
static sg_mailbox_t mailbox(struct dts_post *post, int src, int dst, enum dts_stream stream,
                            int channel)
{
    assert(src < 1 << 24 && dst < 1 << 24 && channel >= 0 && channel < 1 << 12);
    uint64_t key =
        (uint64_t)src << 40 | (uint64_t)dst << 16 | (uint64_t)channel << 4 | (uint64_t)stream;
    uint64_t known = *dts_map_at(&post->mailboxes, key);
    if (known == 0) {
        const int *endpoint = post->simulation->endpoint;
        bool waits = dts_net_blocks(post->simulation->net, endpoint[src], endpoint[dst]);
        char name[64];
        snprintf(name, sizeof(name), "%d %d %d %d", src, dst, (int)stream, channel);
        // Other actors run meanwhile, and may add to the map.
        known = (uint64_t)(uintptr_t)dts_simgrid_mailbox(
            name, waits ? NULL : post->receivers[dst * DTS_STREAMS + (int)stream]);
        *dts_map_at(&post->mailboxes, key) = known;
    }
    return (sg_mailbox_t)(uintptr_t)known;
}

static struct dts_letter *write_letter(struct dts_post *post, double delay_s)
{
    struct dts_letter *letter = post->free;
    if (letter != NULL)
        post->free = letter->next;
    else
        letter = dts_alloc(1, sizeof(*letter));
    *letter = (struct dts_letter){.delay_s = delay_s, .arrived_s = -1, .holders = 2};
    return letter;
}

sg_comm_t dts_post_send(struct dts_post *post, int rank, enum dts_stream stream,
                        const struct dts_message *message, const struct dts_postage *postage,
                        bool start, void **letter)
{
    sg_mailbox_t to = mailbox(post, rank, message->peer, stream, message->channel);
    *letter = write_letter(post, postage->after_s);
    post->sent += 1;
    long parts = lround(postage->wire_bytes * DTS_SIMGRID_PARTS);
    return start ? sg_mailbox_put_async(to, *letter, parts)
                 : sg_mailbox_put_init(to, *letter, parts);
}

sg_comm_t dts_post_receive(struct dts_post *post, int rank, enum dts_stream stream,
                           const struct dts_message *message, void **letter)
{
    sg_mailbox_t from = mailbox(post, message->peer, rank, stream, message->channel);
    return sg_mailbox_get_async(from, letter);
}

void dts_post_drop(struct dts_post *post, struct dts_letter *letter)
{
    if (--letter->holders > 0)
        return;
    letter->next = post->free;
    post->free = letter;
}
