/* share.c -- max-min fair rates, kept for when the same phases meet again. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sim/map.h"
#include "sim/share.h"

/* What is kept of answers, of all phases in them: 32 MB. Then all are forgotten. */
enum { MOST_GIVEN = 1 << 21 };

/* The answer to a question that was asked before: each step of a job asks the same ones. */
struct answer {
    size_t first; // in given
    int count;
};

struct given {
    const struct dts_phase *phase;
    double rate;
};

struct dts_sharer {
    const struct dts_net *net;
    double *capacity;     // by link; 0: not asked for yet
    struct dts_map known; // by a hash of the phases: number in answers + 1
    struct answer *answers;
    size_t answer_count, answer_room;
    struct given *given;
    size_t given_count, given_room;
    double *left;   // capacity that is not given away yet, by link
    double *weight; // of the operations without a rate yet, by link; zero between calls
    int *touched;
    int touched_count;
};

struct dts_sharer *dts_sharer_new(const struct dts_net *net)
{
    struct dts_sharer *s = dts_alloc(1, sizeof(*s));
    s->net = net;
    s->capacity = dts_alloc((size_t)net->links, sizeof(*s->capacity));
    s->left = dts_alloc((size_t)net->links, sizeof(*s->left));
    s->weight = dts_alloc((size_t)net->links, sizeof(*s->weight));
    s->touched = dts_alloc((size_t)net->links, sizeof(*s->touched));
    return s;
}

void dts_sharer_free(struct dts_sharer *s)
{
    if (s == NULL)
        return;
    free(s->capacity);
    dts_map_free(&s->known);
    free(s->answers);
    free(s->given);
    free(s->left);
    free(s->weight);
    free(s->touched);
    free(s);
}

static void put_on_links(struct dts_sharer *s, const struct dts_phase *phase)
{
    for (int i = 0; i < phase->link_count; i++) {
        int link = phase->links[i].link;
        if (s->weight[link] == 0) {
            s->touched[s->touched_count++] = link;
            if (s->capacity[link] == 0)
                s->capacity[link] = s->net->ops->capacity(s->net->self, link);
            s->left[link] = s->capacity[link];
        }
        s->weight[link] += phase->links[i].weight;
    }
}

/* The rate at which the first link is full, when all without a rate yet rise together. */
static double next_full(const struct dts_sharer *s)
{
    double rate = INFINITY;
    for (int i = 0; i < s->touched_count; i++) {
        int link = s->touched[i];
        if (s->weight[link] > 1e-12)
            rate = fmin(rate, s->left[link] / s->weight[link]);
    }
    return rate;
}

static bool crosses_full_link(const struct dts_sharer *s, const struct dts_phase *phase,
                              double rate)
{
    for (int i = 0; i < phase->link_count; i++) {
        int link = phase->links[i].link;
        if (s->left[link] <= rate * s->weight[link] * (1 + 1e-9))
            return true;
    }
    return false;
}

static void take_from_links(struct dts_sharer *s, const struct dts_phase *phase, double rate)
{
    for (int i = 0; i < phase->link_count; i++) {
        int link = phase->links[i].link;
        s->left[link] = fmax(0, s->left[link] - rate * phase->links[i].weight);
        s->weight[link] = fmax(0, s->weight[link] - phase->links[i].weight);
    }
}

/* Give this rate to all that stop there: those on a full link or at their own cap. */
static int settle(struct dts_sharer *s, const struct dts_phase *const phases[], int count,
                  double rate, double rates[])
{
    bool *stops = dts_alloc((size_t)count, sizeof(*stops));
    int settled = 0;
    for (int i = 0; i < count; i++)
        stops[i] = isnan(rates[i]) && (phases[i]->most_bytes_per_s <= rate ||
                                       crosses_full_link(s, phases[i], rate));
    for (int i = 0; i < count; i++)
        if (stops[i]) {
            rates[i] = rate;
            take_from_links(s, phases[i], rate);
            settled++;
        }
    free(stops);
    return settled;
}

static void find_rates(struct dts_sharer *s, const struct dts_phase *const phases[], int count,
                       double rates[])
{
    s->touched_count = 0;
    for (int i = 0; i < count; i++) {
        rates[i] = NAN;
        put_on_links(s, phases[i]);
    }
    for (int left = count; left > 0;) {
        double rate = next_full(s);
        for (int i = 0; i < count; i++)
            if (isnan(rates[i]))
                rate = fmin(rate, phases[i]->most_bytes_per_s);
        int settled = settle(s, phases, count, rate, rates);
        left -= settled;
        if (settled == 0)
            break; // nothing left that binds: no links at all
    }
    for (int i = 0; i < count; i++)
        if (isnan(rates[i]))
            rates[i] = INFINITY;
    for (int i = 0; i < s->touched_count; i++)
        s->weight[s->touched[i]] = 0;
}

static uint64_t hash_of(const struct dts_phase *const phases[], int count)
{
    uint64_t hash = (uint64_t)count;
    for (int i = 0; i < count; i++)
        hash = dts_mix(hash, (uint64_t)(uintptr_t)phases[i]);
    return hash >> 1; // a key of the map
}

/* The rates from before; false: these phases were others, with the same hash. */
static bool recall(const struct dts_sharer *s, const struct answer *answer,
                   const struct dts_phase *const phases[], int count, double rates[])
{
    if (answer->count != count)
        return false;
    const struct given *given = s->given + answer->first;
    for (int i = 0; i < count; i++) {
        if (given[i].phase != phases[i])
            return false;
        rates[i] = given[i].rate;
    }
    return true;
}

void dts_share(struct dts_sharer *s, const struct dts_phase *const phases[], int count,
               double rates[])
{
    uint64_t *number = dts_map_at(&s->known, hash_of(phases, count));
    if (*number > 0 && recall(s, &s->answers[*number - 1], phases, count, rates))
        return;
    find_rates(s, phases, count, rates);
    if (s->given_count + (size_t)count > MOST_GIVEN) {
        dts_map_free(&s->known);
        s->answer_count = s->given_count = 0;
        number = dts_map_at(&s->known, hash_of(phases, count));
    }
    s->answers =
        dts_grow(s->answers, &s->answer_room, s->answer_count + 1, sizeof(*s->answers));
    s->answers[s->answer_count++] = (struct answer){s->given_count, count};
    *number = s->answer_count;
    s->given =
        dts_grow(s->given, &s->given_room, s->given_count + (size_t)count, sizeof(*s->given));
    for (int i = 0; i < count; i++)
        s->given[s->given_count++] = (struct given){phases[i], rates[i]};
}
