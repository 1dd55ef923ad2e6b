/* endpoint_pairs.c -- what the network says about pairs of endpoints, asked once. */
#include "sim/flow/endpoint_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* All routes of 4,096 nodes to 16 servers and back; beyond that, networks are asked again. */
enum { MOST_KEPT = 64 << 20 };

int dts_endpoint_pair_find(struct dts_endpoint_pairs *pairs, int src, int dst)
{
    uint64_t *number = dts_map_at(&pairs->numbers, (uint64_t)src << 32 | (uint64_t)dst);
    if (*number > 0)
        return (int)(*number - 1);
    const struct dts_net *net = pairs->net;
    struct dts_endpoint_pair pair = {.src = src, .dst = dst};
    pair.by = &net->transports[net->ops->transport(net->self, src, dst)];
    pair.paths = src == dst ? 1 : net->ops->paths(net->self, src, dst);
    pair.latency_s = dts_net_latency(net, src, dst);
    size_t bytes = (size_t)pair.paths * sizeof(*pair.path);
    if (pairs->kept + bytes <= MOST_KEPT) {
        pairs->kept += bytes;
        pair.path = dts_alloc((size_t)pair.paths, sizeof(*pair.path));
    }
    *number = ++pairs->count;
    pairs->pair = dts_grow(pairs->pair, &pairs->room, pairs->count, sizeof(*pairs->pair));
    pairs->pair[pairs->count - 1] = pair;
    return (int)(pairs->count - 1);
}

int dts_endpoint_pair_pick(struct dts_endpoint_pairs *pairs, int number)
{
    struct dts_endpoint_pair *pair = &pairs->pair[number];
    return pair->paths == 1 ? 0
                            : dts_net_pick(pairs->net, pair->src, pair->dst, pair->messages++);
}

const struct dts_path *dts_endpoint_pair_path(struct dts_endpoint_pairs *pairs, int number,
                                              int path)
{
    const struct dts_net *net = pairs->net;
    const struct dts_endpoint_pair *pair = &pairs->pair[number];
    struct dts_path *kept = pair->path != NULL ? &pair->path[path] : NULL;
    if (kept != NULL && kept->asked)
        return kept;
    bool same = pair->src == pair->dst;
    struct dts_path *one = &pairs->one;
    *one = (struct dts_path){.asked = true, .links = pairs->links};
    one->hops = same ? 0 : net->ops->route(net->self, pair->src, pair->dst, path, pairs->links);
    one->latency_s = net->ops->latency(net->self, pair->src, pair->dst, path);
    size_t bytes = (size_t)one->hops * sizeof(*pairs->links);
    if (kept == NULL || pairs->kept + bytes > MOST_KEPT)
        return one;
    pairs->kept += bytes;
    *kept = *one;
    int *links = dts_alloc((size_t)one->hops, sizeof(*links));
    memcpy(links, pairs->links, bytes);
    kept->links = links;
    return kept;
}

void dts_endpoint_pairs_free(struct dts_endpoint_pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++) {
        for (int p = 0; pairs->pair[i].path != NULL && p < pairs->pair[i].paths; p++)
            free((void *)pairs->pair[i].path[p].links);
        free(pairs->pair[i].path);
    }
    free(pairs->pair);
    dts_map_free(&pairs->numbers);
}
