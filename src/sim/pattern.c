#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sim/map.h"
#include "sim/pattern.h"

enum {
    MOST_SHARES = 5000000, // that are kept, 8 bytes each
    MOST_ROUTES = 400000,  // of one step; beyond, each message takes one path, as in exact
};

/* The part of a pair's traffic that crosses a link, over all its paths. */
struct share {
    int link;
    float part;
};

/* A pair of endpoints that was routed. */
struct pair {
    size_t first; // in shares
    int count;
    double latency_s;
};

struct dts_router {
    const struct dts_simulation *simulation;
    struct dts_map numbers; // of pairs, + 1
    struct pair *pairs;
    size_t pair_count, pair_room;
    struct share *shares;
    size_t share_count, share_room;
    float *part;  // of one pair's traffic, by link, zero between uses
    int *crossed; // the links where it is not
    int crossed_count;
    struct weight {
        double by[2];
    } * weight;  // of a step, by link and transport, zero between uses
    bool *alone; // by link: a cap on each flow
    int *touched;
    int touched_count;
};

struct dts_router *dts_router_new(const struct dts_simulation *simulation)
{
    struct dts_router *r = dts_alloc(1, sizeof(*r));
    const struct dts_net *net = simulation->net;
    size_t links = (size_t)net->links;
    r->simulation = simulation;
    r->weight = dts_alloc(links, sizeof(*r->weight));
    r->alone = dts_alloc(links, sizeof(*r->alone));
    for (int l = 0; l < net->links; l++)
        r->alone[l] = net->ops->shared != NULL && !net->ops->shared(net->self, l);
    r->touched = dts_alloc(links, sizeof(*r->touched));
    r->part = dts_alloc(links, sizeof(*r->part));
    r->crossed = dts_alloc(links, sizeof(*r->crossed));
    return r;
}

void dts_router_free(struct dts_router *r)
{
    if (r == NULL)
        return;
    dts_map_free(&r->numbers);
    free(r->pairs);
    free(r->shares);
    free(r->weight);
    free(r->alone);
    free(r->touched);
    free(r->part);
    free(r->crossed);
    free(r);
}

/* The shares of a pair, on all its paths or on the one that a message with this number takes.
 */
static struct pair route_pair(struct dts_router *r, int src, int dst, int only)
{
    const struct dts_net *net = r->simulation->net;
    struct pair pair = {.first = r->share_count, .latency_s = dts_net_latency(net, src, dst)};
    int paths = only >= 0 ? 1 : net->ops->paths(net->self, src, dst);
    int links[DTS_MAX_ROUTE];
    r->crossed_count = 0;
    for (int p = 0; p < paths; p++) {
        double part = paths == 1 ? 1.0 : net->ops->share(net->self, src, dst, p);
        int hops = net->ops->route(net->self, src, dst, only >= 0 ? only : p, links);
        for (int h = 0; h < hops; h++) {
            if (r->part[links[h]] == 0)
                r->crossed[r->crossed_count++] = links[h];
            r->part[links[h]] += (float)part;
        }
    }
    pair.count = r->crossed_count;
    r->shares = dts_grow(r->shares, &r->share_room, r->share_count + (size_t)pair.count,
                         sizeof(*r->shares));
    for (int i = 0; i < r->crossed_count; i++) {
        r->shares[r->share_count++] = (struct share){r->crossed[i], r->part[r->crossed[i]]};
        r->part[r->crossed[i]] = 0;
    }
    return pair;
}

/* The same, kept. Without room the shares lie behind the kept ones until the next call. */
static struct pair find_pair(struct dts_router *r, int src, int dst)
{
    uint64_t *number = dts_map_at(&r->numbers, (uint64_t)src << 32 | (uint64_t)dst);
    if (*number > 0)
        return r->pairs[*number - 1];
    struct pair pair = route_pair(r, src, dst, -1);
    if (r->share_count > MOST_SHARES) {
        r->share_count = pair.first;
        return pair;
    }
    r->pairs = dts_grow(r->pairs, &r->pair_room, r->pair_count + 1, sizeof(*r->pairs));
    r->pairs[r->pair_count++] = pair;
    *number = r->pair_count;
    return pair;
}

