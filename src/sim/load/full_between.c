/* full_between.c -- what an exchange of all with all puts on links between nodes. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sim/load/full_spots.h"

enum {
    MOST_ROUTES = 8000000,   // between spots, all together
    MOST_LATENCIES = 200000, // of pairs of spots that are looked at, evenly
};

struct between {
    const struct dts_full_exchange *full;
    struct dts_router *router;
    const struct dts_traffic_wish *wish;
    struct dts_step_traffic *traffic;
    struct dts_by_node self_by_node, peer_by_node;
    struct dts_spots self, peer;
    struct dts_route_share *shares; // of one pair of spots; owned
    size_t share_count, share_room;
    int most;   // routes for a pair of spots
    int every;  // so many pairs of spots one latency is looked at
    int looked; // pairs of spots so far
};

/* The route of a member of self to or from one of the peers. */
static int route(const struct between *b, int self, int peer, int path, int *links)
{
    const struct dts_net *net = b->full->simulation->net;
    bool send = b->full->send;
    return net->ops->route(net->self, send ? self : peer, send ? peer : self, path, links);
}

static int endpoint_of(const struct between *b, int rank)
{
    return b->full->simulation->endpoint[rank];
}

static void note_latency(const struct between *b, int self, int peer)
{
    const struct dts_net *net = b->full->simulation->net;
    bool send = b->full->send;
    double latency_s = dts_net_latency(net, send ? self : peer, send ? peer : self);
    double *most = &b->traffic->latency_s[DTS_BETWEEN];
    *most = fmax(*most, latency_s);
}

/* ---- what nodes carry ------------------------------------------------------------------- */

/* The peers of one way: their parts, and two of them on unlike nodes. */
struct way {
    int way;
    double parts;
    int member[2]; // of the side; the second -1: all are on the node of the first
};

static struct way *ways_of(const struct between *b, const struct dts_full_side *side,
                           const struct dts_spots *spots, int *count)
{
    const struct dts_simulation *s = b->full->simulation;
    struct way *ways = NULL;
    size_t room = 0;
    *count = 0;
    for (int i = 0; i < side->count; i++) {
        int way = spots->all[spots->of[i]].spot.way, w = 0;
        while (w < *count && ways[w].way != way)
            w++;
        if (w == *count) {
            ways = dts_grow(ways, &room, (size_t)*count + 1, sizeof(*ways));
            ways[(*count)++] = (struct way){way, 0, {i, -1}};
        }
        ways[w].parts += side->parts[i];
        if (ways[w].member[1] < 0 && dts_by_node_of(s, side->ranks[i]) !=
                                         dts_by_node_of(s, side->ranks[ways[w].member[0]]))
            ways[w].member[1] = i;
    }
    return ways;
}

/* Of the parts of a way those on the node of a rank. */
static double parts_there(const struct dts_full_side *side, const struct dts_spots *spots,
                          const struct dts_by_node *by, int way, int rank)
{
    double parts = 0;
    for (int p = dts_by_node_first(by, rank); p >= 0; p = by->next[p])
        if (spots->all[spots->of[p]].spot.way == way)
            parts += side->parts[p];
    return parts;
}

/* Add the links of the node of a rank that a message between it and another one crosses. */
static void add_own(struct between *b, bool of_self, int rank, int other, double elements)
{
    const struct dts_net *net = b->full->simulation->net;
    int mine = endpoint_of(b, rank), theirs = endpoint_of(b, other), links[DTS_MAX_ROUTE];
    note_latency(b, of_self ? mine : theirs, of_self ? theirs : mine);
    if (!b->full->send || net->ops->owner == NULL)
        return;
    int node = dts_net_node(net, mine);
    int count = route(b, of_self ? mine : theirs, of_self ? theirs : mine, 0, links);
    struct dts_route_share shares[DTS_MAX_ROUTE];
    int kept = 0;
    for (int l = 0; l < count; l++)
        if (net->ops->owner(net->self, links[l]) == node)
            shares[kept++] = (struct dts_route_share){links[l], 1};
    struct dts_route own = {shares, kept, DTS_BETWEEN, 0, 0};
    dts_router_put(b->router, &own, elements / b->full->largest, elements * b->wish->times);
}

