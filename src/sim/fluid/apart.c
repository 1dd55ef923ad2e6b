/* apart.c -- how far apart the members of a cohort are.
 *
 * The members of a collective end it one after another. What waits for it, the kernels of the
 * next step first of all, each of them begins when it is done itself; and so they stay apart
 * until something holds up those that are ahead. Who has done talking early besides computes at
 * full speed again while others are still slowed down. The walker of a cohort (fluid.h) is
 * where the last member is.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "sim/fluid/fluid.h"

static const double together_s = 1e-12; // rounding

/* When a member does it; most_s: how long after the first one the last one does. */
static double moment_of(const struct moments *moments, double most_s, int member)
{
    return moments->by_member_s == NULL
               ? moments->last_s
               : moments->last_s - most_s + moments->by_member_s[member];
}

/* From the first one on, each of them having a part, at whatever time; false: they are all at
 * once. */
static bool count_from_first_of_all(double *times_s, int count)
{
    double first_s = INFINITY, last_s = -INFINITY;
    for (int m = 0; m < count; m++) {
        first_s = times_s[m] < first_s ? times_s[m] : first_s; // fmin() is a call
        last_s = times_s[m] > last_s ? times_s[m] : last_s;
    }
    for (int m = 0; m < count; m++)
        times_s[m] -= first_s;
    return last_s - first_s > together_s;
}

double dts_fluid_last_begin_s(const struct fluid *f, const struct lane *lane)
{
    double left_s = 0;
    if (dts_fluid_op(lane)->kind == DTS_OP_CALL && lane->stream == DTS_COMPUTE)
        return 0; // takes its time from now
    for (size_t i = 0; i < f->tail_count; i++) {
        const struct tail *tail = &f->tails[i];
        if (tail->cohort == lane->cohort &&
            lane->role->plan.ops[tail->op].stream == lane->stream)
            left_s = fmax(left_s, tail->left_s);
    }
    return left_s;
}

/* So many members are apart as members_s says; none: all are together. */
static void set_apart(const struct fluid *f, double **apart_s, int members)
{
    if (members == 0) {
        free(*apart_s);
        *apart_s = NULL;
        return;
    }
    if (*apart_s == NULL)
        *apart_s = dts_alloc((size_t)members, sizeof(**apart_s));
    memcpy(*apart_s, f->members_s, (size_t)members * sizeof(**apart_s));
}

void dts_fluid_put_apart(struct fluid *f, int cohort)
{
    const int members = f->cohorts->all[cohort].role->count;
    set_apart(f, &f->apart_s[cohort],
              count_from_first_of_all(f->members_s, members) ? members : 0);
}

/* What the last members still need for an operation. */
static double tail_left_s(const struct fluid *f, int cohort, int op)
{
    double left_s = 0;
    for (size_t i = 0; i < f->tail_count; i++)
        if (f->tails[i].cohort == cohort && f->tails[i].op == op)
            left_s = f->tails[i].left_s;
    return left_s;
}

/* When members are done with an operation of their cohort. */
static struct moments ended(const struct fluid *f, int cohort, int op)
{
    const struct dts_op *what = &f->cohorts->all[cohort].role->plan.ops[op];
    struct moments ended = dts_fluid_run(f, cohort, op)->ended;
    const double left_s = what->stream != DTS_COMPUTE ? tail_left_s(f, cohort, op) : 0;
    ended.last_s = fmin(ended.last_s, f->now + left_s);
    if (what->stream == DTS_COMPUTE && what->kind == DTS_OP_CALL)
        ended.by_member_s = f->apart_s[cohort];
    else if (what->kind == DTS_OP_CALL)
        ended.by_member_s = dts_fluid_run(f, cohort, op)->apart_s;
    return ended;
}

/* Nobody goes on before its own part of that is done. */
static void hold_up(const struct fluid *f, int cohort, int op)
{
    const int members = f->cohorts->all[cohort].role->count;
    const struct moments moments = ended(f, cohort, op);
    const double most_s = dts_largest(moments.by_member_s, members);
    for (int m = 0; m < members; m++) {
        const double moment_s = moment_of(&moments, most_s, m);
        f->members_s[m] = moment_s > f->members_s[m] ? moment_s : f->members_s[m];
    }
}

/* Was anything that the lane waits for done by one member after another? */
static bool waits_for_apart(const struct fluid *f, const struct lane *lane)
{
    const struct dts_op *op = dts_fluid_op(lane);
    const struct dts_wait *waits = lane->role->plan.waits; // NULL: the plan has none
    bool apart = lane->previous >= 0 && ended(f, lane->cohort, lane->previous).by_member_s;
    for (int w = 0; w < op->wait_count; w++)
        apart |= ended(f, lane->cohort, waits[op->first_wait + w].op).by_member_s != NULL;
    return apart;
}

/* Fills in when each member can begin what the lane is about to begin; false: all at once. */
static bool find_begins(struct fluid *f, const struct lane *lane)
{
    const struct dts_op *op = dts_fluid_op(lane);
    const struct dts_wait *waits = lane->role->plan.waits;
    const int members = lane->role->count;
    if (!waits_for_apart(f, lane))
        return false;
    for (int m = 0; m < members; m++)
        f->members_s[m] = 0;
    if (lane->previous >= 0)
        hold_up(f, lane->cohort, lane->previous);
    for (int w = 0; w < op->wait_count; w++)
        hold_up(f, lane->cohort, waits[op->first_wait + w].op);
    return count_from_first_of_all(f->members_s, members);
}

