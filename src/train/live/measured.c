/* measured.c -- each measured step is put into the form in which an engine answers, and
 * split by the code that splits predictions; then medians over the steps.
 */
#include "train/live/measured.h"

#include <math.h>
#include <stdlib.h>

#include "answer/split.h"
#include "answer/target/staleness.h"
#include "base/mem.h"
#include "base/stats.h"

/* What one step is read from. */
struct measured {
    const struct dts_job *job;
    const struct dts_live_all *all;
    int step;
};

static double time_of(const struct measured *m, double **times, int rank, int op)
{
    const struct dts_role *role = dts_job_role(m->job, rank);
    return times[rank][(size_t)m->step * (size_t)role->plan.op_count + (size_t)op];
}

static bool takes_part(const struct dts_role *role, const struct dts_op *op, int rank)
{
    return op->kind != DTS_OP_EXCHANGE || op->exchange.every <= 1 ||
           (rank - role->first) % op->exchange.every == 0;
}

static double role_end(const struct measured *m, const struct dts_role *role)
{
    const bool computes = dts_plan_uses(&role->plan, DTS_COMPUTE);
    double end_s = -INFINITY;
    for (int r = role->first; r < role->first + role->count; r++)
        for (int o = 0; o < role->plan.op_count; o++)
            if (!computes || role->plan.ops[o].stream == DTS_COMPUTE)
                end_s = fmax(end_s, time_of(m, m->all->end_s, r, o));
    return end_s;
}

/* The latest end of what ends a step on a worker (sim/engine.h). */
static double step_end(const struct dts_job *job, const struct dts_live_all *all, int step)
{
    const struct measured m = {job, all, step};
    double end_s = -INFINITY;
    for (int r = 0; r < job->role_count; r++)
        if (job->roles[r].kind == DTS_WORKER)
            end_s = fmax(end_s, role_end(&m, &job->roles[r]));
    return end_s;
}

/* Of one rank. */
static double rank_compute(const struct measured *m, const struct dts_role *role, int rank)
{
    double seconds = 0;
    for (int o = 0; o < role->plan.op_count; o++) {
        const double took_s =
            time_of(m, m->all->end_s, rank, o) - time_of(m, m->all->begin_s, rank, o);
        if (role->plan.ops[o].stream == DTS_COMPUTE && role->plan.ops[o].kind == DTS_OP_CALL &&
            !isnan(took_s))
            seconds += took_s;
    }
    return seconds;
}

/* When the rank's own step ended. */
static double rank_end(const struct measured *m, int rank)
{
    struct dts_role one = *dts_job_role(m->job, rank);
    one.first = rank;
    one.count = 1;
    return role_end(m, &one);
}

/* The mean of all workers; of those that drift apart over their gradients, as engines count it:
 * who makes more of them counts more. */
static double mean_compute(const struct measured *m)
{
    const struct measured before = {m->job, m->all, m->step - 1};
    const bool drifts = dts_job_drifts(m->job) && !m->all->from_rest;
    double seconds = 0, weights = 0;
    for (int i = 0; i < m->job->role_count; i++) {
        const struct dts_role *role = &m->job->roles[i];
        for (int r = role->first; r < role->first + role->count && role->kind == DTS_WORKER;
             r++) {
            const double weight = drifts ? 1 / (rank_end(m, r) - rank_end(&before, r)) : 1;
            seconds += weight * rank_compute(m, role, r);
            weights += weight;
        }
    }
    return seconds / weights;
}

/* The latest begin of what role 0 does first: from then on all are at work. */
static double rest_end(const struct measured *m)
{
    const struct dts_role *role = &m->job->roles[0];
    double begin_s = -INFINITY;
    for (int r = role->first; r < role->first + role->count; r++)
        begin_s = fmax(begin_s, time_of(m, m->all->begin_s, r, 0));
    return begin_s;
}

/* An operation that did not act. */
static void leave_out(struct dts_op_time *time)
{
    if (isinf(time->end_s))
        *time = (struct dts_op_time){NAN, NAN};
}

static void time_op(const struct measured *m, const struct dts_role *role, int o, double zero_s,
                    struct dts_op_time *time)
{
    *time = dts_op_time_none();
    for (int r = role->first; r < role->first + role->count; r++) {
        if (takes_part(role, &role->plan.ops[o], r))
            dts_op_time_add(time, time_of(m, m->all->begin_s, r, o) - zero_s,
                            time_of(m, m->all->end_s, r, o) - zero_s);
    }
    leave_out(time);
}

