/* step_class.c -- the traffic of classes of steps, and which classes share it. */
#include "sim/load/step_class.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "plan/run.h"
#include "sim/load/full_exchange.h"
#include "sim/net/map.h"

/* The traffic of a step, and what a step like it needs to be counted without its messages. */
struct known {
    struct dts_step_traffic *traffic;
    double sent;
    int sender; // a rank that sends
};

struct dts_step_classes {
    const struct dts_simulation *simulation;
    struct dts_router *router;
    struct dts_cohorts cohorts;
    struct dts_map known;   // by a hash of the messages of a step: number in traffics + 1
    struct dts_map stated;  // by a hash of the state of a collective (coll.h): the same
    struct known *traffics; // their traffics are owned
    size_t traffic_count, traffic_room;
    bool keep_links;                   // operations may overlap and have to share
    struct dts_step_message *messages; // the messages of one step
    size_t message_count, message_room;
    struct dts_step_message *listed; // those of an exchange, to all cohorts
    size_t listed_count, listed_room;
};

/* Can two operations be under way at once? With one stream of one role that communicates, no.
 */
static bool may_overlap(const struct dts_job *job)
{
    int streams = 0;
    for (int r = 0; r < job->role_count; r++) {
        bool seen[DTS_STREAMS] = {false};
        for (int o = 0; o < job->roles[r].plan.op_count; o++) {
            const struct dts_op *op = &job->roles[r].plan.ops[o];
            if (op->kind == DTS_OP_CALL || seen[op->stream])
                continue;
            seen[op->stream] = true;
            streams++;
        }
    }
    return streams > 1;
}

struct dts_step_classes *dts_step_classes_new(const struct dts_simulation *simulation)
{
    struct dts_step_classes *all = dts_alloc(1, sizeof(*all));
    all->simulation = simulation;
    all->keep_links = may_overlap(simulation->job);
    all->router = dts_router_new(simulation);
    dts_cohorts_find(simulation, &all->cohorts);
    return all;
}

void dts_step_classes_free(struct dts_step_classes *all)
{
    for (size_t i = 0; i < all->traffic_count; i++) {
        dts_step_traffic_free(all->traffics[i].traffic);
        free(all->traffics[i].traffic);
    }
    free(all->traffics);
    dts_map_free(&all->known);
    dts_map_free(&all->stated);
    dts_router_free(all->router);
    dts_cohorts_free(&all->cohorts);
    free(all->messages);
    free(all->listed);
    free(all);
}

struct dts_router *dts_step_classes_router(struct dts_step_classes *all)
{
    return all->router;
}

const struct dts_cohorts *dts_step_classes_cohorts(const struct dts_step_classes *all)
{
    return &all->cohorts;
}

static void add_message(struct dts_step_classes *all, struct dts_step_message message)
{
    all->messages = dts_grow(all->messages, &all->message_room, all->message_count + 1,
                             sizeof(*all->messages));
    all->messages[all->message_count++] = message;
}

static void list_step(struct dts_step_classes *all, int cohort, const struct dts_collective *c,
                      int step, struct dts_coll_message *messages)
{
    const struct dts_role *role = all->cohorts.all[cohort].role;
    all->message_count = 0;
    for (int r = role->first; r < role->first + role->count; r++) {
        if (all->cohorts.of[r] != cohort)
            continue;
        int count = dts_collective_step(role, c, r, step, messages);
        for (int m = 0; m < count; m++)
            add_message(all, (struct dts_step_message){r, messages[m].peer, messages[m].send,
                                                       messages[m].add, messages[m].count});
    }
}

/* All messages of an exchange of a cohort. */
static void list_exchange(struct dts_step_classes *all, int cohort,
                          const struct dts_exchange *x)
{
    const struct dts_role *role = all->cohorts.all[cohort].role;
    struct dts_message *messages = dts_alloc((size_t)x->peer_count, sizeof(*messages));
    all->message_count = 0;
    dts_progress_begin(all->simulation->progress, "listing messages", role->count);
    for (int r = role->first; r < role->first + role->count; r++) {
        dts_progress_at(all->simulation->progress, r - role->first);
        int count =
            all->cohorts.of[r] == cohort ? dts_exchange_messages(role, x, r, messages) : 0;
        for (int m = 0; m < count; m++)
            add_message(all, (struct dts_step_message){r, messages[m].peer, messages[m].send,
                                                       messages[m].add,
                                                       (double)messages[m].data.count});
    }
    free(messages);
    all->listed =
        dts_grow(all->listed, &all->listed_room, all->message_count, sizeof(*all->listed));
    all->listed_count = all->message_count;
    for (size_t i = 0; i < all->listed_count; i++)
        all->listed[i] = all->messages[i];
}

