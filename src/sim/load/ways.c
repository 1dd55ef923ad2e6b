/* ways.c -- routes cut down: of links that the same pairs cross, the narrowest stays. */
#include "sim/load/ways.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sim/net/map.h"

/* Links of the network that some pair crosses. */
struct crossing {
    int link;
    uint64_t pairs; // a hash of who crosses it, and with which parts in proportion to the first
    int pair_count;
    double part;        // of the first pair
    double bytes_per_s; // for a whole message of the first pair
    int kept;           // number of the link that stands for it; -1: none does
};

/* While ways are made. */
struct maker {
    const struct dts_net *net;
    struct dts_map numbers; // by link: number of its crossing + 1
    struct crossing *crossings;
    size_t count, room, share_room;
};

static int crossing_of(struct maker *m, int link)
{
    uint64_t *number = dts_map_at(&m->numbers, (uint64_t)link);
    if (*number == 0) {
        m->crossings = dts_grow(m->crossings, &m->room, m->count + 1, sizeof(*m->crossings));
        m->crossings[m->count++] = (struct crossing){.link = link, .kept = -1};
        *number = m->count;
    }
    return (int)*number - 1;
}

/* Note that a pair crosses a link. */
static void cross(struct maker *m, int number, int pair, double part)
{
    struct crossing *c = &m->crossings[number];
    if (c->pair_count++ == 0) {
        c->part = part;
        c->bytes_per_s = m->net->ops->capacity(m->net->self, c->link) / part;
    }
    double relative = part / c->part;
    uint64_t bits;
    memcpy(&bits, &relative, sizeof(bits));
    c->pairs = dts_mix(dts_mix(c->pairs, (uint64_t)pair + 1), bits);
}

static void add_way(struct maker *m, struct dts_ways *ways, const struct dts_route *route)
{
    struct dts_way *way = &ways->ways[ways->count];
    *way = (struct dts_way){.first = ways->share_count,
                            .most_bytes_per_s = INFINITY,
                            .latency_s = route->latency_s,
                            .by = route->by};
    ways->shares = dts_grow(ways->shares, &m->share_room, (size_t)(way->first + route->count),
                            sizeof(*ways->shares));
    const struct dts_net *net = m->net;
    for (int i = 0; i < route->count; i++) {
        int link = route->shares[i].link;
        double part = (double)route->shares[i].part;
        if (net->ops->shared != NULL && !net->ops->shared(net->self, link)) {
            way->most_bytes_per_s =
                fmin(way->most_bytes_per_s, net->ops->capacity(net->self, link));
            continue;
        }
        int number = crossing_of(m, link);
        cross(m, number, ways->count, part);
        double alone = net->ops->capacity(net->self, link) / part;
        way->most_bytes_per_s = fmin(way->most_bytes_per_s, alone);
        ways->shares[way->first + way->count++] = (struct dts_way_share){number, part};
    }
    ways->share_count += way->count;
    ways->count++;
}

static int by_pairs(const void *a, const void *b)
{
    const struct crossing *x = *(const struct crossing *const *)a,
                          *y = *(const struct crossing *const *)b;
    if (x->pairs != y->pairs)
        return x->pairs < y->pairs ? -1 : 1;
    if (x->bytes_per_s != y->bytes_per_s)
        return x->bytes_per_s < y->bytes_per_s ? -1 : 1;
    return (x->link > y->link) - (x->link < y->link);
}

/* Of the links that the same pairs cross, the narrowest stands for all. */
static void keep_narrowest(struct maker *m, struct dts_ways *ways)
{
    struct crossing **sorted = dts_alloc(m->count, sizeof(struct crossing *));
    for (size_t i = 0; i < m->count; i++)
        sorted[i] = &m->crossings[i];
    qsort(sorted, m->count, sizeof(struct crossing *), by_pairs);
    for (size_t i = 0; i < m->count; i++)
        if (i == 0 || sorted[i]->pairs != sorted[i - 1]->pairs)
            sorted[i]->kept = 0;
    free(sorted);
    ways->bytes_per_s = dts_alloc(m->count, sizeof(*ways->bytes_per_s));
    for (size_t i = 0; i < m->count; i++) // in the order in which they were met
        if (m->crossings[i].kept == 0) {
            m->crossings[i].kept = ways->link_count;
            ways->bytes_per_s[ways->link_count++] =
                m->crossings[i].bytes_per_s * m->crossings[i].part;
        }
}

static void renumber(const struct maker *m, struct dts_ways *ways)
{
    int kept = 0;
    for (int w = 0; w < ways->count; w++) {
        struct dts_way *way = &ways->ways[w];
        int first = kept;
        for (int i = way->first; i < way->first + way->count; i++) {
            struct dts_way_share share = ways->shares[i];
            int link = m->crossings[share.link].kept;
            if (link >= 0)
                ways->shares[kept++] = (struct dts_way_share){link, share.part};
        }
        way->first = first;
        way->count = kept - first;
    }
    ways->share_count = kept;
}

int dts_rank_pairs_number(struct dts_rank_pairs *p, int from, int to)
{
    uint64_t *number = dts_map_at(&p->numbers, (uint64_t)from << 32 | (uint64_t)to);
    if (*number == 0) {
        size_t count = (size_t)p->count + 1;
        p->from = dts_grow(p->from, &p->from_room, count, sizeof(*p->from));
        p->to = dts_grow(p->to, &p->to_room, count, sizeof(*p->to));
        p->from[p->count] = from;
        p->to[p->count] = to;
        *number = (uint64_t)++p->count;
    }
    return (int)*number - 1;
}

void dts_ways_free(struct dts_ways *ways)
{
    free(ways->ways);
    free(ways->shares);
    free(ways->bytes_per_s);
    *ways = (struct dts_ways){0};
}

void dts_rank_pairs_find_ways(struct dts_rank_pairs *p, struct dts_routes *routes,
                              const struct dts_net *net)
{
    struct maker m = {.net = net};
    if (p->ways.count == p->count)
        return;
    dts_ways_free(&p->ways);
    p->ways.ways = dts_alloc((size_t)p->count, sizeof(*p->ways.ways));
    for (int i = 0; i < p->count; i++) {
        struct dts_route route = dts_route_find(routes, p->from[i], p->to[i], true);
        add_way(&m, &p->ways, &route);
    }
    keep_narrowest(&m, &p->ways);
    renumber(&m, &p->ways);
    free(m.crossings);
    dts_map_free(&m.numbers);
}

void dts_rank_pairs_free(struct dts_rank_pairs *p)
{
    dts_ways_free(&p->ways);
    free(p->from);
    free(p->to);
    dts_map_free(&p->numbers);
    *p = (struct dts_rank_pairs){0};
}