/* Of workers that drift apart: the harmonic mean of their steps, since rates add up, each from
 * the end of its own last one. */
static void time_drifting_step(const struct measured *m, struct dts_timing *timing)
{
    const struct dts_job *job = m->job;
    const struct measured before = {job, m->all, m->step - 1};
    double rates = 0;
    for (int r = 0; r < job->role_count; r++) {
        const struct dts_role *role = &job->roles[r];
        for (int rank = role->first; rank < role->first + role->count; rank++) {
            const double zero_s = rank_end(&before, rank);
            for (int o = 0; o < role->plan.op_count; o++)
                if (takes_part(role, &role->plan.ops[o], rank))
                    dts_op_time_add(&timing->ops[timing->first_op[r] + o],
                                    time_of(m, m->all->begin_s, rank, o) - zero_s,
                                    time_of(m, m->all->end_s, rank, o) - zero_s);
            if (role->kind == DTS_WORKER)
                rates += 1 / (rank_end(m, rank) - zero_s);
        }
    }
    timing->step_s = dts_job_workers(job) / rates;
}

/* As an engine would have answered, had this been its last step. */
static void time_step(const struct measured *m, struct dts_timing *timing)
{
    const struct dts_job *job = m->job;
    const double zero_s = m->all->from_rest ? rest_end(m) : step_end(job, m->all, m->step - 1);
    *timing =
        (struct dts_timing){.period = 1, .step_s = step_end(job, m->all, m->step) - zero_s};
    timing->first_op = dts_alloc((size_t)job->role_count + 1, sizeof(*timing->first_op));
    for (int r = 0; r < job->role_count; r++)
        timing->first_op[r + 1] = timing->first_op[r] + job->roles[r].plan.op_count;
    timing->ops = dts_alloc((size_t)timing->first_op[job->role_count], sizeof(*timing->ops));
    const bool drifts = dts_job_drifts(job) && !m->all->from_rest;
    if (drifts) {
        for (int o = 0; o < timing->first_op[job->role_count]; o++)
            timing->ops[o] = dts_op_time_none();
        time_drifting_step(m, timing);
        for (int o = 0; o < timing->first_op[job->role_count]; o++)
            leave_out(&timing->ops[o]);
    }
    for (int r = 0; r < job->role_count && !drifts; r++)
        for (int o = 0; o < job->roles[r].plan.op_count; o++)
            time_op(m, &job->roles[r], o, zero_s, &timing->ops[timing->first_op[r] + o]);
    timing->compute_s = mean_compute(m);
}

int dts_live_bucket_count(const struct dts_job *job)
{
    int count = 0;
    for (int o = 0; o < job->roles[0].plan.op_count; o++)
        if (job->roles[0].plan.ops[o].bucket >= count)
            count = job->roles[0].plan.ops[o].bucket + 1;
    return count;
}

void dts_live_bucket_times(const struct dts_job *job, const struct dts_timing *timing,
                           struct dts_bucket_times *times, int most)
{
    const struct dts_plan *plan = &job->roles[0].plan;
    for (int b = 0; b < most; b++)
        times[b] = (struct dts_bucket_times){INFINITY, -INFINITY};
    for (int o = 0; o < plan->op_count; o++) {
        const struct dts_op *op = &plan->ops[o];
        if (op->bucket < 0 || op->kind == DTS_OP_CALL)
            continue;
        struct dts_bucket_times *bucket = &times[op->bucket];
        bucket->start_s = fmin(bucket->start_s, timing->ops[o].start_s);
        bucket->end_s = fmax(bucket->end_s, timing->ops[o].end_s);
    }
}

/* Median and MAD of one number of all steps. */
static void reduce(const struct dts_step *steps, int count, size_t offset,
                   struct dts_step *median, struct dts_step *mad)
{
    double *values = dts_alloc((size_t)count, sizeof(*values));
    for (int i = 0; i < count; i++)
        values[i] = *(const double *)((const char *)&steps[i] + offset);
    *(double *)((char *)median + offset) = dts_median(values, count);
    *(double *)((char *)mad + offset) = dts_mad(values, count);
    free(values);
}

static void reduce_all(const struct dts_step *steps, struct dts_comparison *c)
{
    for (size_t at = 0; at < sizeof(struct dts_step); at += sizeof(double))
        reduce(steps, c->steps, at, &c->measured, &c->mad);
}

