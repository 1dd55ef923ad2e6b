/* load.c -- what operations put on links; those of one kind are counted together. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sim/load/link_classes.h"
#include "sim/load/load.h"
#include "sim/load/op_steps.h"
#include "sim/load/role_messages.h"
#include "sim/load/row.h"
#include "sim/paced.h"

/* Of a collective that is walked message by message. Where messages have several paths, all
 * that are under way are tied together, and each that begins or ends gives all of them new
 * rates: a path of a message times a member takes a tenth of what a message with one path
 * takes, or less. */
enum { MOST_MESSAGES = 50000, MOST_WORK = 300000, LONG_WORK = 20000 };
static const double path_and_member = 0.1;

/* A tree or a chain in pieces, whose steps lockstep has wrong, may be larger:
 * half of what the rows of a job may walk (row.c), so that it fits behind its like. Messages
 * between nodes share ports, and each of them costs more for each of the others that are under
 * way in its step, of double trees the most. Measured, docs/log/2026-11-comments.md. */
enum { MOST_IN_PIECES = 250000 };
static const double message_and_other = 0.5;

/* Operations that were counted together. */
struct counted {
    int cohort;
    const struct dts_op *op; // the first of its like
    size_t element_bytes;
    struct dts_load *load; // owned
};

struct dts_loader {
    const struct dts_simulation *simulation;
    struct dts_op_steps_table *op_steps;
    struct dts_rows *rows;
    struct counted *counted;
    size_t count, room;
    int *first_op;                 // of a cohort in loads
    const struct dts_load **loads; // by operation of all cohorts; NULL: not asked for yet
    size_t narrowed;               // of counted: how many had their links told apart
    double *total;                 // bytes on each link in a step, over all operations counted
};

struct dts_loader *dts_loader_new(const struct dts_simulation *simulation)
{
    struct dts_loader *l = dts_alloc(1, sizeof(*l));
    l->simulation = simulation;
    l->op_steps = dts_op_steps_table_new(simulation);
    l->rows = dts_rows_new(simulation);
    l->total = dts_alloc((size_t)simulation->net->links, sizeof(*l->total));
    const struct dts_cohorts *cohorts = dts_loader_cohorts(l);
    l->first_op = dts_alloc((size_t)cohorts->count + 1, sizeof(*l->first_op));
    for (int c = 0; c < cohorts->count; c++)
        l->first_op[c + 1] = l->first_op[c] + cohorts->all[c].role->plan.op_count;
    l->loads = dts_alloc((size_t)l->first_op[cohorts->count], sizeof(*l->loads));
    return l;
}

const struct dts_cohorts *dts_loader_cohorts(const struct dts_loader *l)
{
    return dts_op_steps_table_cohorts(l->op_steps);
}

static void load_free(struct dts_load *load)
{
    for (int p = 0; p < load->cost_count; p++) {
        free(load->costs[p].links);
        free(load->costs[p].narrow);
    }
    free(load->costs);
    free(load->far);
    free(load);
}

void dts_loader_free(struct dts_loader *l)
{
    if (l == NULL)
        return;
    for (size_t i = 0; i < l->count; i++)
        load_free(l->counted[i].load);
    free(l->counted);
    dts_rows_free(l->rows);
    dts_op_steps_table_free(l->op_steps);
    free(l->first_op);
    free(l->loads);
    free(l->total);
    free(l);
}

/* Of a class that is repeated, what its repetitions cost on average. */
static struct dts_step_time step_time(const struct dts_step_cost *cost)
{
    double mean_s = dts_step_cost_seconds(cost, 1);
    return cost->repeat > 1
               ? (struct dts_step_time){mean_s, mean_s}
               : (struct dts_step_time){dts_step_cost_stay_s(cost, 1), cost->hop_s};
}

static bool can_walk(const struct dts_collective *c, const struct dts_load *load)
{
    const bool few = load->messages <= MOST_MESSAGES ||
                     (c->shape.pieces > 1 &&
                      load->messages + message_and_other * load->tied <= MOST_IN_PIECES);
    return few && load->work <= MOST_WORK;
}

/* How it is walked, or how long it takes in lockstep: both where walking takes long. Groups of
 * a role share links with one another, which a walk of one of them does not see: they go in
 * lockstep. */
