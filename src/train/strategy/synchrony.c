/* synchrony.c -- keys, plans and memory of what is not synchronous in each step. */
#include "train/strategy/synchrony.h"

#include <stdio.h>
#include <string.h>

#include "train/strategy/delay.h"
#include "train/strategy/gossip.h"

const char *dts_synchrony_average(int i)
{
    static const char *const names[] = {
        "all",
        "pairs",
        "asynchronous_pairs",
        NULL,
    };
    return names[i];
}

/* Keys that act with local_steps alone. */
static bool check_alone(const struct dts_synchrony *s, const struct dts_cfg *at,
                        struct dts_error *err)
{
    const char *key = s->local_after > 0      ? "local_after"
                      : s->average != NULL    ? "average"
                      : s->outer              ? "outer_rate"
                      : s->outer_momentum > 0 ? "outer_momentum"
                                              : NULL;
    return key == NULL || s->local_steps > 0 ||
           dts_cfg_fail(at, key, err, "cannot act without local_steps");
}

static bool check_delay(const struct dts_synchrony *s, const struct dts_cfg *at,
                        struct dts_error *err)
{
    if (s->delay == 0 && (s->delay_first > 0 || s->delay_last > 0))
        return dts_cfg_fail(at, s->delay_first > 0 ? "delay_first" : "delay_last", err,
                            "cannot act without delay");
    if (s->delay_first > 0 && s->delay_last > 0)
        return dts_cfg_fail(at, "delay_last", err,
                            "cannot act beside delay_first: layers at one end are late");
    if (s->delay > 0 && s->local_steps > 0)
        return dts_cfg_fail(at, "delay", err,
                            "cannot act with local_steps: no gradients are exchanged");
    return true;
}

bool dts_synchrony_prepare(struct dts_synchrony *s, const struct dts_cfg *at,
                           struct dts_error *err)
{
    static const double usual_momentum = 0.9; // DiLoCo's
    const struct dts_cfg rate = dts_cfg_member(at, "outer_rate"),
                         momentum = dts_cfg_member(at, "outer_momentum"),
                         overlap = dts_cfg_member(at, "overlap");
    s->outer = dts_cfg_exists(&rate);
    s->pairs = s->average != NULL && strcmp(s->average, dts_synchrony_average(0)) != 0;
    s->passing = s->average != NULL && strcmp(s->average, dts_synchrony_average(2)) == 0;
    if (!check_alone(s, at, err))
        return false;
    if (dts_cfg_exists(&momentum) && !s->outer)
        return dts_cfg_fail(at, "outer_momentum", err, "cannot act without outer_rate");
    if (s->outer && !dts_cfg_exists(&momentum))
        s->outer_momentum = usual_momentum;
    if (s->outer && s->pairs)
        return dts_cfg_fail(at, "outer_rate", err,
                            "needs the mean of all: pairs begin from other weights each");
    if (s->passing && !dts_gossip_check_keys(s, at, err))
        return false;
    if (!check_delay(s, at, err))
        return false;
    return dts_synchrony_sums(s) || !dts_cfg_exists(&overlap) ||
           dts_cfg_fail(at, "overlap", err,
                        "cannot act: no exchange begins while backward computes");
}

bool dts_synchrony_sums(const struct dts_synchrony *s)
{
    return (s->delay == 0 || dts_delay_is_partial(s)) &&
           (s->local_steps == 0 || s->local_after > 0);
}

void dts_synchrony_name(const struct dts_synchrony *s, const char *algorithm, char *name,
                        size_t room)
{
    const char *how = s->outer ? "diloco" : s->pairs ? "gossip" : "local";
    if (s->passing) // by no algorithm
        snprintf(name, room, "adpsgd_%d", s->local_steps);
    else if (s->local_steps > 0)
        snprintf(name, room, "%s%s_%s_%d", algorithm, s->local_after > 0 ? "_post" : "", how,
                 s->local_steps);
    else if (s->delay_first > 0)
        snprintf(name, room, "%s_delay_first_%d", algorithm, s->delay_first);
    else if (s->delay_last > 0)
        snprintf(name, room, "%s_delay_last_%d", algorithm, s->delay_last);
    else if (s->delay > 0)
        snprintf(name, room, "%s_delay_%d", algorithm, s->delay);
    else
        snprintf(name, room, "%s", algorithm);
}

bool dts_synchrony_check(const struct dts_synchrony *s, const struct dts_point *point,
                         struct dts_error *err)
{
    const char *name = point->strategy->name;
    if (s->local_steps > 0 && dts_build_synchronizes(point))
        return dts_point_fail(point, err,
                              "%s: synchronized batch_norm needs ranks in step, and these "
                              "train alone for some steps",
                              name);
    if (s->passing)
        return dts_gossip_check(point, err);
    if (s->pairs && (point->devices & (point->devices - 1)) != 0)
        return dts_point_fail(point, err,
                              "%s: average: pairs needs a power of two of devices, got %d",
                              name, point->devices);
    return dts_delay_check(s, point, err);
}