static bool goes_by(const struct dts_step_classes *all, const struct dts_step_message *p,
                    int transport)
{
    const struct dts_net *net = all->simulation->net;
    const int *endpoint = all->simulation->endpoint;
    int src = p->send ? p->self : p->peer, dst = p->send ? p->peer : p->self;
    return net->ops->transport(net->self, endpoint[src], endpoint[dst]) == transport;
}

/* Of those that are listed the ones to and from a cohort by a transport. */
static void pick_messages(struct dts_step_classes *all, struct dts_far_side far)
{
    all->message_count = 0;
    for (size_t i = 0; i < all->listed_count; i++)
        if (all->cohorts.of[all->listed[i].peer] == far.cohort &&
            goes_by(all, &all->listed[i], far.transport))
            add_message(all, all->listed[i]);
}

/* A number for the messages of a step, in proportion to the largest: a step of a tree has the
 * same messages whatever the number of pieces. 64 bits: of a million steps, two
 * different ones have the same number with a chance of 3e-8. */
static uint64_t hash_of(const struct dts_step_classes *all, int cohort,
                        const struct dts_step_class *class)
{
    uint64_t hash = dts_mix((uint64_t)cohort, class->repeat > 1);
    for (size_t i = 0; i < all->message_count; i++) {
        const struct dts_step_message *p = &all->messages[i];
        double part = p->bytes / class->chunks;
        hash = dts_mix(hash, (uint64_t)p->self << 33 | (uint64_t)p->peer << 2 |
                                 (uint64_t)p->send << 1 | p->add);
        hash = dts_mix(hash, dts_bits_of(part));
    }
    return hash >> 1; // a key of the map
}

/* Keeps the traffic; returns the number + 1. */
static size_t keep_traffic(struct dts_step_classes *all, struct known known)
{
    all->traffics = dts_grow(all->traffics, &all->traffic_room, all->traffic_count + 1,
                             sizeof(*all->traffics));
    all->traffics[all->traffic_count++] = known;
    return all->traffic_count;
}

/* Route the messages at hand. Returns the number of their traffic + 1. */
static size_t add_traffic(struct dts_step_classes *all, const struct dts_traffic_wish *wish,
                          const struct dts_step_class *class)
{
    struct known known = {dts_alloc(1, sizeof(*known.traffic)), class->sent, wish->role->first};
    dts_step_traffic_make(all->router, all->messages, all->message_count, class->chunks, wish,
                          known.traffic);
    for (size_t i = 0; i < all->message_count; i++)
        if (all->messages[i].send) {
            known.sender = all->messages[i].self;
            break;
        }
    return keep_traffic(all, known);
}

/* Route the messages of a step, unless another step has the same; keep the routes for others.
 * Returns the number of the traffic + 1. */
static size_t make_class(struct dts_step_classes *all, int cohort, bool keep, bool pairs,
                         struct dts_step_class *class)
{
    for (size_t i = 0; i < all->message_count; i++) {
        class->chunks = fmax(class->chunks, all->messages[i].bytes);
        class->sent += all->messages[i].send;
    }
    struct dts_traffic_wish wish = {.links = all->keep_links,
                                    .hops = class->repeat > 1,
                                    .pairs = pairs,
                                    .role = all->cohorts.all[cohort].role,
                                    .keep = keep,
                                    .times = class->repeat};
    uint64_t *number = dts_map_at(&all->known, hash_of(all, cohort, class));
    if (*number > 0)
        dts_step_traffic_again(all->router, all->messages, all->message_count, &wish);
    else
        *number = add_traffic(all, &wish, class);
    class->traffic = all->traffics[*number - 1].traffic;
    return *number;
}

/* As hash_of(), of what the messages follow from. */
static uint64_t hash_of_state(int cohort, const struct dts_collective *c, uint64_t state,
                              const struct dts_step_class *class)
{
    const struct dts_coll_shape *s = &c->shape;
    const uint64_t words[] = {
        (uint64_t)cohort,
        (uint64_t)c->group.stride,
        (uint64_t)c->group.size,
        (uint64_t)c->channels,
        (uint64_t)(uintptr_t)c->orders,
        (uint64_t)(uintptr_t)c->algorithm,
        (uint64_t)s->kind,
        (uint64_t)s->size,
        (uint64_t)s->per_node,
        (uint64_t)s->shards,
        (uint64_t)(uintptr_t)s->between,
        class->repeat > 1,
    };
    uint64_t hash = dts_mix(0, state);
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        hash = dts_mix(hash, words[i]);
    return hash >> 1; // a key of the map
}

