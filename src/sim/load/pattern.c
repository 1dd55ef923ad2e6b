/* pattern.c -- a step of messages, routed once for data of any size. */
#include "sim/load/pattern.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

enum {
    MOST_ROUTES = 400000, // of one step; beyond, each message takes one path, as in exact
    AHEAD = 16,           // links are fetched into the cache so many before they are looked at
};

struct dts_router {
    const struct dts_simulation *simulation;
    struct dts_routes *routes;
    double *weights[2];  // of a step, by transport and link; zero between uses. Apart from each
                         // other: on most networks one of them has all, and stays in the cache
    double *bytes_per_s; // by link; negative: a cap on each flow alone
    int *touched;        // links with a weight
    int touched_count;
};

struct dts_router *dts_router_new(const struct dts_simulation *simulation)
{
    struct dts_router *r = dts_alloc(1, sizeof(*r));
    const struct dts_net *net = simulation->net;
    r->simulation = simulation;
    r->routes = dts_routes_new(simulation);
    for (int k = 0; k < 2; k++)
        r->weights[k] = dts_alloc((size_t)net->links, sizeof(*r->weights[k]));
    r->bytes_per_s = dts_alloc((size_t)net->links, sizeof(*r->bytes_per_s));
    r->touched = dts_alloc((size_t)net->links, sizeof(*r->touched));
    for (int l = 0; l < net->links; l++) {
        bool alone = net->ops->shared != NULL && !net->ops->shared(net->self, l);
        double bytes_per_s = net->ops->capacity(net->self, l);
        r->bytes_per_s[l] = alone ? -bytes_per_s : bytes_per_s;
    }
    return r;
}

void dts_router_free(struct dts_router *r)
{
    if (r == NULL)
        return;
    dts_routes_free(r->routes);
    free(r->weights[0]);
    free(r->weights[1]);
    free(r->bytes_per_s);
    free(r->touched);
    free(r);
}

struct dts_routes *dts_router_routes(struct dts_router *r)
{
    return r->routes;
}

