/* spread.c -- all paths of a pair as one route. */
#include "sim/exact/spread.h"

#include <math.h>
#include <stdbool.h>

#include "base/mem.h"

static double share_of(const struct dts_net *net, int src, int dst, int paths, int path)
{
    return paths == 1 ? 1 : net->ops->share(net->self, src, dst, path);
}

static bool is_whole(const struct dts_net *net, int src, int dst, int laid)
{
    const double rounding = 1e-9;
    const int paths = net->ops->paths(net->self, src, dst);
    for (int p = 0; p < paths; p++) {
        const double parts = share_of(net, src, dst, paths, p) * laid;
        if (fabs(parts - round(parts)) > rounding * laid)
            return false;
    }
    return true;
}

static int greatest_divisor(int a, int b)
{
    return b == 0 ? a : greatest_divisor(b, a % b);
}

/* The least multiple of `laid` that a pair's shares are whole numbers of. */
static int with_pair(const struct dts_net *net, int src, int dst, int laid)
{
    int parts = 1;
    if (is_whole(net, src, dst, laid))
        return laid;
    while (parts < DTS_SPREAD_MOST && !is_whole(net, src, dst, parts))
        parts++;
    const int both = laid / greatest_divisor(laid, parts) * parts;
    return both < DTS_SPREAD_MOST ? both : DTS_SPREAD_MOST;
}

void dts_spread_open(struct dts_spread *spread, const struct dts_net *net, const int *endpoint,
                     int count)
{
    *spread = (struct dts_spread){.laid = 1};
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count && spread->laid < DTS_SPREAD_MOST; b++)
            if (endpoint[a] != endpoint[b])
                spread->laid = with_pair(net, endpoint[a], endpoint[b], spread->laid);
}

static void add_link(struct dts_spread *spread, int link, int times)
{
    spread->links = dts_grow(spread->links, &spread->room, spread->count + (size_t)times,
                             sizeof(*spread->links));
    for (int t = 0; t < times; t++)
        spread->links[spread->count++] = link;
}

static void add_cap(struct dts_spread *spread, int link, int times)
{
    size_t c = 0;
    while (c < spread->cap_count && spread->caps[c].link != link)
        c++;
    if (c == spread->cap_count) {
        spread->caps = dts_grow(spread->caps, &spread->cap_room, c + 1, sizeof(*spread->caps));
        spread->caps[spread->cap_count++] = (struct dts_spread_cap){.link = link};
    }
    spread->caps[c].times += times;
}

/* What caps each flow alone caps all of the message that goes through it. */
static double least_cap(const struct dts_spread *spread, const struct dts_net *net)
{
    double least = INFINITY;
    for (size_t c = 0; c < spread->cap_count; c++)
        if (spread->caps[c].times > 0)
            least = fmin(least, net->ops->capacity(net->self, spread->caps[c].link) /
                                    spread->caps[c].times);
    return least;
}

void dts_spread_lay(struct dts_spread *spread, struct dts_endpoint_pairs *pairs, int pair)
{
    const struct dts_net *net = pairs->net;
    const struct dts_endpoint_pair ends = pairs->pair[pair];
    double share = 0; // of this path and those before
    spread->count = spread->cap_count = 0;
    for (int p = 0; p < ends.paths; p++) {
        const double before = share;
        share += share_of(net, ends.src, ends.dst, ends.paths, p);
        const int times = (int)(lround(share * spread->laid) - lround(before * spread->laid));
        const struct dts_path *path = dts_endpoint_pair_path(pairs, pair, p);
        for (int h = 0; h < path->hops; h++) {
            const bool shared =
                net->ops->shared == NULL || net->ops->shared(net->self, path->links[h]);
            (shared ? add_link : add_cap)(spread, path->links[h], times);
        }
    }
    spread->most_bytes_per_s = least_cap(spread, net);
}
