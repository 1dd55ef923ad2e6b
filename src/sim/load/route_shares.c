/* route_shares.c -- routes cut down: of links that the same pairs cross, the narrowest stays.
 */
#include "sim/load/route_shares.h"

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

/* While routes are cut down. */
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

static void add_route(struct maker *m, struct dts_route_shares *all,
                      const struct dts_route *route)
{
    struct dts_pair_route *made = &all->routes[all->count];
    *made = (struct dts_pair_route){.first = all->share_count,
                                    .most_bytes_per_s = INFINITY,
                                    .latency_s = route->latency_s,
                                    .by = route->by};
    all->shares = dts_grow(all->shares, &m->share_room, (size_t)(made->first + route->count),
                           sizeof(*all->shares));
    const struct dts_net *net = m->net;
    for (int i = 0; i < route->count; i++) {
        int link = route->shares[i].link;
        double part = (double)route->shares[i].part;
        if (net->ops->shared != NULL && !net->ops->shared(net->self, link)) {
            made->most_bytes_per_s =
                fmin(made->most_bytes_per_s, net->ops->capacity(net->self, link));
            continue;
        }
        int number = crossing_of(m, link);
        cross(m, number, all->count, part);
        double alone = net->ops->capacity(net->self, link) / part;
        made->most_bytes_per_s = fmin(made->most_bytes_per_s, alone);
        all->shares[made->first + made->count++] = (struct dts_link_share){number, part};
    }
    all->share_count += made->count;
    all->count++;
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
static void keep_narrowest(struct maker *m, struct dts_route_shares *all)
{
    struct crossing **sorted = dts_alloc(m->count, sizeof(struct crossing *));
    for (size_t i = 0; i < m->count; i++)
        sorted[i] = &m->crossings[i];
    qsort(sorted, m->count, sizeof(struct crossing *), by_pairs);
    for (size_t i = 0; i < m->count; i++)
        if (i == 0 || sorted[i]->pairs != sorted[i - 1]->pairs)
            sorted[i]->kept = 0;
    free(sorted);
    all->bytes_per_s = dts_alloc(m->count, sizeof(*all->bytes_per_s));
    for (size_t i = 0; i < m->count; i++) // in the order in which they were met
        if (m->crossings[i].kept == 0) {
            m->crossings[i].kept = all->link_count;
            all->bytes_per_s[all->link_count++] =
                m->crossings[i].bytes_per_s * m->crossings[i].part;
        }
}

static void renumber(const struct maker *m, struct dts_route_shares *all)
{
    int kept = 0;
    for (int r = 0; r < all->count; r++) {
        struct dts_pair_route *made = &all->routes[r];
        int first = kept;
        for (int i = made->first; i < made->first + made->count; i++) {
            struct dts_link_share share = all->shares[i];
            int link = m->crossings[share.link].kept;
            if (link >= 0)
                all->shares[kept++] = (struct dts_link_share){link, share.part};
        }
        made->first = first;
        made->count = kept - first;
    }
    all->share_count = kept;
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

void dts_route_shares_free(struct dts_route_shares *all)
{
    free(all->routes);
    free(all->shares);
    free(all->bytes_per_s);
    *all = (struct dts_route_shares){0};
}

void dts_rank_pairs_find_routes(struct dts_rank_pairs *p, struct dts_routes *routes,
                                const struct dts_net *net)
{
    struct maker m = {.net = net};
    if (p->shares.count == p->count)
        return;
    dts_route_shares_free(&p->shares);
    p->shares.routes = dts_alloc((size_t)p->count, sizeof(*p->shares.routes));
    for (int i = 0; i < p->count; i++) {
        struct dts_route route = dts_route_find(routes, p->from[i], p->to[i], true);
        add_route(&m, &p->shares, &route);
    }
    keep_narrowest(&m, &p->shares);
    renumber(&m, &p->shares);
    free(m.crossings);
    dts_map_free(&m.numbers);
}

void dts_rank_pairs_free(struct dts_rank_pairs *p)
{
    dts_route_shares_free(&p->shares);
    free(p->from);
    free(p->to);
    dts_map_free(&p->numbers);
    *p = (struct dts_rank_pairs){0};
}