struct dts_when dts_synchrony_gradients(const struct dts_synchrony *s)
{
    return (struct dts_when){.until = s->local_after};
}

/* Ranks that take the mean of their weights, and when. */
struct meeting {
    struct dts_members members;
    struct dts_when when;
};

static bool add_meeting(const struct dts_coll_choice *choice, const struct dts_point *point,
                        const struct meeting *meeting, int update, struct dts_plan *plan,
                        const struct dts_own_weights *alone, struct dts_error *err)
{
    const struct dts_coll_use mean = {choice, point, meeting->members, DTS_ALLREDUCE};
    for (int i = 0; i < alone->count; i++) {
        const int op =
            dts_coll_add_bucket(&mean, plan, "weights", i, alone->spans[i], update, err);
        if (op < 0)
            return false;
        plan->ops[op].when = meeting->when;
    }
    return true;
}

/* Two ranks, `stride` apart: in one node where all such pairs are. */
static struct dts_members pair(const struct dts_point *point, int stride)
{
    const bool within = dts_point_per_node(point) % (2 * stride) == 0;
    return (struct dts_members){.group = {.stride = stride, .size = 2},
                                .per_node = within ? 2 : 1,
                                .nodes = within ? 1 : 2};
}

static int log2_of(int power)
{
    int log2 = 0;
    while (1 << log2 < power)
        log2++;
    return log2;
}

/* Each dimension of the hypercube in turn. */
static bool add_meetings(const struct dts_synchrony *s, const struct dts_coll_choice *choice,
                         const struct dts_point *point, int update, struct dts_plan *plan,
                         const struct dts_own_weights *alone, struct dts_error *err)
{
    const int turns = s->pairs ? log2_of(point->devices) : 1;
    for (int t = 0; t < turns && alone->members.group.size > 1; t++) {
        const struct meeting meeting = {s->pairs ? pair(point, 1 << t) : alone->members,
                                        {.every = s->local_steps * turns,
                                         .at = s->local_steps * (t + 1) - 1,
                                         .from = s->local_after}};
        if (!add_meeting(choice, point, &meeting, update, plan, alone, err))
            return false;
    }
    return true;
}

double dts_synchrony_seconds(const struct dts_point *point, double parameters, double values,
                             double flops)
{
    const struct dts_work work = {.class = DTS_WORK_MEMORY,
                                  .flops = flops * parameters,
                                  .bytes = values * sizeof(float) * parameters};
    return dts_device_seconds(point->device, dts_precision_beside(point->scenario->precision),
                              &work);
}

/* Sums become means; an outer update reads and writes the weights, those of the last time and
 * the momentum. */
static double average_seconds(const struct dts_synchrony *s, const struct dts_point *point,
                              double parameters)
{
    return dts_synchrony_seconds(point, parameters, s->outer ? 6 : 2, s->outer ? 8 : 1);
}

bool dts_synchrony_average_weights(const struct dts_synchrony *s,
                                   const struct dts_coll_choice *choice,
                                   const struct dts_point *point, struct dts_plan *plan,
                                   const struct dts_own_weights *alone, struct dts_error *err)
{
    const int update = plan->op_count - 1;
    if (!add_meetings(s, choice, point, update, plan, alone, err))
        return false;
    const int end = plan->op_count;
    const struct dts_when when = {
        .every = s->local_steps, .at = s->local_steps - 1, .from = s->local_after};
    const double seconds = average_seconds(s, point, alone->parameters);
    const int average =
        dts_build_call(point, plan, s->outer ? "outer update" : "average",
                       (struct dts_call){.pass = DTS_AVERAGE, .layer = -1, .seconds = seconds});
    for (int op = end; op <= average; op++) // with what the host does to have it run
        plan->ops[op].when = when;
    for (int op = update + 1; op < end; op++)
        dts_plan_after(plan, op);
    return true;
}

const struct dts_synchrony *dts_point_synchrony(const struct dts_point *point)
{
    static const struct dts_synchrony in_step = {.local_steps = 0};
    const struct dts_strategy_kind *kind = point->strategy->kind;
    return kind->synchrony != NULL ? kind->synchrony(point->strategy->self) : &in_step;
}

double dts_synchrony_bytes(const struct dts_synchrony *s, const struct dts_point *point)
{
    const double parameters = point->scenario->model.parameters;
    const double outer = (double)dts_synchrony_outer_bytes(s) * parameters;
    const struct dts_late_values late = dts_delay_values(s, &point->scenario->model);
    if (s->passing)
        return dts_gossip_bytes(point);
    return outer + sizeof(float) * (double)late.count;
}
