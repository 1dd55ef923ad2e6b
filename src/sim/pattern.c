#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sim/pattern.h"

/* Links of all patterns that are kept; 32 bytes each. Beyond it each is routed anew. */
enum { MOST_LINKS = 3000000 };

struct dts_patterns {
    const struct dts_simulation *simulation;
    struct dts_pattern *kept;
    size_t count, room, links;
    struct dts_pattern last; // one that is not kept
    double *weight[2];       // by link, zero between uses
    int *touched;
    int touched_count;
};

struct dts_patterns *dts_patterns_new(const struct dts_simulation *simulation)
{
    struct dts_patterns *p = dts_alloc(1, sizeof(*p));
    size_t links = (size_t)simulation->net->links;
    p->simulation = simulation;
    p->weight[0] = dts_alloc(links, sizeof(**p->weight));
    p->weight[1] = dts_alloc(links, sizeof(**p->weight));
    p->touched = dts_alloc(links, sizeof(*p->touched));
    return p;
}

static void pattern_free(struct dts_pattern *pattern)
{
    free(pattern->links);
    free(pattern->hop_latency_s);
    free(pattern->from);
    free(pattern->hop_by);
    *pattern = (struct dts_pattern){0};
}

void dts_patterns_free(struct dts_patterns *p)
{
    for (size_t i = 0; i < p->count; i++)
        pattern_free(&p->kept[i]);
    pattern_free(&p->last);
    free(p->kept);
    free(p->weight[0]);
    free(p->weight[1]);
    free(p->touched);
    free(p);
}

/* The share of the largest message in 840ths (divisible by 1 to 8), so that parts of a bucket
 * that differ by an element count as equal. */
static uint64_t proportion(const struct dts_parcel *parcel, double largest_bytes)
{
    return (uint64_t)lround(840 * parcel->bytes / largest_bytes);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u; // 2^64 / golden ratio
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const struct dts_parcel *parcels, size_t count, double largest_bytes)
{
    uint64_t hash = mix(0, count);
    for (size_t i = 0; i < count; i++) {
        hash = mix(hash, (uint64_t)parcels[i].self << 32 | (uint64_t)parcels[i].peer);
        hash = mix(hash, proportion(&parcels[i], largest_bytes) << 1 | parcels[i].send);
    }
    return hash;
}

static void put_on_link(struct dts_patterns *p, struct dts_pattern *pattern, int link, int by,
                        double weight)
{
    const struct dts_net *net = p->simulation->net;
    if (net->ops->shared != NULL && !net->ops->shared(net->self, link)) {
        double capacity = net->ops->capacity(net->self, link);
        pattern->cap_bytes_per_s[by] = fmin(pattern->cap_bytes_per_s[by], capacity);
        return;
    }
    if (p->weight[0][link] == 0 && p->weight[1][link] == 0)
        p->touched[p->touched_count++] = link;
    p->weight[by][link] += weight;
}

/* The hop to a rank: of all that it receives, the one with the longest latency. */
static void note_hop(struct dts_pattern *pattern, int rank, int sender, int by,
                     double latency_s)
{
    if (pattern->from[rank] != rank && latency_s <= pattern->hop_latency_s[rank])
        return;
    pattern->hop_latency_s[rank] = latency_s;
    pattern->from[rank] = sender;
    pattern->hop_by[rank] = (unsigned char)by;
}

static void route_sent(struct dts_patterns *p, struct dts_pattern *pattern,
                       const struct dts_parcel *parcel, double weight)
{
    const struct dts_net *net = p->simulation->net;
    int src = p->simulation->endpoint[parcel->self],
        dst = p->simulation->endpoint[parcel->peer];
    int by = net->ops->transport(net->self, src, dst);
    int paths = net->ops->paths(net->self, src, dst);
    int links[DTS_MAX_ROUTE];
    pattern->used[by] = true;
    for (int path = 0; path < paths; path++) {
        double share = paths == 1 ? 1.0 : net->ops->share(net->self, src, dst, path);
        int hops = net->ops->route(net->self, src, dst, path, links);
        for (int h = 0; h < hops; h++)
            put_on_link(p, pattern, links[h], by, share * weight);
    }
    double latency_s = dts_net_latency(net, src, dst);
    pattern->latency_s[by] = fmax(pattern->latency_s[by], latency_s);
    note_hop(pattern, parcel->peer, parcel->self, by, latency_s);
}

/* The side of an exchange that receives: the sender's role counts the links. */
static void route_received(const struct dts_patterns *p, struct dts_pattern *pattern,
                           const struct dts_parcel *parcel)
{
    const struct dts_net *net = p->simulation->net;
    int src = p->simulation->endpoint[parcel->peer],
        dst = p->simulation->endpoint[parcel->self];
    note_hop(pattern, parcel->self, parcel->peer, net->ops->transport(net->self, src, dst),
             dts_net_latency(net, src, dst));
}

static void take_links(struct dts_patterns *p, struct dts_pattern *pattern)
{
    const struct dts_net *net = p->simulation->net;
    pattern->links = dts_alloc((size_t)p->touched_count, sizeof(*pattern->links));
    pattern->link_count = p->touched_count;
    for (int i = 0; i < p->touched_count; i++) {
        int link = p->touched[i];
        pattern->links[i] = (struct dts_pattern_link){
            link,
            {p->weight[0][link], p->weight[1][link]},
            net->ops->capacity(net->self, link),
        };
        p->weight[0][link] = p->weight[1][link] = 0;
    }
    p->touched_count = 0;
}

static void route_all(struct dts_patterns *p, struct dts_pattern *pattern,
                      const struct dts_parcel *parcels, size_t count, double largest_bytes)
{
    const struct dts_simulation *s = p->simulation;
    size_t ranks = (size_t)s->job->ranks;
    pattern->cap_bytes_per_s[0] = pattern->cap_bytes_per_s[1] = INFINITY;
    pattern->hop_latency_s = dts_alloc(ranks, sizeof(*pattern->hop_latency_s));
    pattern->from = dts_alloc(ranks, sizeof(*pattern->from));
    pattern->hop_by = dts_alloc(ranks, sizeof(*pattern->hop_by));
    for (size_t r = 0; r < ranks; r++)
        pattern->from[r] = (int)r;
    bool sends = false;
    for (size_t i = 0; i < count; i++) {
        sends = sends || parcels[i].send;
        if (parcels[i].send)
            route_sent(p, pattern, &parcels[i],
                       (double)proportion(&parcels[i], largest_bytes) / 840);
    }
    for (size_t i = 0; i < count && !sends; i++)
        route_received(p, pattern, &parcels[i]);
    take_links(p, pattern);
}

const struct dts_pattern *dts_patterns_find(struct dts_patterns *p,
                                            const struct dts_parcel *parcels, size_t count,
                                            double largest_bytes)
{
    uint64_t hash = hash_of(parcels, count, largest_bytes);
    for (size_t i = 0; i < p->count; i++)
        if (p->kept[i].hash == hash)
            return &p->kept[i];

    struct dts_pattern pattern = {.hash = hash};
    route_all(p, &pattern, parcels, count, largest_bytes);
    if (p->links + (size_t)pattern.link_count > MOST_LINKS) {
        pattern_free(&p->last);
        p->last = pattern;
        return &p->last;
    }
    p->links += (size_t)pattern.link_count;
    p->kept = dts_grow(p->kept, &p->room, p->count + 1, sizeof(*p->kept));
    p->kept[p->count++] = pattern;
    return &p->kept[p->count - 1];
}