void dts_fluid_find_until(struct fluid *f, const struct lane *lane, double first_s,
                          struct dts_walk_gap *between)
{
    const struct dts_plan *plan = &lane->role->plan;
    const int members = lane->role->count;
    const double *ended_s = dts_fluid_run(f, lane->cohort, lane->before)->ended.by_member_s;
    between->least_s = 0;
    between->until_s = NULL;
    for (int m = 0; m < members; m++)
        f->members_s[m] = 0;
    int op = lane->before;
    do {
        op = (op + 1) % plan->op_count;
        const struct dts_op *what = &plan->ops[op];
        if (what->stream != lane->stream)
            continue;
        for (int w = 0; w < what->wait_count; w++) {
            int other = plan->waits[what->first_wait + w].op;
            if (plan->ops[other].stream != lane->stream)
                hold_up(f, lane->cohort, other);
        }
        if (what->kind != DTS_OP_CALL)
            continue;
        between->least_s += what->call.seconds;
        for (int m = 0; m < members; m++)
            f->members_s[m] += what->call.seconds;
    } while (op != lane->op);
    for (int m = 0; m < members; m++) {
        f->members_s[m] -= first_s;
        if (f->members_s[m] >
            (ended_s != NULL ? ended_s[m] : 0) + between->least_s + together_s)
            between->until_s = f->members_s;
    }
}

bool dts_fluid_overtakes(struct fluid *f, const struct lane *lane, struct dts_walk_gap *between)
{
    const struct moments *ended = &dts_fluid_run(f, lane->cohort, lane->before)->ended;
    const int members = lane->role->count;
    if (ended->by_member_s == NULL || !find_begins(f, lane))
        return false;
    // Behind a call of the same stream the lane is where the first member is.
    const double first_begins_s =
        f->now + dts_fluid_last_begin_s(f, lane) - dts_largest(f->members_s, members);
    const double first_ended_s = ended->last_s - dts_largest(ended->by_member_s, members);
    if (first_begins_s >= ended->last_s)
        return false;
    between->least_s = INFINITY;
    for (int m = 0; m < members; m++) {
        f->members_s[m] += first_begins_s - first_ended_s;
        between->least_s = fmin(between->least_s, f->members_s[m] - ended->by_member_s[m]);
    }
    between->until_s = f->members_s;
    return between->least_s >= 0;
}

const double *dts_fluid_begin_apart(struct fluid *f, const struct lane *lane)
{
    return find_begins(f, lane) ? f->members_s : NULL;
}

void dts_fluid_begin_call(struct fluid *f, const struct lane *lane)
{
    double **apart_s = lane->stream == DTS_COMPUTE
                           ? &f->apart_s[lane->cohort]
                           : &dts_fluid_run(f, lane->cohort, lane->op)->apart_s;
    set_apart(f, apart_s, find_begins(f, lane) ? lane->role->count : 0);
}

static bool runs_kernel(const struct lane *lane)
{
    return lane->state == CALLING && dts_op_is_kernel(dts_fluid_op(lane));
}

/* Who does it before the last one gains this share of the time between, as long as kernels run;
 * negative: it loses so much. */
static void gain(struct fluid *f, int cohort, const struct moments *moments, double share)
{
    const int compute = f->lane_of[cohort * DTS_STREAMS + (int)DTS_COMPUTE];
    if (compute < 0 || share == 0 || moments->by_member_s == NULL)
        return;
    struct lane *lane = &f->lanes[compute];
    const int members = lane->role->count;
    const bool runs = runs_kernel(lane);
    const double until_s =
        runs || lane->previous < 0 ? f->now : ended(f, cohort, lane->previous).last_s;
    const double most_s = dts_largest(moments->by_member_s, members);
    const double *apart_s = f->apart_s[cohort];
    const double last_s = dts_largest(apart_s, members);
    double lead_s = INFINITY;
    for (int m = 0; m < members; m++) {
        double before_s = fmax(0, until_s - moment_of(moments, most_s, m));
        f->members_s[m] = (apart_s != NULL ? apart_s[m] : last_s) - share * before_s;
        lead_s = fmin(lead_s, last_s - f->members_s[m]);
    }
    dts_fluid_put_apart(f, cohort);
    if (runs) // e.g. the last one in the kernels was not the last one to be done talking
        lane->left_s = fmax(0, lane->left_s - fmax(0, lead_s));
}

static double slowed_share(const struct fluid *f)
{
    const double slowdown = f->simulation->slowdown;
    return slowdown / (1 + slowdown);
}

void dts_fluid_talks(struct fluid *f, int cohort, int op)
{
    if (f->talking[cohort]++ == 0)
        gain(f, cohort, &dts_fluid_run(f, cohort, op)->begun, -slowed_share(f));
}

void dts_fluid_has_talked(struct fluid *f, int cohort, int op)
{
    if (--f->talking[cohort] == 0)
        gain(f, cohort, &dts_fluid_run(f, cohort, op)->ended, slowed_share(f));
}
