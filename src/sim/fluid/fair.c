/* fair.c -- who is asked for, compared with the last question, and what of that one still
 * holds. */
#include "sim/fluid/fair.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sim/fluid/fair_private.h"

/* Of each question so many in a row may be others before all after them count as others. */
enum { MOST_OTHERS = 32 };

static const double much = 1.001; // too much, as seen where it is added up

struct dts_fair *dts_fair_new(const struct dts_net *net)
{
    struct dts_fair *f = dts_alloc(1, sizeof(*f));
    f->net = net;
    f->links = dts_alloc((size_t)net->links, sizeof(*f->links));
    return f;
}

void dts_fair_free(struct dts_fair *f)
{
    if (f == NULL)
        return;
    struct dts_numbers *lists[] = {
        &f->come,           &f->suspects,        &f->free_flows,    &f->used,
        &f->members,        &f->before,          &f->changed,       &f->full,
        &f->became,         &f->dirty,           &f->open,          &f->flows_of.round,
        &f->full_of.round,  &f->loose,           &f->stopping,      &f->leaving,
        &f->flows_of.first, &f->flows_of.sorted, &f->full_of.first, &f->full_of.sorted};
    for (size_t i = 0; i < f->used.count; i++)
        free(f->links[f->used.all[i]].crossings);
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
        free(lists[i]->all);
    free(f->links);
    free(f->flows);
    free(f->rates);
    free(f->old_rates);
    free(f->turns);
    free(f);
}

static void add_flow(struct dts_fair *f, const struct dts_step_cost *cost)
{
    size_t number = f->flow_count;
    if (f->free_flows.count > 0)
        number = (size_t)f->free_flows.all[--f->free_flows.count];
    else
        f->flows = dts_grow(f->flows, &f->flow_room, ++f->flow_count, sizeof(*f->flows));
    f->flows[number] =
        (struct fair_flow){.cost = cost, .index = (int)f->members.count, .round = NONE};
    dts_numbers_add(&f->members, (int)number);
    dts_numbers_add(&f->come, (int)number);
}

static void remove_flow(struct dts_fair *f, int number)
{
    const struct dts_step_cost *cost = f->flows[number].cost;
    for (int i = 0; i < cost->narrow_count; i++) {
        struct fair_link *link = &f->links[cost->narrow[i].link];
        size_t place = 0;
        while (link->crossings[place].flow != number)
            place++;
        link->count--;
        link->use -= f->flows[number].rate * cost->narrow[i].weight;
        if (link->count == 0)
            link->use = 0; // without what rounding has left
        for (; place < link->count; place++)
            link->crossings[place] = link->crossings[place + 1];
        dts_numbers_add(&f->changed, cost->narrow[i].link);
    }
    dts_numbers_add(&f->free_flows, number);
}

/* Its links have it from now on. */
static void cross_links(struct dts_fair *f, int number)
{
    struct fair_flow *flow = &f->flows[number];
    flow->most = flow->cost->most_bytes_per_s;
    for (int i = 0; i < flow->cost->narrow_count; i++) {
        const struct dts_link_load *load = &flow->cost->narrow[i];
        struct fair_link *link = &f->links[load->link];
        if (link->crossings == NULL) {
            link->capacity = f->net->ops->capacity(f->net->self, load->link);
            link->round = NONE;
            dts_numbers_add(&f->used, load->link);
        }
        link->crossings =
            dts_grow(link->crossings, &link->room, link->count + 1, sizeof(*link->crossings));
        flow->most = fmin(flow->most, link->capacity / load->weight * much);
        size_t place = link->count++;
        for (; place > 0; place--) {
            if (f->flows[link->crossings[place - 1].flow].index <= flow->index)
                break;
            link->crossings[place] = link->crossings[place - 1];
        }
        link->crossings[place] = (struct fair_crossing){number, load->weight};
        dts_numbers_add(&f->changed, load->link);
    }
}

/* How many of the last question, from `old` on, are gone, and how many of this one, from `at`
 * on, are new, before both go on alike. */
static void find_gap(const struct dts_fair *f, const struct dts_step_cost *const costs[],
                     int count, int old, int at, int *gone, int *come)
{
    const int olds = (int)f->before.count - old, news = count - at;
    const int most = olds == 0 || news == 0 ? 0 : MOST_OTHERS;
    for (int gap = 0; gap < most; gap++)
        for (*gone = 0; *gone <= gap; (*gone)++) {
            *come = gap - *gone;
            if (*gone < olds && *come < news &&
                f->flows[f->before.all[old + *gone]].cost == costs[at + *come])
                return;
        }
    *gone = olds;
    *come = news;
}

/* Members are those of the question; those that were there before keep what they have. */
static void find_members(struct dts_fair *f, const struct dts_step_cost *const costs[],
                         int count)
{
    const struct dts_numbers before = f->members;
    int old = 0, at = 0;
    f->members = f->before;
    f->before = before;
    f->members.count = f->changed.count = f->come.count = 0;
    while (old < (int)f->before.count || at < count) {
        int gone = 0, come = 0;
        if (old == (int)f->before.count || at == count ||
            f->flows[f->before.all[old]].cost != costs[at])
            find_gap(f, costs, count, old, at, &gone, &come);
        for (; gone > 0; gone--)
            remove_flow(f, f->before.all[old++]);
        for (; come > 0; come--)
            add_flow(f, costs[at++]);
        if (old == (int)f->before.count)
            continue;
        f->flows[f->before.all[old]].index = (int)f->members.count;
        dts_numbers_add(&f->members, f->before.all[old++]);
        at++;
    }
}

