/* test_flows.c -- messages that share links, against sharing all of them anew each time. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "check.h"
#include "sim/load/flows.h"

enum { LINKS = 7, PAIRS = 20, FLOWS = 120, MOST_SHARES = 3 };

static double draw(int seed, int stream, int number)
{
    return dts_uniform((uint64_t)seed, (uint64_t)stream, (uint64_t)number);
}

/* Ways over some of the links; a few messages cross a link twice. */
static struct dts_route_shares make_routes(int seed)
{
    struct dts_route_shares w = {.count = PAIRS, .link_count = LINKS};
    w.routes = dts_alloc(PAIRS, sizeof(*w.routes));
    w.shares = dts_alloc(PAIRS * MOST_SHARES, sizeof(*w.shares));
    w.bytes_per_s = dts_alloc(LINKS, sizeof(*w.bytes_per_s));
    for (int l = 0; l < LINKS; l++)
        w.bytes_per_s[l] = 1 + (int)(4 * draw(seed, 0, l));
    for (int i = 0; i < PAIRS; i++) {
        int count = 1 + (int)(MOST_SHARES * draw(seed, 1, i)),
            at = (int)(LINKS * draw(seed, 2, i));
        double most = draw(seed, 3, i) < 0.3 ? 0.5 : 9;
        w.routes[i].first = w.share_count;
        w.routes[i].count = count;
        for (int s = 0; s < count; s++, at = (at + 2) % LINKS) {
            double part = draw(seed, 4, 10 * i + s) < 0.1 ? 2 : 1;
            w.shares[w.share_count++] = (struct dts_link_share){at, part};
            most = fmin(most, w.bytes_per_s[at] / part);
        }
        w.routes[i].most_bytes_per_s = most;
    }
    return w;
}

/* The reference: a message, and its rate by filling all links together from nothing. */
struct reference {
    int pair;
    double start_s, left, rate, end_s;
};

static void fill_links(const struct dts_route_shares *w, struct reference *flows, double now)
{
    bool fixed[FLOWS] = {false};
    double level = 0;
    for (int f = 0; f < FLOWS; f++) {
        fixed[f] = flows[f].start_s > now || flows[f].left <= 0;
        flows[f].rate = 0;
    }
    for (;;) {
        double rise = INFINITY, used[LINKS] = {0}, weight[LINKS] = {0};
        for (int f = 0; f < FLOWS; f++) {
            const struct dts_pair_route *route = &w->routes[flows[f].pair];
            if (!fixed[f])
                rise = fmin(rise, route->most_bytes_per_s - level);
            for (int s = route->first; s < route->first + route->count; s++) {
                used[w->shares[s].link] += flows[f].rate * w->shares[s].part;
                weight[w->shares[s].link] += fixed[f] ? 0 : w->shares[s].part;
            }
        }
        for (int l = 0; l < LINKS; l++)
            if (weight[l] > 0)
                rise = fmin(rise, (w->bytes_per_s[l] - used[l]) / weight[l]);
        if (isinf(rise))
            return;
        level += rise;
        for (int f = 0; f < FLOWS; f++)
            flows[f].rate += fixed[f] ? 0 : rise;
        for (int f = 0; f < FLOWS; f++) {
            const struct dts_pair_route *route = &w->routes[flows[f].pair];
            bool stops = level >= route->most_bytes_per_s - 1e-12;
            for (int s = route->first; s < route->first + route->count; s++) {
                int l = w->shares[s].link;
                stops |= used[l] + rise * weight[l] >= w->bytes_per_s[l] - 1e-12;
            }
            fixed[f] |= stops;
        }
    }
}

static void run_reference(const struct dts_route_shares *w, struct reference *flows)
{
    for (double now = 0; !isinf(now);) {
        fill_links(w, flows, now);
        double next = INFINITY;
        for (int f = 0; f < FLOWS; f++) {
            if (flows[f].start_s > now)
                next = fmin(next, flows[f].start_s);
            else if (flows[f].left > 0)
                next = fmin(next, now + flows[f].left / flows[f].rate);
        }
        for (int f = 0; f < FLOWS && !isinf(next); f++) {
            if (flows[f].start_s > now || flows[f].left <= 0)
                continue;
            flows[f].left -= flows[f].rate * (next - now);
            if (flows[f].left > 1e-9)
                continue;
            flows[f].left = 0;
            flows[f].end_s = next;
        }
        now = next;
    }
}

static void run_flows(const struct dts_route_shares *w, const struct reference *flows,
                      double *ends)
{
    struct dts_flows *f = dts_flows_new(w);
    int started = 0, ended = 0;
    while (ended < FLOWS) {
        double start_s = started < FLOWS ? flows[started].start_s : INFINITY;
        double now = fmin(start_s, dts_flows_next(f));
        if (!CHECK(!isinf(now)))
            break;
        for (int tag; (tag = dts_flows_end(f, now)) >= 0; ended++)
            ends[tag] = now;
        for (; started < FLOWS && flows[started].start_s <= now; started++)
            dts_flows_start(f, flows[started].pair, flows[started].left, started, now);
        dts_flows_settle(f, now);
    }
    dts_flows_free(f);
}

static void what_is_shared_anew_where_it_changed_is_shared_as_if_all_were(void)
{
    for (int seed = 1; seed <= 40; seed++) {
        struct dts_route_shares routes = make_routes(seed);
        struct reference flows[FLOWS] = {{0}};
        double ends[FLOWS] = {0}, start_s = 0;
        for (int f = 0; f < FLOWS; f++) {
            start_s += draw(seed, 5, f) < 0.4 ? 0 : draw(seed, 6, f); // some together
            flows[f] = (struct reference){.pair = (int)(PAIRS * draw(seed, 7, f)),
                                          .start_s = start_s,
                                          .left = 0.1 + 2 * draw(seed, 8, f)};
        }
        run_flows(&routes, flows, ends);
        run_reference(&routes, flows);
        for (int f = 0; f < FLOWS; f++)
            CHECK_CLOSE(ends[f], flows[f].end_s, 1e-8);
        dts_route_shares_free(&routes);
    }
}

TESTS(TEST(what_is_shared_anew_where_it_changed_is_shared_as_if_all_were))
