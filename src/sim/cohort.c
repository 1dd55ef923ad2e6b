/* cohort.c -- which ranks fare alike: by what their messages meet, refined until it stays. */
#include "sim/cohort.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/run.h"
#include "sim/map.h"

/* What of a message tells ranks apart, from fine to coarse; the last: nothing. */
enum detail { BY_LOAD, BY_LATENCY, BY_TRANSPORT, BY_ROLE };

enum {
    MOST_EXTRA = 32,        // cohorts beyond one for each role
    MOST_MESSAGES = 500000, // that are looked at; beyond, one cohort for each role
};

/* A message from the side of one of its ranks. */
struct notice {
    int rank, op, peer;
    int src, dst; // endpoints
    bool send;
    int transport;
    double latency_s, load_s; // load_s: of the busiest link, with a byte in each message
};

struct finder {
    const struct dts_simulation *simulation;
    struct notice *notices;
    size_t notice_count, notice_room;
    bool one_path; // all of them have
    int *head;     // by rank: the first of those that do collectives together
    int *of;       // by rank: its cohort so far
    uint64_t *sign;
};

bool dts_exchange_same(const struct dts_exchange *x, const struct dts_exchange *y)
{
    return x->send == y->send && x->relative == y->relative && x->first_peer == y->first_peer &&
           x->peer_stride == y->peer_stride && x->peer_count == y->peer_count &&
           x->every == y->every && x->part == y->part && x->add == y->add &&
           (x->part == DTS_WHOLE || (x->shards == y->shards && x->shard_base == y->shard_base));
}

/* Is this exchange the first of its like in its plan? */
static bool is_first(const struct dts_plan *plan, int number)
{
    for (int o = 0; o < number; o++)
        if (plan->ops[o].kind == DTS_OP_EXCHANGE &&
            dts_exchange_same(&plan->ops[o].exchange, &plan->ops[number].exchange))
            return false;
    return true;
}

static void note(struct finder *f, int rank, int op, const struct dts_message *message)
{
    const struct dts_net *net = f->simulation->net;
    int self = f->simulation->endpoint[rank], peer = f->simulation->endpoint[message->peer];
    struct notice n = {.rank = rank,
                       .op = op,
                       .peer = message->peer,
                       .src = message->send ? self : peer,
                       .dst = message->send ? peer : self,
                       .send = message->send};
    n.transport = net->ops->transport(net->self, n.src, n.dst);
    n.latency_s = dts_net_latency(net, n.src, n.dst);
    f->one_path &= net->ops->paths(net->self, n.src, n.dst) == 1;
    f->notices =
        dts_grow(f->notices, &f->notice_room, f->notice_count + 1, sizeof(*f->notices));
    f->notices[f->notice_count++] = n;
}

/* The messages of the exchanges of the job, of those that are alike once. */
static void note_all(struct finder *f)
{
    const struct dts_job *job = f->simulation->job;
    struct dts_message *messages = NULL;
    size_t room = 0;
    for (int r = 0; r < job->role_count; r++) {
        const struct dts_role *role = &job->roles[r];
        for (int o = 0; o < role->plan.op_count; o++) {
            const struct dts_op *op = &role->plan.ops[o];
            if (op->kind != DTS_OP_EXCHANGE || !is_first(&role->plan, o))
                continue;
            messages =
                dts_grow(messages, &room, (size_t)op->exchange.peer_count, sizeof(*messages));
            for (int rank = role->first; rank < role->first + role->count; rank++) {
                int count = dts_exchange_messages(role, &op->exchange, rank, messages);
                for (int m = 0; m < count; m++)
                    note(f, rank, o, &messages[m]);
            }
        }
    }
    free(messages);
}

/* How busy the links are that each message takes. Messages that spread over several paths
 * spread their load, too. */
