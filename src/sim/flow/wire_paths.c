/* wire_paths.c -- what paths of the network cross, asked once for each. */
#include <math.h>

#include "base/mem.h"
#include "sim/flow/wire.h"

static int link_find(struct dts_flow *f, int link)
{
    struct dts_flow_wire *w = f->wire;
    uint64_t *number = dts_map_at(&w->link_numbers, (uint64_t)link);
    if (*number == 0) {
        const struct dts_net *net = f->simulation->net;
        *number = ++w->link_count;
        w->links = dts_grow(w->links, &w->link_room, w->link_count, sizeof(*w->links));
        w->links[w->link_count - 1] =
            (struct dts_flow_wire_link){.bytes_per_s = net->ops->capacity(net->self, link)};
    }
    return (int)*number - 1;
}

/* A link that a part of the path's messages crosses; one that they cross twice takes it twice.
 */
static void add_hop(struct dts_flow *f, struct dts_flow_wire_path *path, int link, double part)
{
    struct dts_flow_wire *w = f->wire;
    const struct dts_net *net = f->simulation->net;
    if (net->ops->shared != NULL && !net->ops->shared(net->self, link)) {
        path->most_bytes_per_s =
            fmin(path->most_bytes_per_s, net->ops->capacity(net->self, link) / part);
        return;
    }
    const int number = link_find(f, link);
    for (int h = 0; h < path->count; h++)
        if (w->hops[path->first + h].link == number) {
            w->hops[path->first + h].part += (float)part;
            return;
        }
    w->hops = dts_grow(w->hops, &w->hop_room, ++w->hop_count, sizeof(*w->hops));
    w->hops[path->first + path->count++] = (struct dts_flow_wire_hop){number, (float)part};
}

static void ask(struct dts_flow *f, struct dts_flow_wire_path *path, int pair, int number)
{
    const struct dts_flow_wire *w = f->wire;
    const struct dts_net *net = f->simulation->net;
    const struct dts_endpoint_pair ends = f->pairs.pair[pair];
    const int paths = f->spread ? ends.paths : 1;
    *path =
        (struct dts_flow_wire_path){.first = (int)w->hop_count, .most_bytes_per_s = INFINITY};
    for (int p = 0; p < paths; p++) {
        const double part = paths > 1 ? net->ops->share(net->self, ends.src, ends.dst, p) : 1;
        const struct dts_path *asked =
            dts_endpoint_pair_path(&f->pairs, pair, f->spread ? p : number);
        for (int h = 0; h < asked->hops && part > 0; h++)
            add_hop(f, path, asked->links[h], part);
    }
    for (int h = path->first; h < path->first + path->count; h++) {
        const struct dts_flow_wire_hop hop = w->hops[h];
        path->most_bytes_per_s =
            fmin(path->most_bytes_per_s, w->links[hop.link].bytes_per_s / (double)hop.part);
    }
}

/* Room for the paths of a pair. */
static void add_pair(struct dts_flow *f, int pair)
{
    struct dts_flow_wire *w = f->wire;
    const int paths = f->spread ? 1 : f->pairs.pair[pair].paths;
    w->first_path[pair] = (int)w->path_count;
    w->path_count += (size_t)paths;
    w->paths = dts_grow(w->paths, &w->path_room, w->path_count, sizeof(*w->paths));
    for (int p = 0; p < paths; p++)
        w->paths[w->first_path[pair] + p].count = DTS_FLOW_NONE;
}

int dts_flow_wire_path_find(struct dts_flow *f, int pair, int path)
{
    struct dts_flow_wire *w = f->wire;
    if (pair >= (int)w->pair_count) {
        w->first_path =
            dts_grow(w->first_path, &w->pair_room, f->pairs.count, sizeof(*w->first_path));
        for (; w->pair_count < f->pairs.count; w->pair_count++)
            w->first_path[w->pair_count] = DTS_FLOW_NONE;
    }
    if (w->first_path[pair] == DTS_FLOW_NONE)
        add_pair(f, pair);
    const int number = w->first_path[pair] + path;
    if (w->paths[number].count == DTS_FLOW_NONE) {
        struct dts_flow_wire_path asked;
        ask(f, &asked, pair, path);
        w->paths[number] = asked;
    }
    return number;
}