/* Medians of begins and ends; times: step after step. */
static void reduce_buckets(const struct dts_bucket_times *times, struct dts_comparison *c)
{
    double *values = dts_alloc((size_t)c->steps, sizeof(*values));
    for (int b = 0; b < c->bucket_count; b++) {
        for (int i = 0; i < c->steps; i++)
            values[i] = times[i * c->bucket_count + b].start_s;
        c->buckets[b].number = b;
        c->buckets[b].measured.start_s = dts_median(values, c->steps);
        for (int i = 0; i < c->steps; i++)
            values[i] = times[i * c->bucket_count + b].end_s;
        c->buckets[b].measured.end_s = dts_median(values, c->steps);
    }
    free(values);
}

static int nearest(const struct dts_step *steps, int count, double total_s)
{
    int best = 0;
    for (int i = 1; i < count; i++)
        if (fabs(steps[i].total_s - total_s) < fabs(steps[best].total_s - total_s))
            best = i;
    return best;
}

/* Adds up all numbers of a step. */
static void add_step(struct dts_step *sum, const struct dts_step *step, double share)
{
    for (size_t at = 0; at < sizeof(*sum); at += sizeof(double))
        *(double *)((char *)sum + at) += share * *(const double *)((const char *)step + at);
}

/* Steps from `first` on until everything repeats: their mean, and the times of the buckets in
 * the step in which they travel. */
static void measure_round(const struct dts_job *job, const struct dts_live_all *all, int first,
                          struct dts_step *mean, struct dts_bucket_times *buckets, int count)
{
    const int period = dts_job_period(job);
    struct dts_bucket_times *one = dts_alloc((size_t)count, sizeof(*one));
    *mean = (struct dts_step){0};
    for (int p = 0; p < period; p++) {
        const struct measured m = {job, all, first + p};
        struct dts_timing timing;
        struct dts_step step;
        time_step(&m, &timing);
        dts_split(job, 1, &timing, &timing, &step);
        add_step(mean, &step, 1.0 / period);
        dts_live_bucket_times(job, &timing, one, count);
        for (int b = 0; b < count; b++)
            if (isfinite(one[b].end_s) || p == 0)
                buckets[b] = one[b];
        dts_timing_free(&timing);
    }
    free(one);
}

/* The step of workers that drift apart, as engines count it. */
static double drifting_step_s(const struct dts_job *job, const struct dts_live_all *all)
{
    const int workers = dts_job_workers(job);
    const size_t steps = (size_t)all->steps;
    double *ends_s = dts_alloc((size_t)workers * steps, sizeof(*ends_s));
    double until_s = INFINITY, rates = 0;
    int count = 0;
    for (int rank = 0; rank < job->ranks; rank++) {
        if (dts_job_role(job, rank)->kind != DTS_WORKER)
            continue;
        double *own_s = ends_s + (size_t)count++ * steps;
        for (int s = 0; s < all->steps; s++)
            own_s[s] = rank_end(&(struct measured){job, all, s}, rank);
        until_s = fmin(until_s, own_s[steps - 1]);
    }
    for (int w = 0; w < count; w++)
        rates += dts_drifting_rate(ends_s + (size_t)w * steps, all->steps, dts_job_period(job),
                                   until_s);
    free(ends_s);
    return workers / rates;
}

void dts_live_measured(const struct dts_job *job, const struct dts_live_all *all, int skip,
                       struct dts_comparison *c, struct dts_timing *timing)
{
    const int period = dts_job_period(job);
    c->steps = (all->steps - skip) / period;
    dts_stale_fill(all->staleness, &c->staleness);
    if (c->steps == 0)
        return;
    struct dts_step *steps = dts_alloc((size_t)c->steps, sizeof(*steps));
    struct dts_bucket_times *times =
        dts_alloc((size_t)c->steps * (size_t)c->bucket_count, sizeof(*times));
    for (int i = 0; i < c->steps; i++)
        measure_round(job, all, skip + i * period, &steps[i], times + i * c->bucket_count,
                      c->bucket_count);
    reduce_all(steps, c);
    if (dts_job_drifts(job) && !all->from_rest && all->steps > 1)
        c->measured.total_s = drifting_step_s(job, all);
    reduce_buckets(times, c);
    const int middle = nearest(steps, c->steps, c->measured.total_s);
    const struct measured last = {job, all, skip + (middle + 1) * period - 1};
    time_step(&last, timing);
    c->steps *= period;
    free(steps);
    free(times);
}
