/* full_spots.c -- members by node and by spot. */
#include "sim/load/full_spots.h"

#include <stdlib.h>

#include "base/mem.h"
#include "sim/net/map.h"

int dts_by_node_of(const struct dts_simulation *simulation, int rank)
{
    return dts_net_node(simulation->net, simulation->endpoint[rank]);
}

void dts_by_node_make(const struct dts_simulation *simulation, const struct dts_full_side *side,
                      struct dts_by_node *by)
{
    int nodes = simulation->net->nodes;
    *by = (struct dts_by_node){simulation, dts_alloc((size_t)nodes, sizeof(*by->first)),
                               dts_alloc((size_t)side->count, sizeof(*by->next))};
    for (int n = 0; n < nodes; n++)
        by->first[n] = -1;
    for (int i = side->count - 1; i >= 0; i--) { // so that lists are in order
        int node = dts_by_node_of(simulation, side->ranks[i]);
        by->next[i] = by->first[node];
        by->first[node] = i;
    }
}

void dts_by_node_free(struct dts_by_node *by)
{
    free(by->first);
    free(by->next);
    *by = (struct dts_by_node){0};
}

/* The spot of each member, in the order in which they are met. */
static void number_spots(const struct dts_simulation *simulation,
                         const struct dts_full_side *side, struct dts_spots *spots)
{
    struct dts_map numbers = {0};
    size_t room = 0;
    for (int i = 0; i < side->count; i++) {
        struct dts_spot spot =
            dts_net_spot(simulation->net, simulation->endpoint[side->ranks[i]]);
        uint64_t key = dts_mix(dts_mix(1, spot.place), (uint64_t)spot.way) >> 1;
        uint64_t *number = dts_map_at(&numbers, key); // plus 1
        if (*number == 0) {
            spots->all =
                dts_grow(spots->all, &room, (size_t)spots->count + 1, sizeof(*spots->all));
            spots->all[spots->count] = (struct dts_spot_members){.spot = spot};
            *number = (uint64_t)++spots->count;
        }
        spots->of[i] = (int)*number - 1;
        spots->all[spots->of[i]].count++;
        spots->all[spots->of[i]].parts += side->parts[i];
    }
    dts_map_free(&numbers);
}

void dts_spots_make(const struct dts_simulation *simulation, const struct dts_full_side *side,
                    struct dts_spots *spots)
{
    *spots = (struct dts_spots){.of = dts_alloc((size_t)side->count, sizeof(*spots->of)),
                                .order = dts_alloc((size_t)side->count, sizeof(*spots->order))};
    number_spots(simulation, side, spots);
    int first = 0;
    for (int s = 0; s < spots->count; s++) {
        spots->all[s].first = first;
        first += spots->all[s].count;
        spots->all[s].count = 0;
    }
    for (int i = 0; i < side->count; i++) {
        struct dts_spot_members *s = &spots->all[spots->of[i]];
        spots->order[s->first + s->count++] = i;
    }
}

void dts_spots_free(struct dts_spots *spots)
{
    free(spots->all);
    free(spots->of);
    free(spots->order);
    *spots = (struct dts_spots){0};
}
