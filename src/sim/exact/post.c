/* post.c -- where sender and receiver of a message meet, and it enters the wire. */
#include <assert.h>
#include <math.h>
#include <stddef.h>

#include <simgrid/engine.h>

#include "base/mem.h"
#include "sim/exact/post.h"

static struct dts_box *box_of(struct dts_post *post, int src, int dst, enum dts_stream stream,
                              int channel)
{
    const int *endpoint = post->simulation->endpoint;
    assert(src < 1 << 22 && dst < 1 << 22 && channel >= 0 && channel < 1 << 16);
    uint64_t key =
        (uint64_t)src << 42 | (uint64_t)dst << 20 | (uint64_t)channel << 4 | (uint64_t)stream;
    uint64_t *number = dts_map_at(&post->numbers, key);
    if (*number == 0) {
        *number = ++post->box_count;
        post->boxes =
            dts_grow(post->boxes, &post->box_room, post->box_count, sizeof(*post->boxes));
        post->boxes[*number - 1].pair =
            dts_pair_find(&post->pairs, endpoint[src], endpoint[dst]);
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
    *letter = (struct dts_letter){.post = post, .over_s = -1};
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

int dts_post_links(void *self, const int **links)
{
    struct dts_post *post = self;
    const struct dts_path *path =
        dts_pair_path(&post->pairs, post->entering->pair, post->entering->path);
    *links = path->links;
    return path->hops;
}

static void enter_wire(void *self, int which)
{
    (void)which;
    struct dts_letter *letter = self;
    struct dts_post *post = letter->post;
    long parts = lround(letter->wire_bytes * DTS_SIMGRID_PARTS);
    post->sent += 1;
    dts_progress_at(post->simulation->progress, post->sent);
    post->entering = letter;
    dts_simgrid_flow(post->loop, post->hosts[letter->src], post->hosts[letter->dst], parts,
                     letter);
}

/* Who can be there is there: the letter goes when its latency is paid. */
static void leave(struct dts_post *post, struct dts_letter *letter)
{
    if (letter->ready_s > simgrid_get_clock())
        dts_clock_set(post->clock, letter->ready_s, enter_wire, letter, 0);
    else
        enter_wire(letter, 0);
}

void dts_post_arrived(struct dts_post *post, struct dts_letter *letter)
{
    letter->over_s = simgrid_get_clock();
    tell(post, letter);
}

/* The path that is drawn for a letter gives it its latency and its links. */
static void stamp(struct dts_post *post, struct dts_letter *letter, int pair, double bytes)
{
    const struct dts_transport *by = post->pairs.pair[pair].by;
    letter->pair = pair;
    letter->path = dts_pair_pick(&post->pairs, pair);
    double latency_s = dts_pair_path(&post->pairs, pair, letter->path)->latency_s;
    double alpha = dts_transport_alpha(by, latency_s, bytes);
    letter->waits = by->blocking;
    letter->ready_s = simgrid_get_clock() + (by->blocking ? alpha : 0);
    letter->delay_s = by->blocking ? 0 : alpha;
    letter->wire_bytes = dts_transport_wire_bytes(by, bytes);
}

void dts_post_send(struct dts_post *post, int rank, enum dts_stream stream,
                   const struct dts_message *message, struct dts_party sender)
{
    struct dts_box *box = box_of(post, rank, message->peer, stream, message->channel);
    struct dts_letter *letter = take(box, false);
    bool met = letter != NULL;
    if (!met) {
        letter = new_letter(post);
        put(box, letter, true);
    }
    letter->sender = sender;
    letter->src = rank;
    letter->dst = message->peer;
    stamp(post, letter, box->pair, (double)message->bytes);
    if (met || !letter->waits)
        leave(post, letter);
}

const struct dts_transport *dts_post_receive(struct dts_post *post, int rank,
                                             enum dts_stream stream,
                                             const struct dts_message *message,
                                             struct dts_party receiver)
{
    struct dts_box *box = box_of(post, message->peer, rank, stream, message->channel);
    struct dts_letter *letter = take(box, true);
    const struct dts_transport *by = post->pairs.pair[box->pair].by;
    if (letter == NULL) {
        letter = new_letter(post);
        letter->receiver = receiver;
        put(box, letter, false);
        return by;
    }
    letter->receiver = receiver;
    if (letter->waits)
        leave(post, letter);
    else if (letter->over_s >= 0)
        tell(post, letter);
    return by;
}
