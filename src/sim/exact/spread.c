/* spread.c -- all paths of a pair as one route. */
#include "sim/exact/spread.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

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

/* What caps each flow alone caps all of the message that goes through it. */
static void cap(struct dts_spread *spread, const struct dts_net *net, const int *links,
                size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int times = 0;
        for (size_t j = 0; j < count; j++)
            times += links[j] == links[i];
        spread->most_bytes_per_s =
            fmin(spread->most_bytes_per_s, net->ops->capacity(net->self, links[i]) / times);
    }
}

void dts_spread_lay(struct dts_spread *spread, struct dts_endpoint_pairs *pairs, int pair)
{
    const struct dts_net *net = pairs->net;
    const struct dts_endpoint_pair ends = pairs->pair[pair];
    struct dts_spread caps = {0};
    double share = 0; // of this path and those before
    spread->count = 0;
    spread->most_bytes_per_s = INFINITY;
    for (int p = 0; p < ends.paths; p++) {
        const double before = share;
        share += share_of(net, ends.src, ends.dst, ends.paths, p);
        const int times = (int)(lround(share * spread->laid) - lround(before * spread->laid));
        const struct dts_path *path = dts_endpoint_pair_path(pairs, pair, p);
        for (int h = 0; h < path->hops; h++) {
            const bool shared =
                net->ops->shared == NULL || net->ops->shared(net->self, path->links[h]);
            add_link(shared ? spread : &caps, path->links[h], times);
        }
    }
    cap(spread, net, caps.links, caps.count);
    free(caps.links);
}
