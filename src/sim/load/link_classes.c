/* link_classes.c -- links are told apart by a hash of what each cost puts on them. */
#include "sim/load/link_classes.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sim/net/map.h"

/* By link: what all costs put on it. 0: nothing. */
static uint64_t *sign_links(const struct dts_net *net, struct dts_step_cost *const costs[],
                            size_t count)
{
    uint64_t *signs = dts_alloc((size_t)net->links, sizeof(*signs));
    for (size_t c = 0; c < count; c++)
        for (int i = 0; i < costs[c]->link_count; i++) {
            uint64_t *sign = &signs[costs[c]->links[i].link];
            *sign = dts_mix(dts_mix(*sign, c + 1), dts_bits_of(costs[c]->links[i].weight));
        }
    return signs;
}

/* The narrowest link of each class, plus 1, of equals the first. */
static void find_narrowest(const struct dts_net *net, const uint64_t *signs,
                           struct dts_map *narrowest)
{
    for (int l = 0; l < net->links; l++) {
        if (signs[l] == 0)
            continue;
        uint64_t *first = dts_map_at(narrowest, signs[l] >> 1); // a key of the map
        if (*first == 0 ||
            net->ops->capacity(net->self, l) < net->ops->capacity(net->self, (int)*first - 1))
            *first = (uint64_t)l + 1;
    }
}

static void narrow(struct dts_step_cost *cost, const uint64_t *signs, struct dts_map *narrowest)
{
    free(cost->narrow);
    cost->narrow = dts_alloc((size_t)cost->link_count + 1, sizeof(*cost->narrow));
    cost->narrow_count = 0;
    for (int i = 0; i < cost->link_count; i++) {
        const int link = cost->links[i].link;
        if (*dts_map_at(narrowest, signs[link] >> 1) == (uint64_t)link + 1)
            cost->narrow[cost->narrow_count++] = cost->links[i];
    }
}

void dts_link_classes(const struct dts_net *net, struct dts_step_cost *const costs[],
                      size_t count)
{
    struct dts_map narrowest = {0};
    uint64_t *signs = sign_links(net, costs, count);
    find_narrowest(net, signs, &narrowest);
    for (size_t c = 0; c < count; c++)
        narrow(costs[c], signs, &narrowest);
    dts_map_free(&narrowest);
    free(signs);
}
