/* cohort.c -- which ranks fare alike: by what their messages meet, refined until it stays. */
#include "sim/load/cohort.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sim/load/role_messages.h"
#include "sim/net/map.h"

/* What of a message tells ranks apart, from fine to coarse; the last: nothing. */
enum detail { BY_LOAD, BY_LATENCY, BY_TRANSPORT, BY_ROLE };

enum {
    MOST_EXTRA = 32,        // cohorts beyond one for each role
    MOST_MESSAGES = 500000, // that are looked at; beyond, one cohort for each role
    MANY_PATHS = 10,        // what shares cost more where messages have several
};

/* What fluid may have to do for the exchanges of a step: each pair of cohorts in an exchange  *
 * a flow, which shares links with the others of that exchange and of some more like it. */
static const double most_work = 4000000;

struct finder {
    const struct dts_simulation *simulation;
    struct dts_role_messages messages;
    int *head; // by rank: the first of those that do collectives together
    int *of;   // by rank: its cohort so far
    uint64_t *sign;
};

/* Who computes at another speed is ahead of the others, or behind them. */
static void sign_factors(struct finder *f)
{
    const double *factor = f->simulation->compute_factor;
    for (int rank = 0; factor != NULL && rank < f->simulation->job->ranks; rank++)
        f->sign[f->head[rank]] += dts_mix(dts_mix(3, dts_bits_of(factor[rank])), 4);
}

/* Messages add up to what tells a rank from others: their order does not count. */
static void sign_all(struct finder *f, enum detail detail)
{
    memset(f->sign, 0, (size_t)f->simulation->job->ranks * sizeof(*f->sign));
    sign_factors(f);
    for (size_t i = 0; i < f->messages.count; i++) {
        const struct dts_role_message *m = &f->messages.all[i];
        uint64_t hash = dts_mix(dts_mix(1, (uint64_t)m->op), (uint64_t)f->of[m->peer]);
        hash = dts_mix(hash, (uint64_t)m->transport);
        if (detail <= BY_LATENCY)
            hash = dts_mix(hash, dts_bits_of(m->latency_s));
        if (detail <= BY_LOAD)
            hash = dts_mix(hash, dts_bits_of(m->load_s));
        f->sign[f->head[m->rank]] += dts_mix(hash, 2);
    }
}

/* Number the heads of the role by what they have seen. Returns how many cohorts there are now.
 */
static int number_role(const struct finder *f, const struct dts_role *role, int first, int *of)
{
    struct dts_map numbers = {0};
    int count = first;
    for (int rank = role->first; rank < role->first + role->count; rank++) {
        int head = f->head[rank];
        uint64_t key = dts_mix(f->sign[head], (uint64_t)f->of[head]) >> 1; // a key of the map
        uint64_t *number = dts_map_at(&numbers, key);
        if (*number == 0)
            *number = (uint64_t)++count;
        of[rank] = (int)*number - 1;
    }
    dts_map_free(&numbers);
    return count;
}

static int one_for_each_role(struct finder *f)
{
    const struct dts_job *job = f->simulation->job;
    for (int r = 0; r < job->role_count; r++)
        for (int i = 0; i < job->roles[r].count; i++)
            f->of[job->roles[r].first + i] = r;
    return job->role_count;
}

/* Tell ranks apart until it stays. Returns how many cohorts there are, or more than `most`. */
static int refine(struct finder *f, enum detail detail, int most)
{
    const struct dts_job *job = f->simulation->job;
    size_t ranks = (size_t)job->ranks;
    int *next = dts_alloc(ranks, sizeof(*next));
    int count = one_for_each_role(f), before = 0;
    while (count > before && count <= most) {
        sign_all(f, detail);
        before = count;
        count = 0;
        for (int r = 0; r < job->role_count; r++)
            count = number_role(f, &job->roles[r], count, next);
        memcpy(f->of, next, ranks * sizeof(*next));
    }
    free(next);
    return count;
}

