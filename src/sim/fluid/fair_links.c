/* fair_links.c -- what happens on links on which it is not what happened last time. */
#include <stdlib.h>

#include "base/mem.h"
#include "sim/fluid/fair_private.h"

/* A flow that has its rate before a link is looked at. */
struct turn {
    int round, place;
    double weight;
};

static int compare_turns(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    return x->round != y->round ? x->round - y->round : x->place - y->place;
}

bool dts_fair_has_rate(const struct dts_fair *f, const struct fair_flow *flow)
{
    return flow->now != NONE || (!flow->loose && flow->round < f->passed);
}

int dts_fair_round_of(const struct dts_fair *f, const struct fair_flow *flow)
{
    return flow->now != NONE ? flow->now : f->became.all[flow->round];
}

void dts_fair_take(struct fair_link *link, double weight, double rate)
{
    const double left = link->left - rate * weight, rest = link->weight - weight;
    link->left = left > 0 ? left : 0; // fmax() would be called
    link->weight = rest > 0 ? rest : 0;
    link->open--;
}

void dts_fair_make_dirty(struct dts_fair *f, int number)
{
    struct fair_link *link = &f->links[number];
    size_t count = 0;
    bool sorted = true;
    if (link->dirty)
        return;
    dts_numbers_add(&f->dirty, number);
    dts_numbers_add(&f->open, number);
    f->turns = dts_grow(f->turns, &f->turn_room, link->count, sizeof(*f->turns));
    link->dirty = true;
    link->round = NONE;
    link->left = link->capacity;
    link->weight = 0;
    link->open = (int)link->count;
    for (size_t c = 0; c < link->count; c++) {
        struct fair_flow *flow = &f->flows[link->crossings[c].flow];
        link->weight += link->crossings[c].weight;
        flow->touched = true;
        if (!dts_fair_has_rate(f, flow))
            continue;
        f->turns[count] =
            (struct turn){dts_fair_round_of(f, flow), (int)c, link->crossings[c].weight};
        sorted &= count == 0 || f->turns[count - 1].round <= f->turns[count].round;
        count++;
    }
    if (!sorted)
        qsort(f->turns, count, sizeof(*f->turns), compare_turns);
    for (size_t t = 0; t < count; t++)
        dts_fair_take(link, f->turns[t].weight, f->rates[f->turns[t].round]);
}

void dts_fair_make_links_dirty(struct dts_fair *f, const struct fair_flow *flow)
{
    for (int i = 0; i < flow->cost->narrow_count; i++)
        if (f->links[flow->cost->narrow[i].link].round != NONE)
            dts_fair_make_dirty(f, flow->cost->narrow[i].link);
}