static void set_course(struct dts_loader *l, const struct dts_op_steps *s,
                       const struct dts_role *role, const struct dts_collective *c,
                       struct dts_load *load)
{
    if (c->group.size == role->count && can_walk(c, load)) {
        load->move =
            (struct dts_move){dts_op_steps_script(l->op_steps, s), c->data.count,
                              role->plan.buffers[c->data.buffer].element_bytes, &c->pace};
        if (load->work <= LONG_WORK)
            return;
    }
    struct dts_step_time *steps_s = dts_alloc((size_t)s->steps, sizeof(*steps_s));
    for (int i = 0; i < s->steps; i++)
        steps_s[i] = step_time(&load->costs[s->class_of[i]]);
    load->lockstep = dts_lockstep_find(role, c, steps_s, load->sum_s);
    free(steps_s);
}

/* Bytes of the largest message with so many chunks: the longer chunks come first. */
static double message_bytes(const struct dts_role *role, const struct dts_collective *c,
                            int chunks)
{
    size_t first, count, parts = (size_t)c->channels;
    size_t elements = (c->data.count + parts - 1) / parts;
    size_t most = (size_t)c->algorithm->chunks(&c->shape);
    dts_coll_span(elements > most ? elements : most, (int)most, 0, chunks, &first, &count);
    return (double)count * (double)role->plan.buffers[c->data.buffer].element_bytes;
}

/* Fill the costs of a load from the classes; the largest message of class k has bytes[k]. */
static void fill_costs(const struct dts_transport by[2], const struct dts_op_steps *s,
                       const double *bytes, struct dts_load *load)
{
    load->costs = dts_alloc((size_t)s->class_count, sizeof(*load->costs));
    load->cost_count = s->class_count;
    double paths = 0;
    for (int k = 0; k < s->class_count; k++) {
        const struct dts_step_class *class = &s->classes[k];
        dts_step_cost_fill(by, class->traffic, s->role, bytes[k], class->repeat,
                           &load->costs[k]);
        load->messages += class->sent * class->repeat;
        paths += class->traffic->paths * class->repeat;
        load->tied += class->repeat * class->traffic->sent[DTS_BETWEEN] *
                      class->traffic->sent[DTS_BETWEEN];
    }
    load->work =
        paths > load->messages ? path_and_member * paths * s->role->count : load->messages;
}

/* At the best efficiency of the transports. */
static void add_total(struct dts_loader *l, const struct dts_transport by[2],
                      const struct dts_op_steps *s, double chunk_bytes)
{
    const double best[2] = {dts_transport_best(&by[0]), dts_transport_best(&by[1])};
    for (int i = 0; i < s->total_count; i++)
        for (int k = 0; k < 2; k++)
            l->total[s->total[i].link] += chunk_bytes * s->total[i].bytes[k] / best[k];
}

static void count_collective(struct dts_loader *l, int cohort, const struct dts_op *op,
                             double times, struct dts_load *load)
{
    const struct dts_collective *c = &op->collective;
    const struct dts_op_steps *s = dts_op_steps_of(l->op_steps, cohort, op);
    const struct dts_role *role = s->role;
    struct dts_transport by[2];
    dts_paced_transports(l->simulation->net, &c->pace, by);
    double *bytes = dts_alloc((size_t)s->class_count, sizeof(*bytes));
    for (int k = 0; k < s->class_count; k++)
        bytes[k] = message_bytes(role, c, (int)s->classes[k].chunks);
    fill_costs(by, s, bytes, load);
    free(bytes);
    for (int k = 0; k < s->class_count; k++)
        load->sum_s += load->costs[k].repeat * dts_step_cost_seconds(&load->costs[k], 1);

    set_course(l, s, role, c, load);
    double chunk_bytes = (double)c->data.count *
                         (double)role->plan.buffers[c->data.buffer].element_bytes /
                         c->channels / c->algorithm->chunks(&c->shape);
    add_total(l, by, s, times * chunk_bytes);
}

/* What comes before the wire is not shared, what comes after it is the receiver's. */
static void leave_the_wire(struct dts_step_cost *cost)
{
    cost->before_s = fmax(cost->stay_alpha_s[0], cost->stay_alpha_s[1]);
    cost->stay_alpha_s[0] = cost->stay_alpha_s[1] = 0;
    cost->walk_s = dts_step_cost_stay_s(cost, 1);
}

/* All messages of an exchange are in flight together: one class for each far side, once. The
 * side that sends counts the links, the side that receives the latency after.
 */