/* What the nodes of one side carry, member by member. */
static void add_nodes(struct between *b, bool of_self)
{
    const struct dts_full_side *near = of_self ? &b->full->self : &b->full->peer;
    const struct dts_full_side *far = of_self ? &b->full->peer : &b->full->self;
    const struct dts_spots *spots = of_self ? &b->peer : &b->self;
    const struct dts_by_node *by = of_self ? &b->peer_by_node : &b->self_by_node;
    const struct dts_simulation *s = b->full->simulation;
    int count;
    struct way *ways = ways_of(b, far, spots, &count);
    for (int i = 0; i < near->count; i++) {
        dts_progress_at(s->progress, i);
        double elements = 0;
        for (int w = 0; w < count; w++) {
            int rank = near->ranks[i], first = far->ranks[ways[w].member[0]];
            bool here = dts_by_node_of(s, rank) == dts_by_node_of(s, first);
            if (here && ways[w].member[1] < 0)
                continue;
            int other = far->ranks[ways[w].member[here]];
            double parts = ways[w].parts - parts_there(far, spots, by, ways[w].way, rank);
            add_own(b, of_self, rank, other, near->parts[i] * parts);
            elements += near->parts[i] * parts;
        }
        if (of_self && b->full->add)
            b->traffic->sum_s =
                fmax(b->traffic->sum_s,
                     elements / b->full->largest * dts_router_sum_s(b->router, DTS_BETWEEN));
    }
    free(ways);
}

/* ---- what lies between ------------------------------------------------------------------ */

/* Two members of a pair of spots, on unlike nodes; number by number others: each of the more
 * numerous side once, then again with the next of the other side. Returns false if there are
 * none. */
static bool pick_pair(const struct between *b, int self_spot, int peer_spot, int number,
                      int *self, int *peer)
{
    const struct dts_net *net = b->full->simulation->net;
    const struct dts_spot_members *from = &b->self.all[self_spot],
                                  *to = &b->peer.all[peer_spot];
    int more = from->count > to->count ? from->count : to->count;
    for (int n = number; n < number + from->count * to->count; n++) {
        int i = n % more, other = i + n / more;
        int f = more == from->count ? i : other % from->count;
        int t = more == from->count ? other % to->count : i;
        *self = endpoint_of(b, b->full->self.ranks[b->self.order[from->first + f]]);
        *peer = endpoint_of(b, b->full->peer.ranks[b->peer.order[to->first + t]]);
        if (dts_net_node(net, *self) != dts_net_node(net, *peer))
            return true;
    }
    return false;
}

static void add_path(struct between *b, int self, int peer, int path, double share)
{
    const struct dts_net *net = b->full->simulation->net;
    int links[DTS_MAX_ROUTE], count = route(b, self, peer, path, links);
    b->shares =
        dts_grow(b->shares, &b->share_room, b->share_count + (size_t)count, sizeof(*b->shares));
    for (int l = 0; l < count; l++)
        if (net->ops->owner == NULL || net->ops->owner(net->self, links[l]) < 0)
            b->shares[b->share_count++] = (struct dts_route_share){links[l], (float)share};
}

/* The shares of all links between two spots: all paths of as many pairs as can be afforded, or
 * as many paths, drawn evenly. */
static bool share_out(struct between *b, int self_spot, int peer_spot)
{
    const struct dts_net *net = b->full->simulation->net;
    int self, peer;
    b->share_count = 0;
    if (!pick_pair(b, self_spot, peer_spot, 0, &self, &peer))
        return false;
    if (b->looked++ % b->every == 0)
        note_latency(b, self, peer);
    if (!b->full->send)
        return true;
    int src = self, dst = peer;
    int paths = net->ops->paths(net->self, src, dst);
    double unlike = (double)b->self.all[self_spot].count * b->peer.all[peer_spot].count;
    int pairs = paths <= b->most ? (int)fmin(b->most / paths, unlike) : b->most;
    for (int i = 0; i < pairs; i++) {
        pick_pair(b, self_spot, peer_spot, i, &self, &peer);
        src = self, dst = peer;
        if (paths > b->most)
            add_path(b, self, peer, dts_net_path_at(net, src, dst, (i + 0.5) / pairs),
                     1.0 / pairs);
        for (int p = 0; p < paths && paths <= b->most; p++)
            add_path(b, self, peer, p,
                     (paths == 1 ? 1 : net->ops->share(net->self, src, dst, p)) / pairs);
    }
    return true;
}