static void put_on_links(struct dts_router *r, struct dts_route route, double weight)
{
    double *mine = r->weights[route.by];
    const double *other = r->weights[1 - route.by];
    for (int i = 0; i < route.count; i++)
        __builtin_prefetch(&mine[route.shares[i].link], 1);
    for (int i = 0; i < route.count; i++) {
        int link = route.shares[i].link;
        if (mine[link] == 0 && other[link] == 0)
            r->touched[r->touched_count++] = link;
        mine[link] += weight * (double)route.shares[i].part;
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

static double sums(const struct dts_router *r, const struct dts_parcel *parcel, int by)
{
    double rate = r->simulation->net->transports[by].reduce_bytes_per_s;
    rate = rate > 0 ? rate : r->simulation->reduce_bytes_per_s;
    return parcel->add && !parcel->send && rate > 0 ? parcel->bytes / rate : 0;
}

static void route_parcel(struct dts_router *r, struct dts_pattern *pattern,
                         const struct dts_parcel *parcel, double largest_bytes,
                         const struct dts_role *role, struct dts_route route)
{
    put_on_links(r, route, parcel->bytes / largest_bytes);
    pattern->used[route.by] = true;
    pattern->sent[route.by] += 1;
    pattern->latency_s[route.by] = fmax(pattern->latency_s[route.by], route.latency_s);
    note_hop(pattern, role, parcel->peer, parcel->self, route.by, route.latency_s);
}

/* What arrives: the time to sum it; and the latency, where the sender is of another role. */
static void receive_parcels(struct dts_router *r, struct dts_pattern *pattern,
                            const struct dts_parcel *parcels, size_t count, bool hops,
                            double largest_bytes, const struct dts_role *role)
{
    const struct dts_simulation *s = r->simulation;
    double sum_s = 0;
    dts_progress_begin(s->progress, "receiving messages", (double)count);
    for (size_t i = 0; i < count; i++) {
        const struct dts_parcel *parcel = &parcels[i];
        dts_progress_at(s->progress, (double)i);
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

/* A link that is not shared limits each of the flows on it, by their transport. */
static void cap_flows(struct dts_pattern *pattern, const struct dts_pattern_link *link)
{
    for (int k = 0; k < 2; k++)
        if (link->weight[k] > 0)
            pattern->cap_bytes_per_s[k] = fmin(pattern->cap_bytes_per_s[k], -link->bytes_per_s);
}

static void take_links(struct dts_router *r, struct dts_pattern *pattern,
                       const struct dts_pattern_wish *wish)
{
    size_t room = 0;
    if (wish->links)
        pattern->links = dts_alloc((size_t)r->touched_count, sizeof(*pattern->links));
    for (int i = 0; i < r->touched_count; i++) {
        int number = r->touched[i];
        if (i + AHEAD < r->touched_count) {
            __builtin_prefetch(&r->weights[1][r->touched[i + AHEAD]], 1);
            __builtin_prefetch(&r->bytes_per_s[r->touched[i + AHEAD]]);
        }
        struct dts_pattern_link link = {
            number, {r->weights[0][number], r->weights[1][number]}, r->bytes_per_s[number]};
        r->weights[0][number] = r->weights[1][number] = 0;
        if (link.bytes_per_s < 0) {
            cap_flows(pattern, &link);
            continue;
        }
        keep_if_worst(pattern, &room, &link);
        if (wish->links)
            pattern->links[pattern->link_count++] = link;
    }
    r->touched_count = 0;
}

/* Of all messages together; more than MOST_ROUTES: so many that each takes only one. */
static double count_paths(const struct dts_simulation *s, const struct dts_parcel *parcels,
                          size_t count)
{
    double paths = 0;
    for (size_t i = 0; i < count && paths <= MOST_ROUTES; i++)
        if (parcels[i].send)
            paths += s->net->ops->paths(s->net->self, s->endpoint[parcels[i].self],
                                        s->endpoint[parcels[i].peer]);
    return paths;
}

static struct dts_route find_route(struct dts_router *r, const struct dts_parcel *parcels,
                                   size_t i, bool crowd, bool keep)
{
    const struct dts_parcel *p = &parcels[i];
    return crowd ? dts_route_draw(r->routes, p->self, p->peer, (unsigned)i)
                 : dts_route_find(r->routes, p->self, p->peer, keep);
}

/* How many messages are sent; 0: they are not all of one size. */
static size_t even_sends(const struct dts_parcel *parcels, size_t count, double largest_bytes)
{
    size_t sends = 0;
    for (size_t i = 0; i < count; i++) {
        if (parcels[i].bytes != largest_bytes)
            return 0;
        sends += parcels[i].send;
    }
    return sends;
}

static void note_pair(struct dts_pattern *pattern, size_t pair)
{
    if (pattern->pairs == NULL)
        return;
    if (pair > 0 && pair <= UINT_MAX) {
        pattern->pairs[pattern->pair_count++] = (unsigned)pair;
        return;
    }
    free(pattern->pairs);
    pattern->pairs = NULL;
}

void dts_pattern_make(struct dts_router *r, const struct dts_parcel *parcels, size_t count,
                      double largest_bytes, const struct dts_pattern_wish *wish,
                      struct dts_pattern *pattern)
{
    *pattern = (struct dts_pattern){.cap_bytes_per_s = {INFINITY, INFINITY}};
    if (wish->hops) {
        pattern->hops = dts_alloc((size_t)wish->role->count, sizeof(*pattern->hops));
        for (int i = 0; i < wish->role->count; i++)
            pattern->hops[i].from = wish->role->first + i;
    }
    pattern->paths = count_paths(r->simulation, parcels, count);
    const bool crowd = pattern->paths > MOST_ROUTES;
    bool sends = false;
    size_t even = wish->pairs ? even_sends(parcels, count, largest_bytes) : 0;
    if (even > 0)
        pattern->pairs = dts_alloc(even, sizeof(*pattern->pairs));
    dts_progress_begin(r->simulation->progress, "routing messages", (double)count);
    for (size_t i = 0; i < count; i++)
        if (parcels[i].send) {
            dts_progress_at(r->simulation->progress, (double)i);
            struct dts_route route = find_route(r, parcels, i, crowd, wish->keep);
            route_parcel(r, pattern, &parcels[i], largest_bytes, wish->role, route);
            dts_route_add(r->routes, &route, parcels[i].bytes * wish->times);
            note_pair(pattern, route.pair);
            sends = true;
        }
    receive_parcels(r, pattern, parcels, count, !sends, largest_bytes, wish->role);
    take_links(r, pattern, wish);
}

void dts_pattern_repeat(struct dts_router *r, const struct dts_pattern *pattern, double bytes,
                        double times)
{
    for (size_t i = 0; i < pattern->pair_count; i++)
        dts_route_add_pair(r->routes, pattern->pairs[i], bytes * times);
}

void dts_pattern_again(struct dts_router *r, const struct dts_parcel *parcels, size_t count,
                       const struct dts_pattern_wish *wish)
{
    const bool crowd = count_paths(r->simulation, parcels, count) > MOST_ROUTES;
    dts_progress_begin(r->simulation->progress, "routing messages", (double)count);
    for (size_t i = 0; i < count; i++)
        if (parcels[i].send) {
            dts_progress_at(r->simulation->progress, (double)i);
            struct dts_route route = find_route(r, parcels, i, crowd, wish->keep);
            dts_route_add(r->routes, &route, parcels[i].bytes * wish->times);
        }
}

struct dts_link_load *dts_router_total(struct dts_router *r, int *count)
{
    return dts_routes_total(r->routes, count);
}

void dts_pattern_free(struct dts_pattern *pattern)
{
    free(pattern->worst);
    free(pattern->links);
    free(pattern->hops);
    free(pattern->pairs);
    *pattern = (struct dts_pattern){0};
}
