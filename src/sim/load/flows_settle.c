/* flows_settle.c -- max-min fair rates, for the messages that a change may have touched. */
#include <math.h>

#include "sim/load/flows_private.h"

static bool is_shared(const struct dts_flows *f, int link)
{
    return f->links[link].wanted > f->pairs->bytes_per_s[link] * DTS_FLOW_NEARLY;
}

static void meet_flows(struct dts_flows *f, const struct link *link)
{
    for (int c = link->first; c != NONE; c = f->crossings[c].after) {
        int number = f->crossings[c].flow;
        if (f->flows[number].mark == f->mark)
            continue;
        f->flows[number].mark = f->mark;
        f->met[f->met_count++] = number;
    }
}

static void meet_link(struct dts_flows *f, int number)
{
    struct link *link = &f->links[number];
    if (link->mark == f->mark)
        return;
    link->mark = f->mark;
    f->met_links[f->met_link_count++] = number;
    meet_flows(f, link);
}

/* All flows that a change may have touched: those on links where something changed, and those
 * tied to them by links that could be full. Those links, too. */
static void meet_touched(struct dts_flows *f)
{
    f->mark++;
    f->met_count = f->met_link_count = 0;
    for (int i = 0; i < f->dirty_count; i++) {
        struct link *link = &f->links[f->dirty[i]];
        bool shared = is_shared(f, f->dirty[i]), was = link->shared;
        link->dirty = false;
        link->shared = shared;
        if (shared)
            meet_link(f, f->dirty[i]);
        else if (was)
            meet_flows(f, link);
    }
    f->dirty_count = 0;
    for (int i = 0; i < f->met_count; i++) {
        const struct dts_pair_route *route = &f->pairs->routes[f->flows[f->met[i]].pair];
        for (int s = route->first; s < route->first + route->count; s++)
            if (f->links[f->pairs->shares[s].link].shared)
                meet_link(f, f->pairs->shares[s].link);
    }
}

/* How fast all without a rate can rise together until a link is full or one is at its most. */
static double next_rate(const struct dts_flows *f, int links, int flows)
{
    double rate = INFINITY;
    for (int i = 0; i < links; i++) {
        const struct link *link = &f->links[f->met_links[i]];
        rate = fmin(rate, link->left / link->weight);
    }
    for (int i = 0; i < flows; i++)
        rate = fmin(rate, f->pairs->routes[f->flows[f->met[i]].pair].most_bytes_per_s);
    return rate;
}

/* Does it stop at this rate? */
static bool stops(const struct dts_flows *f, const struct dts_pair_route *route, double rate)
{
    if (route->most_bytes_per_s <= rate * DTS_FLOW_NEARLY)
        return true;
    for (int s = route->first; s < route->first + route->count; s++) {
        const struct link *link = &f->links[f->pairs->shares[s].link];
        if (link->shared && link->left <= rate * link->weight * DTS_FLOW_NEARLY)
            return true;
    }
    return false;
}

static void take_from_links(struct dts_flows *f, const struct dts_pair_route *route,
                            double rate)
{
    for (int s = route->first; s < route->first + route->count; s++) {
        struct dts_link_share share = f->pairs->shares[s];
        struct link *link = &f->links[share.link];
        link->left = fmax(0, link->left - rate * share.part);
        link->weight -= share.part;
    }
}

/* Give this rate to those of the first `flows` that stop at it; they go to the end of the list.
 * Returns how many are left. */
static int give(struct dts_flows *f, int flows, double rate)
{
    int left = flows;
    for (int i = 0; i < left;) {
        int number = f->met[i];
        if (!stops(f, &f->pairs->routes[f->flows[number].pair], rate)) {
            i++;
            continue;
        }
        f->flows[number].new_rate = rate;
        f->met[i] = f->met[--left];
        f->met[left] = number;
    }
    for (int i = left; i < flows; i++)
        take_from_links(f, &f->pairs->routes[f->flows[f->met[i]].pair], rate);
    return left;
}

static void share_links(struct dts_flows *f)
{
    int links = f->met_link_count, flows = f->met_count;
    for (int i = 0; i < links; i++) {
        struct link *link = &f->links[f->met_links[i]];
        link->left = f->pairs->bytes_per_s[f->met_links[i]];
        link->weight = 0;
        for (int c = link->first; c != NONE; c = f->crossings[c].after) {
            const struct flow *flow = &f->flows[f->crossings[c].flow];
            int share = f->pairs->routes[flow->pair].first + (c - flow->first);
            link->weight += f->pairs->shares[share].part;
        }
    }
    while (flows > 0) {
        int kept = 0;
        for (int i = 0; i < links; i++)
            if (f->links[f->met_links[i]].weight > 1e-9)
                f->met_links[kept++] = f->met_links[i];
        links = kept;
        flows = give(f, flows, next_rate(f, links, flows));
    }
}

void dts_flows_settle(struct dts_flows *f, double now)
{
    if (f->dirty_count == 0)
        return;
    meet_touched(f);
    share_links(f);
    for (int i = 0; i < f->met_count; i++) {
        struct flow *flow = &f->flows[f->met[i]];
        if (fabs(flow->new_rate - flow->rate) <= 1e-13 * flow->rate)
            continue;
        flow->left_bytes = fmax(0, flow->left_bytes - flow->rate * (now - flow->since_s));
        flow->since_s = now;
        flow->rate = flow->new_rate;
        dts_flow_move(f, f->met[i], now + flow->left_bytes / flow->rate);
    }
}