/* by->round says which each of them has; those without one are left out. */
static void sort_by_round(const struct dts_numbers *items, int rounds, struct by_round *by)
{
    dts_numbers_set_count(&by->first, (size_t)rounds + 2);
    dts_numbers_set_count(&by->sorted, items->count);
    int *first = by->first.all; // first[r + 1] is where the next of round r goes, until all are
    memset(first, 0, by->first.count * sizeof(*first));
    for (size_t i = 0; i < items->count; i++)
        if (by->round.all[i] != NONE)
            first[by->round.all[i] + 2]++;
    for (int r = 2; r <= rounds; r++)
        first[r] += first[r - 1];
    for (size_t i = 0; i < items->count; i++)
        if (by->round.all[i] != NONE)
            by->sorted.all[first[by->round.all[i] + 1]++] = items->all[i];
}

/* All is as in the last question, but for those that have come, and links that changed. */
static void begin(struct dts_fair *f)
{
    double *rates = f->old_rates;
    size_t room = f->old_rate_room;
    f->old_rates = f->rates;
    f->old_rate_room = f->rate_room;
    f->rates = rates;
    f->rate_room = room;
    f->old_rounds = f->rounds;
    f->rounds = f->passed = 0;
    f->loose.count = f->dirty.count = f->open.count = 0;
    dts_numbers_set_count(&f->became, (size_t)f->old_rounds);
    dts_numbers_set_count(&f->flows_of.round, f->members.count);
    dts_numbers_set_count(&f->full_of.round, f->full.count);
    for (size_t i = 0; i < f->members.count; i++) {
        struct fair_flow *flow = &f->flows[f->members.all[i]];
        flow->now = NONE;
        flow->loose = flow->round == NONE;
        flow->touched = flow->stops = false;
        if (flow->loose)
            dts_numbers_add(&f->loose, f->members.all[i]);
        f->flows_of.round.all[i] = flow->round;
    }
    for (size_t i = 0; i < f->changed.count; i++)
        if (f->links[f->changed.all[i]].round != NONE)
            dts_fair_make_dirty(f, f->changed.all[i]);
    for (size_t i = 0; i < f->suspects.count; i++)
        dts_fair_make_dirty(f, f->suspects.all[i]);
    for (size_t i = 0; i < f->full.count; i++)
        f->full_of.round.all[i] = f->links[f->full.all[i]].round;
    sort_by_round(&f->members, f->old_rounds, &f->flows_of);
    sort_by_round(&f->full, f->old_rounds, &f->full_of);
}

/* Those of this question, with its rounds. */
static void renumber_full(struct dts_fair *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->full.count; i++) {
        struct fair_link *link = &f->links[f->full.all[i]];
        if (link->dirty)
            continue;
        link->round = f->became.all[link->round];
        if (link->round != NONE)
            f->full.all[kept++] = f->full.all[i];
    }
    f->full.count = kept;
    for (size_t i = 0; i < f->dirty.count; i++) {
        f->links[f->dirty.all[i]].dirty = false;
        if (f->links[f->dirty.all[i]].round != NONE)
            dts_numbers_add(&f->full, f->dirty.all[i]);
    }
}

/* It has another rate than before: which links have no room for that? */
static void set_rate(struct dts_fair *f, struct fair_flow *flow, double rate)
{
    const double more = rate - flow->rate;
    flow->rate = rate;
    for (int i = 0; i < flow->cost->narrow_count; i++) {
        const struct dts_link_load *load = &flow->cost->narrow[i];
        struct fair_link *link = &f->links[load->link];
        link->use += more * load->weight;
        if (!link->dirty && link->round == NONE)
            dts_numbers_add(&f->changed, load->link);
    }
}

/* False: there are new suspects. */
static bool set_rates(struct dts_fair *f)
{
    const size_t suspects = f->suspects.count;
    f->changed.count = 0;
    for (size_t i = 0; i < f->members.count; i++) {
        struct fair_flow *flow = &f->flows[f->members.all[i]];
        flow->round = dts_fair_round_of(f, flow);
        if (flow->rate != f->rates[flow->round])
            set_rate(f, flow, f->rates[flow->round]);
    }
    for (size_t i = 0; i < f->changed.count; i++) {
        struct fair_link *link = &f->links[f->changed.all[i]];
        if (link->suspect || link->use < link->capacity * (1 - 1e-6))
            continue;
        link->suspect = true;
        dts_numbers_add(&f->suspects, f->changed.all[i]);
    }
    f->changed.count = 0;
    return f->suspects.count == suspects;
}

void dts_fair_find(struct dts_fair *f, const struct dts_step_cost *const costs[], int count,
                   double rates[])
{
    bool found = false;
    find_members(f, costs, count);
    for (size_t i = 0; i < f->come.count; i++) // now that all have their places
        cross_links(f, f->come.all[i]);
    while (!found) {
        begin(f);
        dts_fair_pass_rounds(f);
        found = set_rates(f);
        renumber_full(f);
    }
    for (int i = 0; i < count; i++)
        rates[i] = f->flows[f->members.all[i]].rate;
    for (size_t i = 0; i < f->suspects.count; i++)
        f->links[f->suspects.all[i]].suspect = false;
    f->suspects.count = 0;
}
