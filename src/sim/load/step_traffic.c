/* step_traffic.c -- a step of messages, routed once for data of any size. */
#include "sim/load/step_traffic.h"

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

    /* Of a step, by transport and link; zero between uses. One array for each transport: on
     * most networks one transport has all messages, and its array stays in the cache. */
    double *weights[2];

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

static void put_on_links(struct dts_router *r, const struct dts_route *route, double weight)
{
    double *mine = r->weights[route->by];
    const double *other = r->weights[1 - route->by];
    for (int i = 0; i < route->count; i++)
        __builtin_prefetch(&mine[route->shares[i].link], 1);
    for (int i = 0; i < route->count; i++) {
        int link = route->shares[i].link;
        if (mine[link] == 0 && other[link] == 0)
            r->touched[r->touched_count++] = link;
        mine[link] += weight * (double)route->shares[i].part;
    }
}

/* The hop to a rank: of all that it receives, the one with the longest latency. */
static void note_hop(struct dts_step_traffic *traffic, const struct dts_role *role, int rank,
                     int sender, int by, double latency_s)
{
    if (traffic->hops == NULL || rank < role->first || rank >= role->first + role->count)
        return;
    struct dts_hop *hop = &traffic->hops[rank - role->first];
    if (hop->from != rank && latency_s <= hop->latency_s)
        return;
    hop->from = sender;
    hop->by = by;
    hop->latency_s = latency_s;
}

double dts_router_sum_s(const struct dts_router *r, int by)
{
    double rate = r->simulation->net->transports[by].reduce_bytes_per_s;
    rate = rate > 0 ? rate : r->simulation->reduce_bytes_per_s;
    return rate > 0 ? 1 / rate : 0;
}

static double sums(const struct dts_router *r, const struct dts_step_message *message, int by)
{
    return message->add && !message->send ? message->bytes * dts_router_sum_s(r, by) : 0;
}

static void route_message(struct dts_router *r, struct dts_step_traffic *traffic,
                          const struct dts_step_message *message, double largest_bytes,
                          const struct dts_role *role, struct dts_route route)
{
    put_on_links(r, &route, message->bytes / largest_bytes);
    traffic->used[route.by] = true;
    traffic->sent[route.by] += 1;
    traffic->latency_s[route.by] = fmax(traffic->latency_s[route.by], route.latency_s);
    note_hop(traffic, role, message->peer, message->self, route.by, route.latency_s);
}

/* What arrives: the time to sum it; and the latency, where the sender is of another role. */
static void receive_messages(struct dts_router *r, struct dts_step_traffic *traffic,
                             const struct dts_step_message *messages, size_t count, bool hops,
                             double largest_bytes, const struct dts_role *role)
{
    const struct dts_simulation *s = r->simulation;
    double sum_s = 0;
    dts_progress_begin(s->progress, "receiving messages", (double)count);
    for (size_t i = 0; i < count; i++) {
        const struct dts_step_message *message = &messages[i];
        dts_progress_at(s->progress, (double)i);
        if (i > 0 && message->self != messages[i - 1].self)
            sum_s = 0;
        if (message->send || !(message->add || hops))
            continue;
        int src = s->endpoint[message->peer], dst = s->endpoint[message->self];
        int by = s->net->ops->transport(s->net->self, src, dst);
        sum_s += sums(r, message, by) / largest_bytes;
        traffic->sum_s = fmax(traffic->sum_s, sum_s);
        if (traffic->hops != NULL)
            traffic->hops[message->self - role->first].sum_s = sum_s;
        if (hops) {
            double latency_s = dts_net_latency(s->net, src, dst);
            traffic->latency_s[by] = fmax(traffic->latency_s[by], latency_s);
            note_hop(traffic, role, message->self, message->peer, by, latency_s);
        }
    }
}

static bool dominates(const struct dts_traffic_link *a, const struct dts_traffic_link *b)
{
    return a->weight[0] * b->bytes_per_s >= b->weight[0] * a->bytes_per_s &&
           a->weight[1] * b->bytes_per_s >= b->weight[1] * a->bytes_per_s;
}

/* Keep a link unless another one is slower whatever the sizes. */
static void keep_if_worst(struct dts_step_traffic *traffic, size_t *room,
                          const struct dts_traffic_link *link)
{
    int kept = 0;
    for (int i = 0; i < traffic->worst_count; i++)
        if (dominates(&traffic->worst[i], link))
            return;
    for (int i = 0; i < traffic->worst_count; i++)
        if (!dominates(link, &traffic->worst[i]))
            traffic->worst[kept++] = traffic->worst[i];
    traffic->worst_count = kept;
    traffic->worst = dts_grow(traffic->worst, room, (size_t)kept + 1, sizeof(*traffic->worst));
    traffic->worst[traffic->worst_count++] = *link;
}

/* A link that is not shared limits each of the flows on it, by their transport. */
static void cap_flows(struct dts_step_traffic *traffic, const struct dts_traffic_link *link)
{
    for (int k = 0; k < 2; k++)
        if (link->weight[k] > 0)
            traffic->cap_bytes_per_s[k] = fmin(traffic->cap_bytes_per_s[k], -link->bytes_per_s);
}