static void put_on_links(struct dts_router *r, struct dts_pattern *pattern, struct pair pair,
                         int by, double weight)
{
    const struct dts_net *net = r->simulation->net;
    for (int i = 0; i < pair.count; i++) {
        struct share share = r->shares[pair.first + (size_t)i];
        if (r->alone[share.link]) {
            double capacity = net->ops->capacity(net->self, share.link);
            pattern->cap_bytes_per_s[by] = fmin(pattern->cap_bytes_per_s[by], capacity);
            continue;
        }
        double *sum = r->weight[share.link].by;
        if (sum[0] == 0 && sum[1] == 0)
            r->touched[r->touched_count++] = share.link;
        sum[by] += weight * (double)share.part;
    }
}

/* The hop to a rank: of all that it receives, the one with the longest latency. */
static void note_hop(struct dts_pattern *pattern, const struct dts_role *role, int rank,
                     int sender, int by, double latency_s)
{
    if (pattern->hops == NULL || rank < role->first || rank >= role->first + role->count)
        return;
    struct dts_hop *hop = &pattern->hops[rank - role->first];
    if (hop->from != rank && latency_s <= hop->latency_s)
        return;
    hop->from = sender;
    hop->by = by;
    hop->latency_s = latency_s;
}

/* One path for each message of a crowd; which, is drawn as exact draws it. */
static struct pair draw_pair(struct dts_router *r, int src, int dst, unsigned number)
{
    size_t kept = r->share_count;
    struct pair pair =
        route_pair(r, src, dst, dts_net_pick(r->simulation->net, src, dst, number));
    r->share_count = kept;
    return pair;
}

static double sums(const struct dts_router *r, const struct dts_parcel *parcel, int by)
{
    double rate = r->simulation->net->transports[by].reduce_bytes_per_s;
    rate = rate > 0 ? rate : r->simulation->reduce_bytes_per_s;
    return parcel->add && !parcel->send && rate > 0 ? parcel->bytes / rate : 0;
}

static void route_parcel(struct dts_router *r, struct dts_pattern *pattern,
                         const struct dts_parcel *parcel, unsigned number, bool crowd,
                         double largest_bytes, const struct dts_role *role)
{
    const struct dts_simulation *s = r->simulation;
    int src = s->endpoint[parcel->self], dst = s->endpoint[parcel->peer];
    int by = s->net->ops->transport(s->net->self, src, dst);
    struct pair pair = crowd ? draw_pair(r, src, dst, number) : find_pair(r, src, dst);
    put_on_links(r, pattern, pair, by, parcel->bytes / largest_bytes);
    pattern->used[by] = true;
    pattern->latency_s[by] = fmax(pattern->latency_s[by], pair.latency_s);
    note_hop(pattern, role, parcel->peer, parcel->self, by, pair.latency_s);
}

/* What arrives: the time to sum it; and the latency, where the sender is of another role. */
static void receive_parcels(struct dts_router *r, struct dts_pattern *pattern,
                            const struct dts_parcel *parcels, size_t count, bool hops,
                            double largest_bytes, const struct dts_role *role)
{
    const struct dts_simulation *s = r->simulation;
    double sum_s = 0;
    for (size_t i = 0; i < count; i++) {
        const struct dts_parcel *parcel = &parcels[i];
        if (i > 0 && parcel->self != parcels[i - 1].self)
            sum_s = 0;
        if (parcel->send || !(parcel->add || hops))
            continue;
        int src = s->endpoint[parcel->peer], dst = s->endpoint[parcel->self];
        int by = s->net->ops->transport(s->net->self, src, dst);
        sum_s += sums(r, parcel, by) / largest_bytes;
        pattern->sum_s = fmax(pattern->sum_s, sum_s);
        if (pattern->hops != NULL)
            pattern->hops[parcel->self - role->first].sum_s = sum_s;
        if (hops) {
            double latency_s = dts_net_latency(s->net, src, dst);
            pattern->latency_s[by] = fmax(pattern->latency_s[by], latency_s);
            note_hop(pattern, role, parcel->self, parcel->peer, by, latency_s);
        }
    }
}

