/* fair_rounds.c -- the rounds in which links are full and rates found: those of the last
 * question, where something happens on dirty links in between and instead.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sim/fluid/fair_private.h"

static const double nearly = 1 + 1e-9; // rates this close are one
static const double apart = 1 + 2e-9;  // and these may be

static int compare_numbers(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void loosen(struct dts_fair *f, int number)
{
    f->flows[number].loose = true;
    dts_numbers_add(&f->loose, number);
    dts_fair_make_links_dirty(f, &f->flows[number]);
}

static void stop(struct dts_fair *f, struct fair_flow *flow)
{
    flow->stops = true;
    dts_numbers_add(&f->stopping, flow->index);
}

/* The rate of the next round, as far as dirty links and loose flows have a say. */
static double next_rate(struct dts_fair *f)
{
    double rate = INFINITY;
    size_t open = 0;
    for (size_t i = 0; i < f->open.count; i++) {
        const struct fair_link *link = &f->links[f->open.all[i]];
        if (link->open == 0)
            continue;
        f->open.all[open++] = f->open.all[i];
        if (link->left <= rate * link->weight * nearly) // else no need to divide
            rate = fmin(rate, link->left / link->weight);
    }
    f->open.count = open;
    for (size_t i = 0; i < f->loose.count; i++)
        rate = fmin(rate, f->flows[f->loose.all[i]].most);
    return rate;
}

/* Does this flow stop in the round of the last question that is next, and not before? */
static bool is_next(const struct dts_fair *f, const struct fair_flow *flow)
{
    return flow->now == NONE && !flow->loose && flow->round == f->passed;
}

/* The rate of that round, as far as others have a say; INFINITY: there is no such round any
 * more. */
static double next_old_rate(const struct dts_fair *f)
{
    const int *links = f->full_of.first.all, *flows = f->flows_of.first.all;
    double rate = INFINITY;
    for (int i = links[f->passed]; i < links[f->passed + 1]; i++) {
        const struct fair_link *link = &f->links[f->full_of.sorted.all[i]];
        if (!link->dirty)
            rate = fmin(rate, link->ratio);
    }
    for (int i = flows[f->passed]; i < flows[f->passed + 1]; i++) {
        const struct fair_flow *flow = &f->flows[f->flows_of.sorted.all[i]];
        if (flow->most <= f->old_rates[f->passed] && is_next(f, flow))
            rate = fmin(rate, flow->most);
    }
    return rate;
}

/* Those on dirty links that are full at this rate, and loose ones that go no faster. */
static void stop_at(struct dts_fair *f, double rate)
{
    for (size_t i = 0; i < f->open.count; i++) {
        struct fair_link *link = &f->links[f->open.all[i]];
        if (!(link->left <= rate * link->weight * nearly))
            continue;
        link->round = f->rounds;
        link->ratio = link->left / link->weight;
        for (size_t c = 0; c < link->count; c++) {
            struct fair_flow *flow = &f->flows[link->crossings[c].flow];
            if (!flow->stops && !dts_fair_has_rate(f, flow))
                stop(f, flow);
        }
    }
    for (size_t i = 0; i < f->loose.count; i++) {
        struct fair_flow *flow = &f->flows[f->loose.all[i]];
        if (!flow->stops && !(flow->most > rate))
            stop(f, flow);
    }
}

/* As it did in this round of the last question, for reasons that are not dirty. */
static bool stops_as_before(const struct dts_fair *f, const struct fair_flow *flow, double rate)
{
    if (flow->most <= rate)
        return true;
    for (int i = 0; i < flow->cost->narrow_count; i++) {
        const struct fair_link *link = &f->links[flow->cost->narrow[i].link];
        if (!link->dirty && link->round == f->passed)
            return true;
    }
    return false;
}

/* Those of a round of the last question that touch dirty links. */
static void stop_old(struct dts_fair *f, double rate)
{
    const int *first = f->flows_of.first.all;
    for (int i = first[f->passed]; i < first[f->passed + 1]; i++) {
        const int number = f->flows_of.sorted.all[i];
        struct fair_flow *flow = &f->flows[number];
        if (!flow->touched || flow->stops || !is_next(f, flow))
            continue;
        if (stops_as_before(f, flow, rate))
            stop(f, flow);
        else
            dts_numbers_add(&f->leaving, number);
    }
}

/* Who stops in this round and did not in the last question, or the other way round, makes a
 * difference on all its links. */
static void spread(struct dts_fair *f, bool is_old)
{
    for (size_t i = 0; i < f->stopping.count; i++) {
        const struct fair_flow *flow = &f->flows[f->members.all[f->stopping.all[i]]];
        if (!flow->loose && !(is_old && flow->round == f->passed))
            dts_fair_make_links_dirty(f, flow);
    }
    for (size_t i = 0; i < f->leaving.count; i++)
        loosen(f, f->leaving.all[i]);
    if (is_old)
        stop_old(f, INFINITY); // whom that has touched: they stop as before
}

/* Those that stop have this rate. */
static void settle(struct dts_fair *f, double rate)
{
    qsort(f->stopping.all, f->stopping.count, sizeof(int), compare_numbers);
    for (size_t i = 0; i < f->stopping.count; i++) {
        struct fair_flow *flow = &f->flows[f->members.all[f->stopping.all[i]]];
        const struct dts_link_load *loads = flow->cost->narrow;
        for (int l = 0; l < flow->cost->narrow_count; l++)
            if (f->links[loads[l].link].dirty)
                dts_fair_take(&f->links[loads[l].link], loads[l].weight, rate);
        flow->now = f->rounds;
        flow->loose = flow->stops = false;
    }
    size_t kept = 0;
    for (size_t i = 0; i < f->loose.count; i++)
        if (f->flows[f->loose.all[i]].loose)
            f->loose.all[kept++] = f->loose.all[i];
    f->loose.count = kept;
}

static void pass_round(struct dts_fair *f, double rate, bool is_old)
{
    f->stopping.count = f->leaving.count = 0;
    stop_at(f, rate);
    if (is_old)
        stop_old(f, rate);
    spread(f, is_old);
    settle(f, rate);
    if (is_old)
        f->became.all[f->passed++] = f->rounds;
    f->rates = dts_grow(f->rates, &f->rate_room, (size_t)f->rounds + 1, sizeof(*f->rates));
    f->rates[f->rounds++] = rate;
}

/* This round is no more: what stopped in it is loose. */
static void leave_round(struct dts_fair *f)
{
    const int *first = f->flows_of.first.all;
    for (int i = first[f->passed]; i < first[f->passed + 1]; i++)
        if (is_next(f, &f->flows[f->flows_of.sorted.all[i]]))
            loosen(f, f->flows_of.sorted.all[i]);
    f->became.all[f->passed++] = NONE;
}

/* Where rates are so close that rounding decides who stops with whom, old rounds do not count:
 * that is found on the links themselves. */
void dts_fair_pass_rounds(struct dts_fair *f)
{
    while (f->passed < f->old_rounds || f->loose.count > 0) {
        const bool old = f->passed < f->old_rounds;
        const double old_rate = old ? next_old_rate(f) : INFINITY;
        const double rate = next_rate(f);
        if (old && (isinf(old_rate) || old_rate != f->old_rates[f->passed] ||
                    (rate < old_rate && old_rate <= rate * apart)))
            leave_round(f);
        else if (old && old_rate <= rate)
            pass_round(f, old_rate, true);
        else
            pass_round(f, rate, false);
    }
}