/* All parts of the peers, in proportion to those of each `step`-th spot from `first` on. */
static double times_of(const struct between *b, int first, int step)
{
    double all = 0, some = 0;
    for (int p = 0; p < b->peer.count; p++)
        all += b->peer.all[p].parts;
    for (int p = first; p < b->peer.count; p += step)
        some += b->peer.all[p].parts;
    return some > 0 ? all / some : 0;
}

/* From a spot of self to the others; where pairs of spots are too many, each `step`-th stands
 * for all, another one for the next spot. Members that share a node count, too, though their
 * data stays there: of spots with one place nothing lies between. */
static void add_from_spot(struct between *b, int s, int step)
{
    double times = step > 1 ? times_of(b, s % step, step) : 1;
    for (int p = s % step; p < b->peer.count; p += step) {
        if (!share_out(b, s, p) || !b->full->send)
            continue;
        double elements = times * b->self.all[s].parts * b->peer.all[p].parts;
        struct dts_route route = {b->shares, (int)b->share_count, DTS_BETWEEN, 0, 0};
        dts_router_put(b->router, &route, elements / b->full->largest,
                       elements * b->wish->times);
    }
}

static void add_middle(struct between *b)
{
    struct dts_progress *progress = b->full->simulation->progress;
    double pairs = (double)b->self.count * b->peer.count;
    int step = (int)fmin(ceil(pairs / MOST_ROUTES), b->peer.count);
    b->most = (int)fmax(1, floor(MOST_ROUTES / pairs));
    b->every = 1 + (int)(pairs / step / MOST_LATENCIES);
    dts_progress_begin(progress, "routing messages", b->self.count);
    for (int s = 0; s < b->self.count; s++) {
        dts_progress_at(progress, s);
        add_from_spot(b, s, step);
    }
}

/* All pairs but those that share a node. */
static double count_messages(const struct between *b)
{
    double messages = (double)b->full->self.count * b->full->peer.count;
    for (int i = 0; i < b->full->self.count; i++)
        for (int p = dts_by_node_first(&b->peer_by_node, b->full->self.ranks[i]); p >= 0;
             p = b->peer_by_node.next[p])
            messages--;
    return messages;
}

static void between_open(struct between *b)
{
    const struct dts_simulation *s = b->full->simulation;
    dts_by_node_make(s, &b->full->self, &b->self_by_node);
    dts_by_node_make(s, &b->full->peer, &b->peer_by_node);
    dts_spots_make(s, &b->full->self, &b->self);
    dts_spots_make(s, &b->full->peer, &b->peer);
}

static void between_close(struct between *b)
{
    dts_by_node_free(&b->self_by_node);
    dts_by_node_free(&b->peer_by_node);
    dts_spots_free(&b->self);
    dts_spots_free(&b->peer);
    free(b->shares);
}

double dts_full_exchange_between(const struct dts_full_exchange *full,
                                 struct dts_router *router, const struct dts_traffic_wish *wish,
                                 struct dts_step_traffic *traffic)
{
    struct between b = {.full = full, .router = router, .wish = wish, .traffic = traffic};
    *traffic = (struct dts_step_traffic){.cap_bytes_per_s = {INFINITY, INFINITY}};
    between_open(&b);
    double messages = count_messages(&b);
    if (messages > 0) {
        dts_progress_begin(full->simulation->progress, "counting what nodes send",
                           full->self.count);
        add_nodes(&b, true);
        add_nodes(&b, false);
        add_middle(&b);
        if (full->send) {
            traffic->used[DTS_BETWEEN] = true;
            traffic->sent[DTS_BETWEEN] = messages;
        }
        traffic->paths = messages;
        dts_step_traffic_take(router, wish, traffic);
    }
    between_close(&b);
    return messages;
}
