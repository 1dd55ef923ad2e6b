/* rates.c -- how fast flows go beside each other.
 *
 * Flows that are under way together share links (share.h). But a collective is not always
 * on the wire: in each of its steps the latency passes, and in that time the links are the
 * others'. A sum of a few bytes in hundreds of steps takes next to nothing of the gradients
 * beside it. So it counts on the wire for the part of the time that its messages are, and the
 * rate of the others is what they get on average: as if each of them were there or not there
 * independently of the others.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "sim/fluid/fluid.h"

enum {
    MOST_PARTLY = 4,  // collectives for which both is thought through; others are always there
    MOST_BESIDE = 24, // flows; among more, each of which gets little, all are always there
    ROUNDS = 3,       // how long they are on the wire hangs on how fast they go: twice more
};

/* A collective that is on the wire for a part of the time. */
struct partly {
    int number; // among the flows on the wire
    double part;
};

static void find_computing(struct fluid *f)
{
    for (int c = 0; c < f->cohorts->count; c++)
        f->computing[c] = false;
    for (size_t i = 0; i < f->timed.count; i++) {
        const struct lane *lane = &f->lanes[f->timed.all[i]];
        if (lane->state == CALLING && dts_op_is_kernel(dts_fluid_op(lane)))
            f->computing[lane->cohort] = true;
    }
}

/* Messages of a cohort whose kernels run are slow; so are those between it and another. */
static double flow_slowness(const struct fluid *f, const struct fluid_flow *flow)
{
    const bool slow = f->computing[f->lanes[flow->sender].cohort] ||
                      (flow->receiver >= 0 && f->computing[f->lanes[flow->receiver].cohort]);
    return slow ? 1 + f->simulation->message_slowdown : 1;
}

static bool is_on_wire(const struct fluid_flow *flow)
{
    return flow->state == UNDER_WAY && flow->class < flow->cost_count;
}

static double wire_s(const struct dts_step_cost *cost)
{
    return fmax(cost->load_s[0], cost->load_s[1]);
}

/* Without bytes: any. */
static double rate_alone(const struct dts_step_cost *cost)
{
    return wire_s(cost) > 0 ? cost->bytes / wire_s(cost) : 1;
}

/* The part of the rate alone that is left of it. */
static double rate_of(const struct dts_step_cost *cost, double bytes_per_s)
{
    return wire_s(cost) > 0 ? fmin(1, bytes_per_s * wire_s(cost) / cost->bytes) : 1;
}

/* Seconds of a repetition. */
static double repetition_s(const struct fluid_flow *flow, double bytes_per_s)
{
    const struct dts_step_cost *cost = &flow->costs[flow->class];
    return flow->share * dts_step_cost_seconds(cost, rate_of(cost, bytes_per_s));
}

/* The part of the time that its messages are on the wire. */
static double part_on_wire(const struct fluid_flow *flow, double bytes_per_s)
{
    const struct dts_step_cost *cost = &flow->costs[flow->class];
    double all_s = repetition_s(flow, bytes_per_s);
    return all_s > 0 ? fmin(1, wire_s(cost) / rate_of(cost, bytes_per_s) / all_s) : 1;
}

/* The collectives on the wire that are there least; returns how many. */
static int find_partly(const struct fluid *f, const double *rates, struct partly *partly)
{
    int count = 0;
    for (int n = 0; n < (int)f->on_wire.count; n++) {
        const struct fluid_flow *flow = &f->flows[f->on_wire.all[n]];
        struct partly new = {n, flow->receiver < 0 ? part_on_wire(flow, rates[n]) : 1};
        if (new.part >= 1)
            continue;
        int at = count < MOST_PARTLY ? count++ : MOST_PARTLY;
        for (; at > 0 && partly[at - 1].part > new.part; at--)
            if (at < MOST_PARTLY)
                partly[at] = partly[at - 1];
        if (at < MOST_PARTLY)
            partly[at] = new;
    }
    return count;
}

/* Bit k of `there`: is the k-th of them on the wire? How likely that is, given that flow
 * `number` is. */
static double likelihood(const struct partly *partly, int count, unsigned there, int number)
{
    double likely = 1;
    for (int k = 0; k < count; k++)
        if (partly[k].number != number)
            likely *= (there >> k & 1) != 0 ? partly[k].part : 1 - partly[k].part;
    return likely;
}

