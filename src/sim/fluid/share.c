/* share.c -- max-min fair rates, kept for when the same flows meet again. */
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sim/fluid/fair.h"
#include "sim/fluid/share.h"
#include "sim/net/map.h"

/* What is kept of answers, of all flows in them: 32 MB. Then all are forgotten. */
enum { MOST_GIVEN = 1 << 21 };

/* The answer to a question that was asked before: each step of a job asks the same ones. */
struct answer {
    size_t first; // in given
    int count;
};

struct given {
    const struct dts_step_cost *cost;
    double rate;
};

struct dts_sharer {
    struct dts_fair *fair;
    struct dts_map known; // by a hash of the flows: number in answers + 1
    struct answer *answers;
    size_t answer_count, answer_room;
    struct given *given;
    size_t given_count, given_room;
};

struct dts_sharer *dts_sharer_new(const struct dts_net *net)
{
    struct dts_sharer *s = dts_alloc(1, sizeof(*s));
    s->fair = dts_fair_new(net);
    return s;
}

void dts_sharer_free(struct dts_sharer *s)
{
    if (s == NULL)
        return;
    dts_fair_free(s->fair);
    dts_map_free(&s->known);
    free(s->answers);
    free(s->given);
    free(s);
}

static uint64_t hash_of(const struct dts_step_cost *const costs[], int count)
{
    uint64_t hash = (uint64_t)count;
    for (int i = 0; i < count; i++)
        hash = dts_mix(hash, (uint64_t)(uintptr_t)costs[i]);
    return hash >> 1; // a key of the map
}

/* The rates from before; false: these flows were others, with the same hash. */
static bool recall(const struct dts_sharer *s, const struct answer *answer,
                   const struct dts_step_cost *const costs[], int count, double rates[])
{
    if (answer->count != count)
        return false;
    const struct given *given = s->given + answer->first;
    for (int i = 0; i < count; i++) {
        if (given[i].cost != costs[i])
            return false;
        rates[i] = given[i].rate;
    }
    return true;
}

void dts_share(struct dts_sharer *s, const struct dts_step_cost *const costs[], int count,
               double rates[])
{
    uint64_t *number = dts_map_at(&s->known, hash_of(costs, count));
    if (*number > 0 && recall(s, &s->answers[*number - 1], costs, count, rates))
        return;
    dts_fair_find(s->fair, costs, count, rates);
    if (s->given_count + (size_t)count > MOST_GIVEN) {
        dts_map_free(&s->known);
        s->answer_count = s->given_count = 0;
        number = dts_map_at(&s->known, hash_of(costs, count));
    }
    s->answers =
        dts_grow(s->answers, &s->answer_room, s->answer_count + 1, sizeof(*s->answers));
    s->answers[s->answer_count++] = (struct answer){s->given_count, count};
    *number = s->answer_count;
    s->given =
        dts_grow(s->given, &s->given_room, s->given_count + (size_t)count, sizeof(*s->given));
    for (int i = 0; i < count; i++)
        s->given[s->given_count++] = (struct given){costs[i], rates[i]};
}
