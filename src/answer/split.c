/* split.c -- where the time of a step went. */
#include <math.h>
#include <stdlib.h>

#include "answer/split.h"
#include "base/mem.h"

/* A role of workers, and when its operations ran in a step of so many seconds. */
struct part {
    const struct dts_plan *plan;
    const struct dts_op_time *ops;
    double step_s;
    double share; // of all workers
    int period;   // of the times (sim/engine.h)
    long settled; // a step from which on periods are alike
};

/* When a wait was over, in seconds of the step. What the step before did is one step earlier.
 */
static double wait_end(const struct part *part, struct dts_wait wait)
{
    return part->ops[wait.op].end_s - (wait.previous_step ? part->step_s : 0);
}

/* Did the operation wait for that stream last? */
static bool waited_for(enum dts_stream stream, const struct part *part, const struct dts_op *op)
{
    double latest = -INFINITY;
    bool found = false;
    for (int w = 0; w < op->wait_count; w++) {
        struct dts_wait wait = part->plan->waits[op->first_wait + w];
        double end = wait_end(part, wait);
        if (end > latest) {
            latest = end;
            found = part->plan->ops[wait.op].stream == stream;
        }
    }
    return found;
}

/* The gaps before operations of the compute stream that waited for another stream. */
static double gaps_for(enum dts_stream stream, const struct part *part)
{
    double gaps = 0, before = 0;
    for (int o = 0; o < part->plan->op_count; o++) {
        const struct dts_op *op = &part->plan->ops[o];
        if (op->stream != DTS_COMPUTE || isnan(part->ops[o].end_s))
            continue;
        double gap = part->ops[o].start_s - before;
        if (gap > 0 && waited_for(stream, part, op))
            gaps += gap;
        before = part->ops[o].end_s;
    }
    return gaps;
}

static int by_start(const void *a, const void *b)
{
    const struct dts_op_time *x = a, *y = b;
    return (x->start_s > y->start_s) - (x->start_s < y->start_s);
}

/* A stage awaits activations long before they are sent: what counts is the other side's time.
 */
static bool is_under_way(const struct dts_op *op)
{
    const bool awaits = op->kind == DTS_OP_EXCHANGE && !op->exchange.send;
    return op->kind != DTS_OP_CALL && !(awaits && op->exchange.awaits) &&
           !(awaits && dts_stream_meets(op->stream) != op->stream);
}

/* Times of one step are what they are. */
static bool acts(const struct part *part, const struct dts_op *op, long step)
{
    return part->period == 1 ? !isnan(part->ops[op - part->plan->ops].end_s)
                             : dts_when_acts(&op->when, step);
}

/* How long at least one communication of a rank was under way in that step. */
static double communicating_in(const struct part *part, long step, struct dts_op_time *spans)
{
    const struct dts_plan *plan = part->plan;
    int count = 0;
    for (int o = 0; o < plan->op_count; o++)
        if (is_under_way(&plan->ops[o]) && acts(part, &plan->ops[o], step))
            spans[count++] = part->ops[o];
    qsort(spans, (size_t)count, sizeof(*spans), by_start);

    double seconds = 0, until = -INFINITY;
    for (int i = 0; i < count; i++) {
        if (spans[i].end_s > until)
            seconds += spans[i].end_s - fmax(until, spans[i].start_s);
        until = fmax(until, spans[i].end_s);
    }
    return seconds;
}

/* The mean over the steps of a period. */
static double communicating(const struct part *part)
{
    struct dts_op_time *spans = dts_alloc((size_t)part->plan->op_count, sizeof(*spans));
    double seconds = 0;
    for (int p = 0; p < part->period; p++)
        seconds += communicating_in(part, part->settled + p, spans);
    free(spans);
    return seconds / part->period;
}

static double undisturbed(const struct dts_plan *plan, double factor)
{
    double seconds = 0;
    for (int o = 0; o < plan->op_count; o++)
        if (plan->ops[o].kind == DTS_OP_CALL && plan->ops[o].stream == DTS_COMPUTE)
            seconds += dts_when_share(&plan->ops[o].when) * plan->ops[o].call.seconds *
                       (dts_op_is_kernel(&plan->ops[o]) ? factor : 1);
    return seconds;
}

bool dts_split_feeds(const struct dts_op *op)
{
    return op->kind == DTS_OP_CALL && op->stream == DTS_COMPUTE && op->call.pass == DTS_READ;
}

static double fed(const struct part *part)
{
    double seconds = 0;
    for (int o = 0; o < part->plan->op_count; o++)
        if (dts_split_feeds(&part->plan->ops[o]))
            seconds += fmax(0, part->ops[o].end_s - part->ops[o].start_s);
    return seconds;
}

/* A difference of two sums: what rounding leaves of nothing is nothing. */
static double no_rounding(double part_s, const struct dts_timing *timing)
{
    return part_s >= 1e-9 * timing->step_s ? part_s : 0;
}

static struct part part_of(const struct dts_job *job, int role, const struct dts_timing *timing)
{
    const int workers = dts_job_workers(job), count = job->roles[role].count;
    return (struct part){.plan = &job->roles[role].plan,
                         .ops = timing->ops + timing->first_op[role],
                         .step_s = timing->step_s,
                         .period = timing->period > 1 ? timing->period : 1,
                         .settled = dts_job_settled(job),
                         .share = count == workers ? 1 : (double)count / workers};
}

/* The step without what noise adds to it. Of a few steps in which all wait for all it is the
 * calm one: a sample that is faster is luck. Workers that drift apart do many, and scatter may
 * spare them waits that it takes to be alike. */
static double unhindered_s(const struct dts_job *job, const struct dts_timing *calm,
                           const struct dts_timing *noisy)
{
    return dts_job_drifts(job) ? fmin(calm->step_s, noisy->step_s) : calm->step_s;
}

void dts_split(const struct dts_job *job, double factor, const struct dts_timing *calm,
               const struct dts_timing *noisy, struct dts_step *step)
{
    const double least_s = unhindered_s(job, calm, noisy);
    const double slow_s = no_rounding(noisy->step_s - least_s, calm);
    double fed_s = 0, issued_s = 0, plain_s = 0;
    *step = (struct dts_step){.total_s = least_s + slow_s, .straggler_s = slow_s};
    for (int r = 0; r < job->role_count; r++) {
        const struct part part = part_of(job, r, calm);
        if (job->roles[r].kind != DTS_WORKER)
            continue;
        step->comm_s += part.share * communicating(&part);
        step->input_s += part.share * gaps_for(DTS_INPUT, &part);
        issued_s += part.share * gaps_for(DTS_HOST, &part);
        fed_s += part.share * fed(&part);
        plain_s += part.share * undisturbed(part.plan, factor);
    }
    step->compute_s = fmin(calm->compute_s - fed_s + issued_s, least_s);
    step->input_s += fed_s;
    // Gaps are those of a mean step: what acts in some steps only may fill one in those.
    step->input_s = fmin(step->input_s, fmax(0, least_s - step->compute_s));
    step->overlap_slowdown_s = no_rounding(calm->compute_s - plain_s, calm);
    step->exposed_comm_s = no_rounding(least_s - step->compute_s - step->input_s, calm);
}