static void count_exchange(struct dts_loader *l, int cohort, const struct dts_op *op,
                           double times, struct dts_load *load)
{
    const struct dts_exchange *x = &op->exchange;
    const struct dts_op_steps *s = dts_op_steps_of(l->op_steps, cohort, op);
    double element_bytes = (double)s->role->plan.buffers[x->data.buffer].element_bytes;
    double *bytes = dts_alloc((size_t)s->class_count, sizeof(*bytes));
    load->far = dts_alloc((size_t)s->class_count, sizeof(*load->far));
    for (int k = 0; k < s->class_count; k++) {
        bytes[k] = dts_op_steps_most(s, &s->classes[k], x) * element_bytes;
        load->far[k] = s->classes[k].far;
    }
    fill_costs(l->simulation->net->transports, s, bytes, load);
    free(bytes);
    for (int k = 0; k < s->class_count; k++)
        leave_the_wire(&load->costs[k]);
    if (s->class_count > 0) // in proportion, as the buckets of all
        add_total(l, l->simulation->net->transports, s,
                  times * dts_op_steps_least(s, s->classes, x) / s->classes->chunks *
                      element_bytes);
}

static bool alike(const struct dts_op *a, const struct dts_op *b)
{
    if (a->kind != b->kind || a->kind == DTS_OP_CALL)
        return false;
    if (a->kind == DTS_OP_EXCHANGE)
        return a->exchange.data.count == b->exchange.data.count &&
               dts_exchange_same(&a->exchange, &b->exchange);
    return a->collective.data.count == b->collective.data.count &&
           dts_coll_pace_same(&a->collective.pace, &b->collective.pace) &&
           dts_op_steps_same(&a->collective, &b->collective);
}

static size_t bytes_of_element(const struct dts_role *role, const struct dts_op *op)
{
    int buffer =
        op->kind == DTS_OP_COLLECTIVE ? op->collective.data.buffer : op->exchange.data.buffer;
    return role->plan.buffers[buffer].element_bytes;
}

static struct dts_load *count_op(struct dts_loader *l, int cohort, const struct dts_op *op)
{
    const struct dts_role *role = dts_loader_cohorts(l)->all[cohort].role;
    size_t element_bytes = bytes_of_element(role, op);
    for (size_t i = 0; i < l->count; i++) {
        const struct counted *c = &l->counted[i];
        if (c->cohort == cohort && c->element_bytes == element_bytes && alike(c->op, op))
            return c->load;
    }
    double times = 0; // in a step
    for (int o = 0; o < role->plan.op_count; o++)
        if (alike(&role->plan.ops[o], op) &&
            bytes_of_element(role, &role->plan.ops[o]) == element_bytes)
            times += dts_when_share(&role->plan.ops[o].when);

    struct dts_load *load = dts_alloc(1, sizeof(*load));
    if (op->kind == DTS_OP_COLLECTIVE)
        count_collective(l, cohort, op, times, load);
    else
        count_exchange(l, cohort, op, times, load);
    l->counted = dts_grow(l->counted, &l->room, l->count + 1, sizeof(*l->counted));
    l->counted[l->count++] = (struct counted){cohort, op, element_bytes, load};
    return load;
}

const struct dts_load *dts_loader_count(struct dts_loader *l, int cohort, int op)
{
    const struct dts_load **load = &l->loads[l->first_op[cohort] + op];
    if (*load == NULL)
        *load = count_op(l, cohort, &dts_loader_cohorts(l)->all[cohort].role->plan.ops[op]);
    return *load;
}

void dts_loader_narrow(struct dts_loader *l)
{
    const struct dts_cohorts *cohorts = dts_loader_cohorts(l);
    for (int c = 0; c < cohorts->count; c++)
        for (int o = 0; o < cohorts->all[c].role->plan.op_count; o++)
            if (cohorts->all[c].role->plan.ops[o].kind != DTS_OP_CALL)
                dts_loader_count(l, c, o);
    if (l->narrowed == l->count)
        return;
    struct dts_step_cost **costs = NULL;
    size_t count = 0, room = 0;
    for (size_t i = 0; i < l->count; i++)
        for (int k = 0; k < l->counted[i].load->cost_count; k++) {
            costs = dts_grow(costs, &room, count + 1, sizeof(*costs));
            costs[count++] = &l->counted[i].load->costs[k];
        }
    dts_link_classes(l->simulation->net, costs, count);
    l->narrowed = l->count;
    free(costs);
}

struct dts_rows *dts_loader_rows(struct dts_loader *l)
{
    return l->rows;
}

const double *dts_loader_total(const struct dts_loader *l)
{
    return l->total;
}