static void find_loads(struct finder *f)
{
    const struct dts_net *net = f->simulation->net;
    int links[DTS_MAX_ROUTE];
    if (!f->one_path)
        return;
    int *flows = dts_alloc((size_t)net->links, sizeof(*flows)); // by link
    for (size_t i = 0; i < f->notice_count; i++) {
        const struct notice *n = &f->notices[i];
        int hops = n->send ? net->ops->route(net->self, n->src, n->dst, 0, links) : 0;
        for (int h = 0; h < hops; h++)
            flows[links[h]]++;
    }
    for (size_t i = 0; i < f->notice_count; i++) {
        struct notice *n = &f->notices[i];
        int hops = net->ops->route(net->self, n->src, n->dst, 0, links);
        for (int h = 0; h < hops; h++)
            n->load_s =
                fmax(n->load_s, flows[links[h]] / net->ops->capacity(net->self, links[h]));
    }
    free(flows);
}

/* Messages add up to what tells a rank from others: their order does not count. */
static void sign_all(struct finder *f, enum detail detail)
{
    memset(f->sign, 0, (size_t)f->simulation->job->ranks * sizeof(*f->sign));
    for (size_t i = 0; i < f->notice_count; i++) {
        const struct notice *n = &f->notices[i];
        uint64_t hash = dts_mix(dts_mix(1, (uint64_t)n->op), (uint64_t)f->of[n->peer]);
        hash = dts_mix(hash, (uint64_t)n->transport);
        if (detail <= BY_LATENCY)
            hash = dts_mix(hash, dts_bits_of(n->latency_s));
        if (detail <= BY_LOAD)
            hash = dts_mix(hash, dts_bits_of(n->load_s));
        f->sign[f->head[n->rank]] += dts_mix(hash, 2);
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

static int head_of(int *head, int rank)
{
    while (head[rank] != rank)
        rank = head[rank] = head[head[rank]];
    return rank;
}

static bool same_group(const struct dts_group *a, const struct dts_group *b)
{
    return a->stride == b->stride && a->size == b->size;
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
            if (role->plan.ops[o].kind != DTS_OP_COLLECTIVE || same_group(g, &done))
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

/* Are there exchanges between ranks that may differ, and few enough to be looked at? */
static bool is_worth_it(const struct dts_job *job)
{
    double messages = 0;
    for (int r = 0; r < job->role_count; r++)
        for (int o = 0; o < job->roles[r].plan.op_count; o++) {
            const struct dts_op *op = &job->roles[r].plan.ops[o];
            if (op->kind == DTS_OP_EXCHANGE && is_first(&job->roles[r].plan, o))
                messages += (double)op->exchange.peer_count * job->roles[r].count;
        }
    return messages > 0 && messages <= MOST_MESSAGES;
}

static void list(const struct finder *f, int count, struct dts_cohorts *cohorts)
{
    const struct dts_job *job = f->simulation->job;
    cohorts->count = count;
    cohorts->all = dts_alloc((size_t)count, sizeof(*cohorts->all));
    cohorts->first = dts_alloc((size_t)job->role_count + 1, sizeof(*cohorts->first));
    for (int r = 0; r < job->role_count; r++) {
        const struct dts_role *role = &job->roles[r];
        cohorts->first[r + 1] = cohorts->first[r];
        for (int rank = role->first; rank < role->first + role->count; rank++) {
            struct dts_cohort *cohort = &cohorts->all[f->of[rank]];
            cohorts->first[r + 1] += cohort->count == 0;
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
    struct finder f = {.simulation = simulation, .one_path = true};
    f.of = dts_alloc(ranks, sizeof(*f.of));
    int count = one_for_each_role(&f), most = count + MOST_EXTRA;
    if (is_worth_it(job)) {
        enum detail detail = BY_LOAD;
        f.sign = dts_alloc(ranks, sizeof(*f.sign));
        f.head = dts_alloc(ranks, sizeof(*f.head));
        find_heads(&f);
        note_all(&f);
        find_loads(&f);
        do
            count = refine(&f, detail, most);
        while (count > most && ++detail < BY_ROLE);
        if (count > most)
            count = one_for_each_role(&f);
    }
    list(&f, count, cohorts);
    free(f.sign);
    free(f.head);
    free(f.notices);
}

void dts_cohorts_free(struct dts_cohorts *cohorts)
{
    free(cohorts->all);
    free(cohorts->first);
    free(cohorts->of);
    *cohorts = (struct dts_cohorts){0};
}