/* Adds the rates of those that are there then, as likely as it is. */
static void add_rates(struct fluid *f, int count, const struct partly *partly, int some,
                      unsigned there)
{
    const struct dts_step_cost *costs[MOST_BESIDE];
    double rates[MOST_BESIDE];
    int number[MOST_BESIDE], n = 0; // which of all they are
    for (int i = 0; i < count; i++) {
        bool absent = false;
        for (int k = 0; k < some; k++)
            absent |= partly[k].number == i && (there >> k & 1) == 0;
        if (absent)
            continue;
        costs[n] = f->costs[i];
        number[n++] = i;
    }
    if (n > 0)
        dts_share(f->sharer, costs, n, rates);
    for (int i = 0; i < n; i++)
        f->rates[number[i]] +=
            likelihood(partly, some, there, number[i]) * fmin(rates[i], rate_alone(costs[i]));
}

/* What each gets on average over those that are there for a part of the time. */
static void average(struct fluid *f, int count)
{
    struct partly partly[MOST_PARTLY];
    for (int round = 0; round < ROUNDS; round++) {
        int some = find_partly(f, f->rates, partly);
        if (some == 0)
            return;
        for (int i = 0; i < count; i++)
            f->rates[i] = 0;
        for (unsigned there = 0; there < 1u << some; there++)
            add_rates(f, count, partly, some, there);
    }
}

static void list_on_wire(struct fluid *f)
{
    struct dts_numbers *on_wire = &f->on_wire;
    const size_t most = f->going.count;
    f->costs = dts_grow(f->costs, &f->cost_room, most, sizeof(*f->costs));
    f->kept = dts_grow(f->kept, &f->kept_room, most, sizeof(*f->kept));
    f->rates = dts_grow(f->rates, &f->rate_room, most, sizeof(*f->rates));
    on_wire->all = dts_grow(on_wire->all, &on_wire->room, most, sizeof(*on_wire->all));
    on_wire->count = 0;
    for (size_t i = 0; i < most; i++) {
        const struct fluid_flow *flow = &f->flows[f->going.all[i]];
        if (!is_on_wire(flow))
            continue;
        f->costs[on_wire->count] = &flow->costs[flow->class];
        on_wire->all[on_wire->count++] = f->going.all[i];
    }
}

static void cross(struct fluid *f, const struct dts_step_cost *cost, int more)
{
    for (int i = 0; i < cost->narrow_count; i++)
        f->crossed[cost->narrow[i].link] += more;
}

static bool is_alone(const struct fluid *f, const struct dts_step_cost *cost)
{
    for (int i = 0; i < cost->narrow_count; i++)
        if (f->crossed[cost->narrow[i].link] > 1)
            return false;
    return true;
}

/* Who shares no link has its rate alone; the others are kept on the list, in their order.
 * Tensor ranks of hundreds of stages have nothing to do with one another. */
static void set_alone(struct fluid *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->on_wire.count; i++)
        cross(f, f->costs[i], 1);
    for (size_t i = 0; i < f->on_wire.count; i++) {
        const struct dts_step_cost *cost = f->costs[i];
        struct fluid_flow *flow = &f->flows[f->on_wire.all[i]];
        if (!is_alone(f, cost)) {
            f->on_wire.all[kept] = f->on_wire.all[i];
            f->kept[kept++] = cost;
        } else if (flow->bytes_per_s != rate_alone(cost)) {
            flow->bytes_per_s = rate_alone(cost);
            flow->repetition_s = flow->unslowed_s = repetition_s(flow, flow->bytes_per_s);
        }
    }
    for (size_t i = 0; i < f->on_wire.count; i++)
        cross(f, f->costs[i], -1);
    memcpy(f->costs, f->kept, kept * sizeof(*f->costs));
    f->on_wire.count = kept;
}

static void share_wire(struct fluid *f)
{
    list_on_wire(f);
    set_alone(f);
    const int count = (int)f->on_wire.count;
    if (count == 1)
        f->rates[0] = rate_alone(f->costs[0]);
    if (count > 1)
        dts_share(f->sharer, f->costs, count, f->rates);
    if (count > 1 && count <= MOST_BESIDE)
        average(f, count);
    for (int n = 0; n < count; n++) {
        struct fluid_flow *flow = &f->flows[f->on_wire.all[n]];
        if (flow->bytes_per_s == f->rates[n])
            continue;
        flow->bytes_per_s = f->rates[n];
        flow->repetition_s = flow->unslowed_s = repetition_s(flow, f->rates[n]);
    }
}

void dts_fluid_set_rates(struct fluid *f)
{
    const bool slows = f->simulation->message_slowdown > 0;
    if (f->wire_changed)
        share_wire(f);
    if (!f->wire_changed && !slows)
        return;
    f->wire_changed = false;
    if (!slows)
        return;
    find_computing(f);
    for (size_t i = 0; i < f->going.count; i++) {
        struct fluid_flow *flow = &f->flows[f->going.all[i]];
        flow->repetition_s = flow_slowness(f, flow) * flow->unslowed_s;
    }
}