static bool dominates(const struct dts_pattern_link *a, const struct dts_pattern_link *b)
{
    return a->weight[0] * b->bytes_per_s >= b->weight[0] * a->bytes_per_s &&
           a->weight[1] * b->bytes_per_s >= b->weight[1] * a->bytes_per_s;
}

/* Keep a link unless another one is slower whatever the sizes. */
static void keep_if_worst(struct dts_pattern *pattern, size_t *room,
                          const struct dts_pattern_link *link)
{
    int kept = 0;
    for (int i = 0; i < pattern->worst_count; i++)
        if (dominates(&pattern->worst[i], link))
            return;
    for (int i = 0; i < pattern->worst_count; i++)
        if (!dominates(link, &pattern->worst[i]))
            pattern->worst[kept++] = pattern->worst[i];
    pattern->worst_count = kept;
    pattern->worst = dts_grow(pattern->worst, room, (size_t)kept + 1, sizeof(*pattern->worst));
    pattern->worst[pattern->worst_count++] = *link;
}

static void take_links(struct dts_router *r, struct dts_pattern *pattern,
                       const struct dts_pattern_wish *wish, double largest_bytes)
{
    const struct dts_net *net = r->simulation->net;
    const struct dts_transport *by = net->transports;
    size_t room = 0;
    if (wish->links) {
        pattern->links = dts_alloc((size_t)r->touched_count, sizeof(*pattern->links));
        pattern->link_count = r->touched_count;
    }
    double best[2] = {dts_transport_best(&by[0]), dts_transport_best(&by[1])};
    for (int i = 0; i < r->touched_count; i++) {
        int number = r->touched[i];
        struct dts_pattern_link link = {number,
                                        {r->weight[number].by[0], r->weight[number].by[1]},
                                        net->ops->capacity(net->self, number)};
        keep_if_worst(pattern, &room, &link);
        if (wish->links)
            pattern->links[i] = link;
        if (wish->total != NULL)
            wish->total[number] += wish->times * largest_bytes *
                                   (link.weight[0] / best[0] + link.weight[1] / best[1]);
        r->weight[number] = (struct weight){{0, 0}};
    }
    r->touched_count = 0;
}

void dts_pattern_make(struct dts_router *r, const struct dts_parcel *parcels, size_t count,
                      double largest_bytes, const struct dts_pattern_wish *wish,
                      struct dts_pattern *pattern)
{
    const struct dts_net *net = r->simulation->net;
    const int *endpoint = r->simulation->endpoint;
    *pattern = (struct dts_pattern){.cap_bytes_per_s = {INFINITY, INFINITY}};
    if (wish->hops) {
        pattern->hops = dts_alloc((size_t)wish->role->count, sizeof(*pattern->hops));
        for (int i = 0; i < wish->role->count; i++)
            pattern->hops[i].from = wish->role->first + i;
    }
    double routes = 0;
    for (size_t i = 0; i < count && routes <= MOST_ROUTES; i++)
        if (parcels[i].send)
            routes += net->ops->paths(net->self, endpoint[parcels[i].self],
                                      endpoint[parcels[i].peer]);
    for (size_t i = 0; i < count; i++)
        if (parcels[i].send)
            route_parcel(r, pattern, &parcels[i], (unsigned)i, routes > MOST_ROUTES,
                         largest_bytes, wish->role);
    receive_parcels(r, pattern, parcels, count, routes == 0, largest_bytes, wish->role);
    take_links(r, pattern, wish, largest_bytes);
}

void dts_pattern_free(struct dts_pattern *pattern)
{
    free(pattern->worst);
    free(pattern->links);
    free(pattern->hops);
    *pattern = (struct dts_pattern){0};
}