/* A step with the messages of a known traffic, all of one size: one message tells the size of
 * all. */
static void repeat_class(struct dts_step_classes *all, const struct dts_role *role,
                         const struct dts_collective *c, int step, const struct known *known,
                         struct dts_coll_message *messages, struct dts_step_class *class)
{
    int count = dts_collective_step(role, c, known->sender, step, messages);
    for (int m = 0; m < count; m++)
        class->chunks = fmax(class->chunks, messages[m].count);
    class->sent = known->sent;
    class->traffic = known->traffic;
    dts_step_traffic_repeat(all->router, known->traffic, class->chunks, class->repeat);
}

void dts_step_classes_collective(struct dts_step_classes *all, int cohort,
                                 const struct dts_collective *c, int step,
                                 struct dts_coll_message *messages,
                                 struct dts_step_class *class)
{
    uint64_t state = c->algorithm->state != NULL ? c->algorithm->state(&c->shape, step) : 0;
    uint64_t key = hash_of_state(cohort, c, state, class);
    uint64_t number = state != 0 ? *dts_map_at(&all->stated, key) : 0;
    if (number > 0 && all->traffics[number - 1].traffic->pairs != NULL) {
        repeat_class(all, all->cohorts.all[cohort].role, c, step, &all->traffics[number - 1],
                     messages, class);
        return;
    }
    list_step(all, cohort, c, step, messages);
    number = make_class(all, cohort, true, state != 0, class);
    if (state != 0)
        *dts_map_at(&all->stated, key) = number;
}

/* The classes of an exchange of all with all with the peers of one cohort. Returns how many. */
static int full_classes(struct dts_step_classes *all, int cohort, int peers,
                        const struct dts_exchange *x, struct dts_step_class *classes)
{
    struct dts_full_exchange full;
    struct dts_step_message *within = NULL;
    int count = 0;
    dts_full_exchange_find(all->simulation, &all->cohorts, cohort, peers, x, &full);
    size_t near = full.largest > 0 ? dts_full_exchange_within(&full, &within) : 0;
    all->message_count = 0;
    for (size_t i = 0; i < near; i++)
        add_message(all, within[i]);
    free(within);
    if (near > 0) {
        classes[count] = (struct dts_step_class){.repeat = 1, .far = {peers, DTS_WITHIN}};
        make_class(all, cohort, false, false, &classes[count++]);
    }
    struct dts_traffic_wish wish = {
        .links = all->keep_links, .role = all->cohorts.all[cohort].role, .times = 1};
    struct known known = {dts_alloc(1, sizeof(*known.traffic)), 0, wish.role->first};
    bool any = full.largest > 0 &&
               dts_full_exchange_between(&full, all->router, &wish, known.traffic) > 0;
    keep_traffic(all, known);
    if (any)
        classes[count++] = (struct dts_step_class){.repeat = 1,
                                                   .far = {peers, DTS_BETWEEN},
                                                   .chunks = full.largest,
                                                   .sent = known.traffic->sent[DTS_BETWEEN],
                                                   .traffic = known.traffic};
    dts_full_exchange_free(&full);
    return count;
}

int dts_step_classes_exchange(struct dts_step_classes *all, int cohort,
                              const struct dts_exchange *x, struct dts_step_class **made)
{
    int count = 0;
    struct dts_step_class *classes =
        dts_alloc(2 * (size_t)all->cohorts.count, sizeof(*classes));
    if (dts_full_exchange_is(all->cohorts.all[cohort].role, x)) {
        for (int c = 0; c < all->cohorts.count; c++)
            count += full_classes(all, cohort, c, x, &classes[count]);
        *made = classes;
        return count;
    }
    list_exchange(all, cohort, x);
    for (int i = 0; i < 2 * all->cohorts.count; i++) {
        struct dts_far_side far = {i / 2, i % 2};
        pick_messages(all, far);
        if (all->message_count == 0)
            continue;
        classes[count] = (struct dts_step_class){.repeat = 1, .far = far};
        make_class(all, cohort, false, false, &classes[count++]);
    }
    *made = classes;
    return count;
}
