/* routes.c -- which links a pair of ranks crosses, found once. */
#include "sim/load/routes.h"

#include <stdlib.h>

#include "base/mem.h"

enum { MOST_SHARES = 5000000 }; // that are kept, 8 bytes each

/* A pair of ranks that was routed. */
struct pair {
    int dst, next; // next: of the same sender, + 1; 0: none
    int count, by; // shares; transport
    size_t first;  // in shares
    double latency_s;
    double bytes; // noted
};

struct dts_routes {
    const struct dts_simulation *simulation;

    /* By rank: the first pair that it sends to, + 1. Each sender has a list, in the order in
     * which its pairs were asked for. */
    int *first;

    struct pair *pairs;
    size_t pair_count, pair_room;
    struct dts_route_share *shares;
    size_t share_count, share_room;
    float *part;  // of one pair's traffic, by link, zero between uses
    int *crossed; // the links where it is not
    int crossed_count;
    double *bytes[2]; // noted for pairs that are not kept, by transport and link
    int *noted;       // the links where it is not zero
    int noted_count;
};

struct dts_routes *dts_routes_new(const struct dts_simulation *simulation)
{
    struct dts_routes *r = dts_alloc(1, sizeof(*r));
    size_t links = (size_t)simulation->net->links;
    r->simulation = simulation;
    r->first = dts_alloc((size_t)simulation->job->ranks, sizeof(*r->first));
    r->part = dts_alloc(links, sizeof(*r->part));
    r->crossed = dts_alloc(links, sizeof(*r->crossed));
    for (int k = 0; k < 2; k++)
        r->bytes[k] = dts_alloc(links, sizeof(*r->bytes[k]));
    r->noted = dts_alloc(links, sizeof(*r->noted));
    return r;
}

void dts_routes_free(struct dts_routes *r)
{
    if (r == NULL)
        return;
    free(r->first);
    free(r->pairs);
    free(r->shares);
    free(r->part);
    free(r->crossed);
    free(r->bytes[0]);
    free(r->bytes[1]);
    free(r->noted);
    free(r);
}

/* Add up the paths of a pair, or only one of them, by link. */
static void cross_links(struct dts_routes *r, int src, int dst, int only)
{
    const struct dts_net *net = r->simulation->net;
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
}

/* The shares lie behind the kept ones. */
static struct pair make_pair(struct dts_routes *r, int src_rank, int dst_rank, int only)
{
    const struct dts_net *net = r->simulation->net;
    int src = r->simulation->endpoint[src_rank], dst = r->simulation->endpoint[dst_rank];
    cross_links(r, src, dst, only);
    struct pair pair = {
        .dst = dst_rank,
        .by = net->ops->transport(net->self, src, dst),
        .first = r->share_count,
        .count = r->crossed_count,
        .latency_s = dts_net_latency(net, src, dst),
    };
    r->shares = dts_grow(r->shares, &r->share_room, r->share_count + (size_t)pair.count,
                         sizeof(*r->shares));
    for (int i = 0; i < pair.count; i++) {
        int link = r->crossed[i];
        r->shares[pair.first + (size_t)i] = (struct dts_route_share){link, r->part[link]};
        r->part[link] = 0;
    }
    return pair;
}

static struct dts_route route_of(const struct dts_routes *r, const struct pair *pair,
                                 size_t number)
{
    // a network without links has no shares
    struct dts_route_share *shares = pair->count > 0 ? r->shares + pair->first : NULL;
    return (struct dts_route){shares, pair->count, pair->by, pair->latency_s, number};
}

struct dts_route dts_route_find(struct dts_routes *r, int src, int dst, bool keep)
{
    for (int p = r->first[src]; p > 0; p = r->pairs[p - 1].next)
        if (r->pairs[p - 1].dst == dst)
            return route_of(r, &r->pairs[p - 1], (size_t)p);
    struct pair pair = make_pair(r, src, dst, -1);
    if (keep && r->share_count + (size_t)pair.count <= MOST_SHARES) {
        r->share_count += (size_t)pair.count;
        pair.next = r->first[src];
        r->pairs = dts_grow(r->pairs, &r->pair_room, r->pair_count + 1, sizeof(*r->pairs));
        r->pairs[r->pair_count++] = pair;
        r->first[src] = (int)r->pair_count;
        return route_of(r, &pair, r->pair_count);
    }
    return route_of(r, &pair, 0);
}

struct dts_route dts_route_draw(struct dts_routes *r, int src, int dst, unsigned number)
{
    const int *endpoint = r->simulation->endpoint;
    struct pair pair = make_pair(
        r, src, dst, dts_net_pick(r->simulation->net, endpoint[src], endpoint[dst], number));
    return route_of(r, &pair, 0);
}

static void add_to_links(struct dts_routes *r, const struct dts_route *route, double bytes)
{
    for (int i = 0; i < route->count; i++) {
        int link = route->shares[i].link;
        if (r->bytes[0][link] == 0 && r->bytes[1][link] == 0)
            r->noted[r->noted_count++] = link;
        r->bytes[route->by][link] += bytes * (double)route->shares[i].part;
    }
}

void dts_route_add_pair(struct dts_routes *r, size_t pair, double bytes)
{
    r->pairs[pair - 1].bytes += bytes;
}

void dts_route_add(struct dts_routes *r, const struct dts_route *route, double bytes)
{
    if (route->pair > 0)
        dts_route_add_pair(r, route->pair, bytes);
    else
        add_to_links(r, route, bytes);
}

struct dts_link_bytes *dts_routes_total(struct dts_routes *r, int *count)
{
    const struct dts_net *net = r->simulation->net;
    for (size_t p = 0; p < r->pair_count; p++) {
        struct dts_route route = route_of(r, &r->pairs[p], p + 1);
        if (r->pairs[p].bytes > 0)
            add_to_links(r, &route, r->pairs[p].bytes);
        r->pairs[p].bytes = 0;
    }
    struct dts_link_bytes *total = dts_alloc((size_t)r->noted_count, sizeof(*total));
    *count = 0;
    for (int i = 0; i < r->noted_count; i++) {
        int l = r->noted[i];
        if (net->ops->shared == NULL || net->ops->shared(net->self, l))
            total[(*count)++] = (struct dts_link_bytes){l, {r->bytes[0][l], r->bytes[1][l]}};
        r->bytes[0][l] = r->bytes[1][l] = 0;
    }
    r->noted_count = 0;
    return total;
}
