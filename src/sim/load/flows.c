/* flows.c -- messages begin and end; who ends first. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sim/load/flows_private.h"

struct dts_flows *dts_flows_new(const struct dts_route_shares *pairs)
{
    struct dts_flows *f = dts_alloc(1, sizeof(*f));
    size_t links = (size_t)pairs->link_count;
    f->pairs = pairs;
    f->free_of_pair = dts_alloc((size_t)pairs->count, sizeof(*f->free_of_pair));
    for (int w = 0; w < pairs->count; w++)
        f->free_of_pair[w] = NONE;
    f->links = dts_alloc(links, sizeof(*f->links));
    for (size_t l = 0; l < links; l++)
        f->links[l].first = NONE;
    f->dirty = dts_alloc(links, sizeof(*f->dirty));
    f->met_links = dts_alloc(links, sizeof(*f->met_links));
    return f;
}

void dts_flows_free(struct dts_flows *f)
{
    if (f == NULL)
        return;
    free(f->flows);
    free(f->crossings);
    free(f->free_of_pair);
    free(f->links);
    free(f->heap);
    free(f->dirty);
    free(f->met_links);
    free(f->met);
    free(f);
}

/* The heap of ends. */
static void put(struct dts_flows *f, int place, int flow)
{
    f->heap[place] = flow;
    f->flows[flow].place = place;
}

static void rise(struct dts_flows *f, int place)
{
    int flow = f->heap[place];
    double end_s = f->flows[flow].end_s;
    while (place > 0 && f->flows[f->heap[(place - 1) / 2]].end_s > end_s) {
        put(f, place, f->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(f, place, flow);
}

static void sink(struct dts_flows *f, int place)
{
    int flow = f->heap[place];
    double end_s = f->flows[flow].end_s;
    for (;;) {
        int below = 2 * place + 1;
        if (below + 1 < f->heap_count &&
            f->flows[f->heap[below + 1]].end_s < f->flows[f->heap[below]].end_s)
            below++;
        if (below >= f->heap_count || f->flows[f->heap[below]].end_s >= end_s)
            break;
        put(f, place, f->heap[below]);
        place = below;
    }
    put(f, place, flow);
}

void dts_flow_move(struct dts_flows *f, int flow, double end_s)
{
    bool sooner = end_s < f->flows[flow].end_s;
    f->flows[flow].end_s = end_s;
    if (sooner)
        rise(f, f->flows[flow].place);
    else
        sink(f, f->flows[flow].place);
}

/* A slot for a message on this way. */
static int open_flow(struct dts_flows *f, int pair)
{
    const struct dts_pair_route *route = &f->pairs->routes[pair];
    int number = f->free_of_pair[pair];
    if (number != NONE) {
        f->free_of_pair[pair] = f->flows[number].next_free;
        return number;
    }
    number = f->flow_count++;
    f->flows = dts_grow(f->flows, &f->flow_room, (size_t)f->flow_count, sizeof(*f->flows));
    f->heap = dts_grow(f->heap, &f->heap_room, (size_t)f->flow_count, sizeof(*f->heap));
    f->met = dts_grow(f->met, &f->met_room, (size_t)f->flow_count, sizeof(*f->met));
    f->flows[number] = (struct flow){.pair = pair, .first = f->crossing_count};
    f->crossing_count += route->count;
    f->crossings = dts_grow(f->crossings, &f->crossing_room, (size_t)f->crossing_count,
                            sizeof(*f->crossings));
    for (int i = 0; i < route->count; i++)
        f->crossings[f->flows[number].first + i].flow = number;
    return number;
}

static void make_dirty(struct dts_flows *f, int link)
{
    if (!f->links[link].dirty)
        f->dirty[f->dirty_count++] = link;
    f->links[link].dirty = true;
}

void dts_flows_start(struct dts_flows *f, int pair, double bytes, int tag, double now)
{
    const struct dts_pair_route *route = &f->pairs->routes[pair];
    int number = open_flow(f, pair);
    struct flow *flow = &f->flows[number];
    flow->tag = tag;
    flow->left_bytes = bytes;
    flow->since_s = now;
    flow->rate = route->most_bytes_per_s;
    flow->end_s = now + (isinf(flow->rate) ? 0 : bytes / flow->rate);
    for (int i = 0; i < route->count; i++) {
        struct dts_link_share share = f->pairs->shares[route->first + i];
        struct link *link = &f->links[share.link];
        struct crossing *c = &f->crossings[flow->first + i];
        c->before = NONE;
        c->after = link->first;
        if (link->first != NONE)
            f->crossings[link->first].before = flow->first + i;
        link->first = flow->first + i;
        link->flows++;
        link->wanted += share.part * route->most_bytes_per_s;
        if (link->wanted > f->pairs->bytes_per_s[share.link] * DTS_FLOW_NEARLY)
            make_dirty(f, share.link);
    }
    f->heap[f->heap_count] = number;
    rise(f, f->heap_count++);
}

static void leave_links(struct dts_flows *f, const struct flow *flow)
{
    const struct dts_pair_route *route = &f->pairs->routes[flow->pair];
    for (int i = 0; i < route->count; i++) {
        struct dts_link_share share = f->pairs->shares[route->first + i];
        struct link *link = &f->links[share.link];
        const struct crossing *c = &f->crossings[flow->first + i];
        if (c->before != NONE)
            f->crossings[c->before].after = c->after;
        else
            link->first = c->after;
        if (c->after != NONE)
            f->crossings[c->after].before = c->before;
        link->flows--;
        link->wanted -= share.part * route->most_bytes_per_s;
        if (link->flows == 0)
            link->wanted = 0;
        else if (link->shared)
            make_dirty(f, share.link);
    }
}

double dts_flows_next(const struct dts_flows *f)
{
    return f->heap_count > 0 ? f->flows[f->heap[0]].end_s : INFINITY;
}

int dts_flows_end(struct dts_flows *f, double by)
{
    if (f->heap_count == 0 || f->flows[f->heap[0]].end_s > by)
        return NONE;
    int number = f->heap[0];
    struct flow *flow = &f->flows[number];
    put(f, 0, f->heap[--f->heap_count]);
    if (f->heap_count > 0)
        sink(f, 0);
    leave_links(f, flow);
    flow->next_free = f->free_of_pair[flow->pair];
    f->free_of_pair[flow->pair] = number;
    return flow->tag;
}