/* The flows of each exchange with each other, over all of a step. */
static double work_of(const struct finder *f)
{
    struct dts_map seen = {0};
    double work = 0, pairs = 0;
    for (size_t i = 0; i < f->messages.count; i++) {
        const struct dts_role_message *m = &f->messages.all[i];
        if (i > 0 && (m->op != m[-1].op || m->send != m[-1].send || m->rank < m[-1].rank))
            pairs = 0;
        uint64_t words[] = {(uint64_t)m->op, (uint64_t)f->of[m->rank], (uint64_t)f->of[m->peer],
                            (uint64_t)m->transport};
        uint64_t key = 1;
        for (size_t w = 0; w < sizeof(words) / sizeof(*words); w++)
            key = dts_mix(key, words[w]);
        uint64_t *there = dts_map_at(&seen, key >> 1); // a key of the map
        if (m->send && *there == 0)
            work += m->times * (2 * pairs++ + 1); // sums up to the square of the pairs
        *there = 1;
    }
    dts_map_free(&seen);
    return f->messages.one_path ? work : work * MANY_PATHS;
}

static int head_of(int *head, int rank)
{
    while (head[rank] != rank)
        rank = head[rank] = head[head[rank]];
    return rank;
}

/* Ranks that do a collective together have one head. */
static void find_heads(const struct finder *f)
{
    const struct dts_job *job = f->simulation->job;
    for (int i = 0; i < job->ranks; i++)
        f->head[i] = i;
    for (int r = 0; r < job->role_count; r++) {
        const struct dts_role *role = &job->roles[r];
        struct dts_group done = {0, 0};
        for (int o = 0; o < role->plan.op_count; o++) {
            const struct dts_group *g = &role->plan.ops[o].collective.group;
            if (role->plan.ops[o].kind != DTS_OP_COLLECTIVE || dts_group_same(g, &done))
                continue;
            done = *g;
            for (int m = 0; m < role->count; m++)
                if (m / g->stride % g->size > 0) {
                    int a = head_of(f->head, role->first + m - g->stride);
                    f->head[head_of(f->head, role->first + m)] = a;
                }
        }
    }
    for (int i = 0; i < job->ranks; i++)
        f->head[i] = head_of(f->head, i);
}

static void list(const struct finder *f, int count, struct dts_cohorts *cohorts)
{
    const struct dts_job *job = f->simulation->job;
    cohorts->count = count;
    cohorts->all = dts_alloc((size_t)count, sizeof(*cohorts->all));
    for (int r = 0; r < job->role_count; r++) {
        const struct dts_role *role = &job->roles[r];
        for (int rank = role->first; rank < role->first + role->count; rank++) {
            struct dts_cohort *cohort = &cohorts->all[f->of[rank]];
            cohort->role = role;
            cohort->role_number = r;
            cohort->count++;
        }
    }
    cohorts->of = f->of;
}

void dts_cohorts_find(const struct dts_simulation *simulation, struct dts_cohorts *cohorts)
{
    const struct dts_job *job = simulation->job;
    size_t ranks = (size_t)job->ranks;
    struct finder f = {.simulation = simulation};
    f.of = dts_alloc(ranks, sizeof(*f.of));
    int count = one_for_each_role(&f), most = count + MOST_EXTRA;
    double messages = dts_role_messages_count(job);
    if (messages > 0 && messages <= MOST_MESSAGES) {
        enum detail detail = BY_LOAD;
        f.sign = dts_alloc(ranks, sizeof(*f.sign));
        f.head = dts_alloc(ranks, sizeof(*f.head));
        find_heads(&f);
        dts_role_messages_find(simulation, &f.messages);
        do
            count = refine(&f, detail, most);
        while ((count > most || work_of(&f) > most_work) && ++detail < BY_ROLE);
        if (detail == BY_ROLE)
            count = one_for_each_role(&f);
        cohorts->coarse = detail > BY_LOAD;
    } else {
        cohorts->coarse = messages > 0;
    }
    list(&f, count, cohorts);
    free(f.sign);
    free(f.head);
    dts_role_messages_free(&f.messages);
}

void dts_cohorts_free(struct dts_cohorts *cohorts)
{
    free(cohorts->all);
    free(cohorts->of);
    *cohorts = (struct dts_cohorts){0};
}
