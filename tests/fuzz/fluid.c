/* fluid.c -- an input becomes a small scenario, which the engine `fluid` simulates: to an end,
 * in times that can be, the same twice, and no faster than kernels and links allow.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/estimate.h"
#include "fuzz.h"
#include "plan/check.h"
#include "question.h"
#include "sim/load/bound.h"

enum {
    MOST_WORK = 2000,
    MOST_STEPS = 50, // of operations that act in some only
};

static const double most_messages = 2000;

static struct dts_simulation simulation_of(const struct fuzz_question *q)
{
    const struct dts_scenario *s = q->question.scenario;
    const struct dts_platform *platform = q->question.platform;
    return (struct dts_simulation){
        .job = &q->built.job,
        .net = &platform->net,
        .endpoint = q->built.endpoints,
        .steps = q->question.strategy->kind->trains_nothing ? 1 : s->steps,
        .slowdown = platform->communicating >= 0 ? platform->communicating : s->stack.slowdown,
        .message_slowdown = platform->messages,
        .reduce_bytes_per_s = q->built.used.memory_bytes_per_s / 3,
        .compute_factor = q->built.unlike.factor,
    };
}

static void check_timing(const struct dts_simulation *simulation,
                         const struct dts_timing *timing)
{
    const struct dts_job *job = simulation->job;
    FUZZ_CHECK(isfinite(timing->step_s) && timing->step_s >= 0);
    FUZZ_CHECK(isfinite(timing->compute_s) && timing->compute_s >= 0);
    FUZZ_CHECK(isfinite(timing->mean_s) && timing->mean_s >= 0);
    FUZZ_CHECK(isfinite(timing->first_s) && timing->first_s >= 0);
    FUZZ_CHECK(isfinite(timing->messages) && timing->messages >= 0);
    for (int o = 0, r = 0; o < timing->first_op[job->role_count]; o++) {
        const struct dts_op_time *op = &timing->ops[o];
        while (o >= timing->first_op[r + 1])
            r++;
        const struct dts_op *planned = &job->roles[r].plan.ops[o - timing->first_op[r]];
        if (dts_engine_last_step(simulation, &planned->when) < 0) {
            FUZZ_CHECK(isnan(op->start_s) && isnan(op->end_s)); // it does not act
            continue;
        }
        FUZZ_CHECK(!isnan(op->start_s) && !isnan(op->end_s) && op->end_s < INFINITY);
        // An operation may take no time, and times count from first_s: what is left is
        // rounding.
        const double rounding_s = 1e-12 * (timing->first_s + fabs(op->end_s));
        FUZZ_CHECK(op->end_s >= op->start_s - rounding_s);
    }
}

static void run(const struct dts_simulation *simulation, struct dts_timing *timing)
{
    struct dts_error err = {0};
    if (!dts_engine_find("fluid")->run(simulation, timing, &err))
        fprintf(stderr, "%s\n", err.text);
    FUZZ_CHECK(err.cause == DTS_NO_ERROR);
    check_timing(simulation, timing);
}

static void check_same_again(const struct dts_simulation *simulation,
                             const struct dts_timing *timing)
{
    struct dts_timing again;
    run(simulation, &again);
    const size_t ops = (size_t)timing->first_op[simulation->job->role_count];
    FUZZ_CHECK(again.step_s == timing->step_s && again.mean_s == timing->mean_s &&
               again.compute_s == timing->compute_s && again.messages == timing->messages);
    FUZZ_CHECK(memcmp(again.ops, timing->ops, ops * sizeof(*again.ops)) == 0);
    dts_timing_free(&again);
}

/* With the loads that fluid counts, as answers have it. */
static void check_bound(struct dts_simulation *simulation, const struct dts_timing *timing)
{
    struct dts_error err = {0};
    struct dts_bound bound;
    struct dts_loader *loader = dts_loader_new(simulation);
    dts_bound_find(simulation, loader, &bound);
    if (!dts_bound_check(&bound, timing, "fluid", &err))
        fprintf(stderr, "%s\n", err.text);
    FUZZ_CHECK(err.cause == DTS_NO_ERROR);
    dts_loader_free(loader);
}

/* The least that a message of any size between two ranks is late. */
static double least_alpha(const struct dts_net *net, int src, int dst)
{
    const struct dts_transport *by = &net->transports[net->ops->transport(net->self, src, dst)];
    const int paths = net->ops->paths(net->self, src, dst);
    double least_s = INFINITY;
    for (int p = 0; p < paths; p++)
        for (int r = 0; r == 0 || r < by->range_count; r++) {
            const double latency_s = net->ops->latency(net->self, src, dst, p);
            const double bytes = by->range_count > 0 ? by->ranges[r].from_bytes : 0;
            least_s = fmin(least_s, dts_transport_alpha(by, latency_s, bytes));
        }
    return least_s;
}

/* What begins from rest and sends anything takes as long as its message between some pair. */
static void check_latency(const struct dts_simulation *simulation,
                          const struct dts_timing *timing)
{
    const int ranks = simulation->job->ranks;
    double least_s = INFINITY;
    if (simulation->steps != 1 || ranks < 2 || timing->messages == 0)
        return;
    for (int a = 0; a < ranks; a++)
        for (int b = 0; b < ranks; b++)
            if (simulation->endpoint[a] != simulation->endpoint[b])
                least_s = fmin(least_s, least_alpha(simulation->net, simulation->endpoint[a],
                                                    simulation->endpoint[b]));
    FUZZ_CHECK(timing->step_s >= least_s * (1 - 1e-9));
}

/* All that is said of the point. */
static void check_result(const struct dts_question *question)
{
    struct dts_result result;
    dts_estimate(question, &result);
    fuzz_check_answer(!dts_result_refused(&result), &result.error);
    for (const struct dts_metric *m = dts_metrics; m->name != NULL; m++)
        FUZZ_CHECK(!isinf(dts_metric_value(m, &result)));
    if (dts_result_refused(&result))
        return;
    const struct dts_step *step = &result.step;
    const double parts = step->compute_s + step->exposed_comm_s + step->input_s +
                         step->bubble_s + step->straggler_s;
    FUZZ_CHECK(isfinite(step->total_s) && step->total_s >= 0);
    FUZZ_CHECK(fabs(parts - step->total_s) <= 1e-6 * step->total_s);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_question q;
    if (!fuzz_question_open(&q, bytes, size, MOST_WORK))
        return 0;
    struct dts_traffic traffic;
    dts_job_traffic(&q.built.job, &traffic);
    struct dts_simulation simulation = simulation_of(&q);
    dts_simulation_settle(&simulation);
    if (traffic.messages <= most_messages && simulation.steps <= MOST_STEPS) {
        struct dts_timing timing;
        run(&simulation, &timing);
        check_same_again(&simulation, &timing);
        check_bound(&simulation, &timing);
        check_latency(&simulation, &timing);
        dts_timing_free(&timing);
        check_result(&q.question);
    }
    fuzz_question_close(&q);
    return 0;
}
