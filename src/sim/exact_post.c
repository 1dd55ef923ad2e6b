#include <assert.h>
#include <math.h>
#include <stddef.h>

#include <simgrid/engine.h>

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

static struct dts_box *box_of(struct dts_post *post, int src, int dst, enum dts_stream stream,
                              int channel)
{
    assert(src < 1 << 22 && dst < 1 << 22 && channel >= 0 && channel < 1 << 16);
    uint64_t key =
        (uint64_t)src << 42 | (uint64_t)dst << 20 | (uint64_t)channel << 4 | (uint64_t)stream;
    uint64_t *number = dts_map_at(&post->numbers, key);
    if (*number == 0) {
        *number = ++post->box_count;
        post->boxes =
            dts_grow(post->boxes, &post->box_room, post->box_count, sizeof(*post->boxes));
    }
    return &post->boxes[*number - 1];
}

static struct dts_letter *new_letter(struct dts_post *post)
{
    struct dts_letter *letter = post->free;
    if (letter != NULL)
        post->free = letter->next;
    else
        letter = dts_alloc(1, sizeof(*letter));
    *letter = (struct dts_letter){.over_s = -1};
    return letter;
}

static void put(struct dts_box *box, struct dts_letter *letter, bool sent)
{
    if (box->first == NULL)
        box->first = letter;
    else
        box->last->next = letter;
    box->last = letter;
    box->sent = sent;
}

/* The first letter that the other side left; NULL: it comes later. */
static struct dts_letter *take(struct dts_box *box, bool sent)
{
    struct dts_letter *letter = box->first;
    if (letter == NULL || box->sent != sent)
        return NULL;
    box->first = letter->next;
    letter->next = NULL;
    return letter;
}

/* Tell who is there, and forget the letter when all were told. */
static void tell(struct dts_post *post, struct dts_letter *letter)
{
    struct dts_party sender = letter->sender, receiver = letter->receiver;
    double over_s = letter->over_s, delay_s = letter->delay_s;
    letter->sender.lane = NULL;
    if (receiver.lane != NULL) {
        letter->next = post->free;
        post->free = letter;
        post->over(&receiver, over_s, delay_s);
    }
    if (sender.lane != NULL)
        post->over(&sender, over_s, 0);
}

static void enter_wire(struct dts_post *post, struct dts_letter *letter)
{
    long parts = lround(letter->wire_bytes * DTS_SIMGRID_PARTS);
    post->sent += 1;
    dts_progress_at(post->simulation->progress, post->sent);
    dts_simgrid_flow(post->loop, post->hosts[letter->src], post->hosts[letter->dst], parts,
                     letter);
}

void dts_post_arrived(struct dts_post *post, struct dts_letter *letter)
{
    letter->over_s = simgrid_get_clock();
    tell(post, letter);
}

void dts_post_send(struct dts_post *post, int rank, enum dts_stream stream,
                   const struct dts_message *message, const struct dts_postage *postage,
                   struct dts_party sender)
{
    struct dts_box *box = box_of(post, rank, message->peer, stream, message->channel);
    struct dts_letter *letter = take(box, false);
    bool met = letter != NULL;
    if (!met) {
        letter = new_letter(post);
        put(box, letter, true);
    }
    const int *endpoint = post->simulation->endpoint;
    letter->sender = sender;
    letter->src = rank;
    letter->dst = message->peer;
    letter->delay_s = postage->after_s;
    letter->wire_bytes = postage->wire_bytes;
    letter->waits =
        dts_net_blocks(post->simulation->net, endpoint[rank], endpoint[message->peer]);
    if (met || !letter->waits)
        enter_wire(post, letter);
}

void dts_post_receive(struct dts_post *post, int rank, enum dts_stream stream,
                      const struct dts_message *message, struct dts_party receiver)
{
    struct dts_box *box = box_of(post, message->peer, rank, stream, message->channel);
    struct dts_letter *letter = take(box, true);
    if (letter == NULL) {
        letter = new_letter(post);
        letter->receiver = receiver;
        put(box, letter, false);
        return;
    }
    letter->receiver = receiver;
    if (letter->waits)
        enter_wire(post, letter);
    else if (letter->over_s >= 0)
        tell(post, letter);
}
