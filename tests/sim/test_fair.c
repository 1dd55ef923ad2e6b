/* test_fair.c -- fair rates, question after question, against asking from nothing each time. */
#include <stdlib.h>

#include "base/rng.h"
#include "check.h"
#include "sim/fluid/fair.h"

enum { LINKS = 14, COSTS = 40, MOST_LINKS = 5, MOST_ASKED = 50 };

static double draw(int seed, int stream, int number)
{
    return dts_uniform((uint64_t)seed, (uint64_t)stream, (uint64_t)number);
}

/* Some networks have links that are all alike, so that many are full at once. */
struct network {
    double capacity[LINKS];
    struct dts_link_load loads[COSTS][MOST_LINKS];
    struct dts_step_cost costs[COSTS];
};

static double capacity(const void *self, int link)
{
    return ((const struct network *)self)->capacity[link];
}

static void make_network(int seed, struct network *n)
{
    static const double weights[] = {1, 1, 1, 0.5, 1.0 / 3, 0.7};
    const bool alike = seed % 2 == 0;
    for (int l = 0; l < LINKS; l++)
        n->capacity[l] = alike ? 1e9 : 1e9 * (1 + (int)(6 * draw(seed, 0, l)) / 3.0);
    for (int p = 0; p < COSTS; p++) {
        const int count = (int)((MOST_LINKS + 1) * draw(seed, 1, p));
        int link = (int)(LINKS * draw(seed, 2, p));
        for (int i = 0; i < count; i++, link = (link + 3) % LINKS)
            n->loads[p][i] = (struct dts_link_load){
                link, weights[(int)((alike ? 3 : 6) * draw(seed, 3, 10 * p + i))]};
        n->costs[p] = (struct dts_step_cost){
            .narrow = n->loads[p],
            .narrow_count = count,
            .most_bytes_per_s = draw(seed, 4, p) < 0.3 ? 1e8 * (1 + p % 4) : INFINITY};
    }
}

/* All rise together until a link is full or one is at its most. */
static bool stops(const struct dts_step_cost *cost, const double *left, const double *weight,
                  double rate)
{
    bool full = cost->most_bytes_per_s <= rate;
    for (int i = 0; i < cost->narrow_count; i++) {
        const int link = cost->narrow[i].link;
        full |= left[link] <= rate * weight[link] * (1 + 1e-9);
    }
    return full;
}

static void fill(const struct network *n, const struct dts_step_cost *const asked[], int count,
                 double *rates)
{
    double left[LINKS], weight[LINKS] = {0};
    for (int l = 0; l < LINKS; l++)
        left[l] = n->capacity[l];
    for (int i = 0; i < count; i++) {
        rates[i] = NAN;
        for (int l = 0; l < asked[i]->narrow_count; l++)
            weight[asked[i]->narrow[l].link] += asked[i]->narrow[l].weight;
    }
    for (int settled = 0; settled < count;) {
        bool now[MOST_ASKED] = {false};
        double rate = INFINITY;
        for (int l = 0; l < LINKS; l++)
            if (weight[l] > 1e-12)
                rate = fmin(rate, left[l] / weight[l]);
        for (int i = 0; i < count; i++)
            if (isnan(rates[i]))
                rate = fmin(rate, asked[i]->most_bytes_per_s);
        for (int i = 0; i < count; i++)
            now[i] = isnan(rates[i]) && stops(asked[i], left, weight, rate);
        for (int i = 0; i < count; i++) {
            if (!now[i])
                continue;
            rates[i] = rate;
            settled++;
            for (int l = 0; l < asked[i]->narrow_count; l++) {
                const struct dts_link_load load = asked[i]->narrow[l];
                left[load.link] = fmax(0, left[load.link] - rate * load.weight);
                weight[load.link] = fmax(0, weight[load.link] - load.weight);
            }
        }
    }
}

/* Some go, some come, at any place; now and then others altogether. */
static int ask_next(struct network *n, int seed, int step, const struct dts_step_cost *asked[],
                    int count)
{
    const int changes = step % 20 == 0 ? 40 : 1 + (int)(3 * draw(seed, 5, step));
    for (int c = 0; c < changes; c++) {
        const int number = 100 * step + c;
        const bool goes = count > 0 && draw(seed, 6, number) < (double)count / MOST_ASKED;
        const int place = (int)((goes ? count : count + 1) * draw(seed, 7, number));
        for (int i = place; goes && i + 1 < count; i++)
            asked[i] = asked[i + 1];
        for (int i = count; !goes && i > place; i--)
            asked[i] = asked[i - 1];
        if (!goes)
            asked[place] = &n->costs[(int)(COSTS * draw(seed, 8, number))];
        count += goes ? -1 : 1;
    }
    return count;
}

static void rates_are_those_of_asking_from_nothing(void)
{
    const struct dts_net_ops ops = {.capacity = capacity};
    for (int seed = 0; seed < 60; seed++) {
        struct network n;
        make_network(seed, &n);
        const struct dts_net net = {.ops = &ops, .self = &n, .links = LINKS};
        struct dts_fair *fair = dts_fair_new(&net);
        const struct dts_step_cost *asked[MOST_ASKED];
        int count = 0;
        for (int step = 0; step < 300; step++) {
            double rates[MOST_ASKED], want[MOST_ASKED];
            count = ask_next(&n, seed, step, asked, count);
            dts_fair_find(fair, asked, count, rates);
            fill(&n, asked, count, want);
            for (int i = 0; i < count; i++)
                if (!CHECK(rates[i] == want[i])) // to the last bit
                    printf("network %d, question %d, flow %d of %d: %.17g, want %.17g\n", seed,
                           step, i, count, rates[i], want[i]);
        }
        dts_fair_free(fair);
    }
}

static void none_at_all_is_a_question(void)
{
    const struct dts_net_ops ops = {.capacity = capacity};
    struct network n;
    make_network(1, &n);
    const struct dts_net net = {.ops = &ops, .self = &n, .links = LINKS};
    struct dts_fair *fair = dts_fair_new(&net);
    const struct dts_step_cost *one = &n.costs[0];
    double before, after;
    dts_fair_find(fair, &one, 1, &before);
    dts_fair_find(fair, NULL, 0, NULL);
    dts_fair_find(fair, &one, 1, &after);
    CHECK(before == after);
    dts_fair_free(fair);
}

TESTS(TEST(rates_are_those_of_asking_from_nothing), TEST(none_at_all_is_a_question))