void dts_step_traffic_take(struct dts_router *r, const struct dts_traffic_wish *wish,
                           struct dts_step_traffic *traffic)
{
    size_t room = 0;
    if (wish->links)
        traffic->links = dts_alloc((size_t)r->touched_count, sizeof(*traffic->links));
    for (int i = 0; i < r->touched_count; i++) {
        int number = r->touched[i];
        if (i + AHEAD < r->touched_count) {
            __builtin_prefetch(&r->weights[1][r->touched[i + AHEAD]], 1);
            __builtin_prefetch(&r->bytes_per_s[r->touched[i + AHEAD]]);
        }
        struct dts_traffic_link link = {
            number, {r->weights[0][number], r->weights[1][number]}, r->bytes_per_s[number]};
        r->weights[0][number] = r->weights[1][number] = 0;
        if (link.bytes_per_s < 0) {
            cap_flows(traffic, &link);
            continue;
        }
        keep_if_worst(traffic, &room, &link);
        if (wish->links)
            traffic->links[traffic->link_count++] = link;
    }
    r->touched_count = 0;
}

/* Of all messages together; more than MOST_ROUTES: so many that each takes only one. */
static double count_paths(const struct dts_simulation *s,
                          const struct dts_step_message *messages, size_t count)
{
    double paths = 0;
    for (size_t i = 0; i < count && paths <= MOST_ROUTES; i++)
        if (messages[i].send)
            paths += s->net->ops->paths(s->net->self, s->endpoint[messages[i].self],
                                        s->endpoint[messages[i].peer]);
    return paths;
}

static struct dts_route find_route(struct dts_router *r,
                                   const struct dts_step_message *messages, size_t i,
                                   bool crowd, bool keep)
{
    const struct dts_step_message *p = &messages[i];
    return crowd ? dts_route_draw(r->routes, p->self, p->peer, (unsigned)i)
                 : dts_route_find(r->routes, p->self, p->peer, keep);
}

/* How many messages are sent; 0: they are not all of one size. */
static size_t even_sends(const struct dts_step_message *messages, size_t count,
                         double largest_bytes)
{
    size_t sends = 0;
    for (size_t i = 0; i < count; i++) {
        if (messages[i].bytes != largest_bytes)
            return 0;
        sends += messages[i].send;
    }
    return sends;
}

static void note_pair(struct dts_step_traffic *traffic, size_t pair)
{
    if (traffic->pairs == NULL)
        return;
    if (pair > 0 && pair <= UINT_MAX) {
        traffic->pairs[traffic->pair_count++] = (unsigned)pair;
        return;
    }
    free(traffic->pairs);
    traffic->pairs = NULL;
}

void dts_step_traffic_make(struct dts_router *r, const struct dts_step_message *messages,
                           size_t count, double largest_bytes,
                           const struct dts_traffic_wish *wish,
                           struct dts_step_traffic *traffic)
{
    *traffic = (struct dts_step_traffic){.cap_bytes_per_s = {INFINITY, INFINITY}};
    if (wish->hops) {
        traffic->hops = dts_alloc((size_t)wish->role->count, sizeof(*traffic->hops));
        for (int i = 0; i < wish->role->count; i++)
            traffic->hops[i].from = wish->role->first + i;
    }
    traffic->paths = count_paths(r->simulation, messages, count);
    const bool crowd = traffic->paths > MOST_ROUTES;
    bool sends = false;
    size_t even = wish->pairs ? even_sends(messages, count, largest_bytes) : 0;
    if (even > 0)
        traffic->pairs = dts_alloc(even, sizeof(*traffic->pairs));
    dts_progress_begin(r->simulation->progress, "routing messages", (double)count);
    for (size_t i = 0; i < count; i++)
        if (messages[i].send) {
            dts_progress_at(r->simulation->progress, (double)i);
            struct dts_route route = find_route(r, messages, i, crowd, wish->keep);
            route_message(r, traffic, &messages[i], largest_bytes, wish->role, route);
            dts_route_add(r->routes, &route, messages[i].bytes * wish->times);
            note_pair(traffic, route.pair);
            sends = true;
        }
    receive_messages(r, traffic, messages, count, !sends, largest_bytes, wish->role);
    dts_step_traffic_take(r, wish, traffic);
}

void dts_router_put(struct dts_router *r, const struct dts_route *route, double weight,
                    double bytes)
{
    put_on_links(r, route, weight);
    dts_route_add(r->routes, route, bytes);
}

void dts_step_traffic_repeat(struct dts_router *r, const struct dts_step_traffic *traffic,
                             double bytes, double times)
{
    for (size_t i = 0; i < traffic->pair_count; i++)
        dts_route_add_pair(r->routes, traffic->pairs[i], bytes * times);
}

void dts_step_traffic_again(struct dts_router *r, const struct dts_step_message *messages,
                            size_t count, const struct dts_traffic_wish *wish)
{
    const bool crowd = count_paths(r->simulation, messages, count) > MOST_ROUTES;
    dts_progress_begin(r->simulation->progress, "routing messages", (double)count);
    for (size_t i = 0; i < count; i++)
        if (messages[i].send) {
            dts_progress_at(r->simulation->progress, (double)i);
            struct dts_route route = find_route(r, messages, i, crowd, wish->keep);
            dts_route_add(r->routes, &route, messages[i].bytes * wish->times);
        }
}

struct dts_link_bytes *dts_router_total(struct dts_router *r, int *count)
{
    return dts_routes_total(r->routes, count);
}

void dts_step_traffic_free(struct dts_step_traffic *traffic)
{
    free(traffic->worst);
    free(traffic->links);
    free(traffic->hops);
    free(traffic->pairs);
    *traffic = (struct dts_step_traffic){0};
}
