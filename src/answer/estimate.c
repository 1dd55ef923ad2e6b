/* estimate.c -- builds the plans of a point, has an engine run them, splits times. */
#include <math.h>
#include <stdio.h>

#include "answer/bubble.h"
#include "answer/built.h"
#include "answer/drawn/links.h"
#include "answer/estimate.h"
#include "answer/explain.h"
#include "answer/overheads.h"
#include "answer/setting.h"
#include "answer/split.h"
#include "answer/target/accuracy_of.h"
#include "answer/target/local.h"
#include "answer/target/staleness.h"
#include "answer/target/target.h"
#include "answer/tokens.h"
#include "answer/trace.h"
#include "answer/variants/neighbour_jobs.h"
#include "answer/variants/phase_time.h"
#include "base/text.h"
#include "plan/check.h"
#include "sim/load/bound.h"
#include "train/strategy/input.h"

enum { LONG_S = 10 }; // a run that takes longer is announced

/* Everything that one point needs while it is estimated. */
struct work {
    const struct dts_question *question;
    struct dts_built built;
    struct dts_neighbour_jobs neighbours;
    struct dts_simulation simulation;
    struct dts_loader *loader;
    const struct dts_engine *engine;
};

void dts_result_open(const struct dts_question *q, struct dts_result *result)
{
    dts_result_init(result);
    dts_text_copy(result->strategy, sizeof(result->strategy), q->strategy->name);
    dts_text_copy(result->model, sizeof(result->model), q->scenario->model.name);
    dts_text_copy(result->platform, sizeof(result->platform), q->platform->name);
    dts_text_copy(result->stack, sizeof(result->stack), q->scenario->stack.name);
    dts_text_copy(result->setting, sizeof(result->setting), q->setting);
    result->devices = q->devices;
    const struct dts_strategy_kind *kind = q->strategy->kind;
    const char *class = kind->validated_as(q->strategy->self);
    dts_text_copy(result->class, sizeof(result->class), class);
}

/* Steps of workers that drift apart, at least: fewer where each has very many messages, which
 * the answer says (sim/settled.h). */
static int served_steps(const struct dts_job *job)
{
    const double usual = 50, few = 6, most_messages = 3e5;
    struct dts_traffic traffic;
    dts_job_traffic(job, &traffic);
    return (int)fmax(few, fmin(usual, most_messages / fmax(traffic.messages, 1)));
}

static void prepare_simulation(struct work *w)
{
    const struct dts_scenario *s = w->question->scenario;
    w->simulation = (struct dts_simulation){
        .job = &w->built.job,
        .net = &w->question->platform->net,
        .endpoint = w->built.endpoints,
        .steps = w->question->strategy->kind->trains_nothing ? 1 : s->steps,
        .slowdown = dts_built_slowdown(w->question),
        .message_slowdown = w->question->platform->messages,
        .reduce_bytes_per_s = dts_built_sums(&w->built),
        .compute_factor = w->built.unlike.factor,
        .neighbours = w->neighbours.calm,
        .neighbour_count = w->neighbours.count,
        .progress = w->question->progress,
    };
    w->simulation.settles = dts_job_drifts(&w->built.job) && !s->steps_given;
    if (w->simulation.settles)
        w->simulation.steps = (int)fmax(w->simulation.steps, served_steps(&w->built.job));
    dts_simulation_settle(&w->simulation);
    w->loader = dts_loader_new(&w->simulation);
    w->simulation.loader = w->loader;
    w->engine =
        w->question->quick ? dts_engine_quick(&w->simulation) : dts_engine_find(s->engine);
    if (w->engine == NULL)
        w->engine = dts_engine_auto(&w->simulation);
}

/* How often the engine runs: without noise, with it, with all devices alike, without
 * neighbours, with nothing but kernels and links. */
static int runs(const struct work *w)
{
    bool bare = !w->question->step_only &&
                (w->simulation.slowdown > 0 || dts_overheads_any(&w->built.job));
    return 1 + (dts_setting_noise(w->question->scenario) ? 1 : 0) +
           (w->built.unlike.apart ? 1 : 0) + (w->neighbours.count > 0 ? 1 : 0) + (bare ? 1 : 0);
}

/* Message by message a large job takes hours: say so before it begins, also into a log. */
static void warn_of_hours(const struct work *w)
{
    if (w->engine->messages_per_s == 0)
        return;
    struct dts_traffic traffic;
    dts_job_traffic(&w->built.job, &traffic);
    const double least_s = w->simulation.steps * dts_overheads_step_s(&w->built.job);
    double messages = (traffic.messages * w->simulation.steps +
                       dts_neighbour_jobs_messages(&w->neighbours, least_s)) *
                      runs(w);
    double seconds = messages / w->engine->messages_per_s;
    if (seconds <= LONG_S)
        return;
    bool hours = seconds >= 2 * 3600;
    fprintf(stderr,
            "dtsim: %s, %d device%s: the engine %s runs %.2g messages, roughly %.0f %s (up to "
            "a hundred times as long where many share a link)%s\n",
            w->question->strategy->name, w->question->devices, dts_plural(w->question->devices),
            w->engine->name, messages, seconds / (hours ? 3600 : 1), hours ? "hours" : "s",
            w->neighbours.count > 0 || dts_job_drifts(&w->built.job)
                ? "; larger buckets and messages are fewer"
                : "; fluid takes seconds");
}

/* The step with nothing but kernels and links: no fixed time, slowdown or noise. Where there is
 * none of them that is the step without noise. Workers that drift may be slower in step than
 * apart, as noise leaves them: no step is longer than with all that hinders it. */
static bool run_bare(struct work *w, double calm_s, struct dts_result *result,
                     struct dts_error *err)
{
    struct dts_simulation bare = w->simulation;
    const int rounds = runs(w);
    struct dts_timing timing = {.step_s = calm_s};
    if (bare.slowdown > 0 || dts_overheads_any(&w->built.job)) {
        dts_progress_round(w->question->progress, rounds, rounds);
        bare.slowdown = 0;
        dts_overheads_drop(&w->built.job);
        if (!w->engine->run(&bare, &timing, err))
            return false;
        dts_timing_free(&timing);
    }
    result->bare_total_s = dts_job_drifts(&w->built.job)
                               ? fmin(timing.step_s, result->step.total_s)
                               : timing.step_s;
    return true;
}

/* The noise of the scenario. */
static void add_noise(const struct work *w, struct dts_simulation *simulation)
{
    const struct dts_scenario *s = w->question->scenario;
    simulation->noise = (struct dts_noise){s->stack.device_sigma, s->stack.step_sigma, s->seed};
    simulation->neighbours = w->neighbours.noisy;
}

/* As the stack's devices scatter, if they do. */
static struct dts_simulation noisy_simulation(const struct work *w)
{
    struct dts_simulation noisy = w->simulation;
    if (dts_setting_noise(w->question->scenario))
        add_noise(w, &noisy);
    return noisy;
}

static bool run_noisy(const struct work *w, struct dts_timing *timing, struct dts_error *err)
{
    const struct dts_simulation noisy = noisy_simulation(w);
    dts_progress_round(w->question->progress, 2, runs(w));
    return w->engine->run(&noisy, timing, err);
}

/* The step without neighbours, of a plan that reads from storage alone, too, and with the same
 * noise. `beside`: the answer with them. */
static bool run_alone(const struct work *w, const struct dts_timing *beside,
                      struct dts_result *result, struct dts_error *err)
{
    struct dts_question question = *w->question;
    struct dts_simulation alone = w->simulation;
    struct dts_built built;
    struct dts_timing timing;
    if (w->neighbours.count == 0)
        return true;
    question.neighbour_count = alone.neighbour_count = 0;
    if (!dts_built_make(&question, &built, err))
        return false;
    dts_progress_round(question.progress, runs(w), runs(w));
    if (dts_setting_noise(question.scenario))
        add_noise(w, &alone);
    alone.job = &built.job;
    alone.compute_factor = built.unlike.factor;
    alone.loader = NULL;
    const bool ran = w->engine->run(&alone, &timing, err);
    if (ran) {
        dts_neighbour_jobs_fill(w->question, &w->neighbours, beside->neighbours, timing.step_s,
                                result);
        dts_timing_free(&timing);
    }
    dts_built_free(&built);
    return ran;
}

static void fill_setting(const struct work *w, struct dts_result *result)
{
    dts_setting_fill(w->question, &w->built, w->simulation.slowdown > 0, result);
    dts_text_copy(result->engine, sizeof(result->engine), w->engine->name);
}

/* A collective alone: its data by the time from rest to its end (plan/coll/coll.h). A single
 * member sends nothing and takes no time. */
static void fill_bandwidths(const struct work *w, struct dts_result *result)
{
    const struct dts_plan *plan = &w->built.job.roles[0].plan;
    for (int o = 0; o < plan->op_count; o++) {
        const struct dts_collective *c = &plan->ops[o].collective;
        if (plan->ops[o].kind != DTS_OP_COLLECTIVE || result->step.total_s == 0)
            continue;
        const double bytes =
            (double)c->data.count * (double)plan->buffers[c->data.buffer].element_bytes;
        result->algbw_bytes_s = bytes / result->step.total_s;
        result->busbw_bytes_s =
            result->algbw_bytes_s * dts_coll_bus_factor(c->shape.kind, c->shape.size);
    }
}

static void fill_rates(const struct work *w, const struct dts_bound *bound,
                       struct dts_result *result)
{
    const struct dts_scenario *s = w->question->scenario;
    if (w->question->strategy->kind->trains_nothing) {
        fill_bandwidths(w, result);
        return;
    }
    const double used = isnan(result->staleness.used) ? 1 : result->staleness.used;
    const double fed_s = dts_point_input(&w->built.point).here_s;
    double alone_s = (bound->plain_s - fed_s) / w->built.together;
    double alone = (double)result->global_batch / result->devices / alone_s;
    result->throughput_samples_per_s = used * result->global_batch / result->step.total_s;
    result->scaling_efficiency_one_device =
        result->throughput_samples_per_s / result->devices / alone;
    dts_tokens_fill(w->question, &w->built, result);
    if (s->training.epochs > 0 && s->dataset.samples > 0) {
        result->training.epochs = s->training.epochs;
        result->training.steps =
            s->training.epochs * ceil(s->dataset.samples / (used * result->global_batch));
        result->training.time_s = dts_local_seconds(result, result->training.steps);
    }
    dts_target_fill(s, result);
    dts_accuracy_fill(s, result);
    dts_spending_fill(w->question->platform, result);
}

/* Messages that take longer by a share make the step longer by no more than that share of them;
 * shorter ones save no more than was exposed. */
static void fill_interval(const struct work *w, struct dts_result *result)
{
    const struct dts_transport *transports = w->question->platform->net.transports;
    double percent = transports[DTS_WITHIN].spread_percent;
    if (result->nodes > 1)
        percent = fmax(percent, transports[DTS_BETWEEN].spread_percent);
    const double spread_s = percent / 100 * result->step.comm_s;
    if (spread_s <= 0)
        return;
    result->low_s = result->step.total_s - fmin(spread_s, result->step.exposed_comm_s);
    result->high_s = result->step.total_s + spread_s;
}

static void fill_why(struct work *w, const struct dts_bound *bound, struct dts_result *result)
{
    struct dts_bottleneck found[DTS_EXPLAINED];
    const int count = dts_bottlenecks_find(&w->simulation, w->loader, found, DTS_EXPLAINED);
    const struct dts_why why = {.step = &result->step,
                                .bound = bound,
                                .found = found,
                                .count = count,
                                .input = dts_point_input(&w->built.point),
                                .machine = &w->built.machine,
                                .neighbours = w->neighbours.count > 0};
    dts_explain_bound(&why, result->why, sizeof(result->why));
}

static bool fill_meeting(const struct work *w, struct dts_result *result, struct dts_error *err)
{
    const struct dts_simulation noisy = noisy_simulation(w);
    return dts_setting_meeting(&w->built.point, w->engine, &noisy, w->question->phase_count > 0,
                               result, err);
}

static bool simulate(struct work *w, struct dts_result *result, struct dts_error *err)
{
    const struct dts_scenario *s = w->question->scenario;
    struct dts_timing calm, noisy = {0};
    struct dts_bound bound;

    warn_of_hours(w);
    dts_bound_find(&w->simulation, w->loader, &bound);
    dts_progress_round(w->question->progress, 1, runs(w));
    if (!w->engine->run(&w->simulation, &calm, err))
        return false;
    bool with_noise = dts_setting_noise(s);
    bool ok = dts_bound_check(&bound, &calm, w->engine->name, err) &&
              (!with_noise || run_noisy(w, &noisy, err));
    const struct dts_stale_counts *stale = with_noise ? noisy.staleness : calm.staleness;
    if (ok) {
        fill_setting(w, result);
        if (calm.limits != NULL)
            dts_text_copy(result->limits, sizeof(result->limits), calm.limits);
        if (w->built.unlike.apart)
            dts_progress_round(w->question->progress, with_noise ? 3 : 2, runs(w));
        ok = dts_unlike_split(&w->built.unlike, w->engine, &w->simulation, &calm,
                              with_noise ? &noisy : &calm, &result->step, err) &&
             dts_bubble_split(&w->simulation, &result->step, err) &&
             fill_meeting(w, result, err);
    }
    if (ok) {
        dts_stale_fill(stale, &result->staleness);
        if (stale == NULL)
            dts_setting_delay(&w->built.point, &result->staleness);
        result->staleness.adapted = dts_stale_adapted(&w->built.job);
        result->staleness.corrected = dts_stale_corrected(&w->built.job);
        result->update_batch = dts_stale_update_batch(&w->built.job, result);
        result->update_in_time = dts_stale_in_time(&w->built.job);
        fill_interval(w, result);
        fill_rates(w, &bound, result);
        if (!w->question->step_only)
            fill_why(w, &bound, result);
        ok = run_alone(w, with_noise ? &noisy : &calm, result, err);
    }
    if (ok && w->question->trace != NULL)
        ok = dts_trace_write(w->question->trace, &w->built.job, &calm, w->question->trace_most,
                             err);
    if (ok && w->question->links != NULL)
        ok = dts_links_write(w->question->links, &w->simulation, w->loader,
                             result->step.total_s, err);
    double calm_s = calm.step_s;
    dts_timing_free(&calm);
    dts_timing_free(&noisy);
    return ok && (w->question->step_only || run_bare(w, calm_s, result, err));
}

static bool check_shares(const struct work *w, struct dts_error *err)
{
    return w->neighbours.count == 0 || w->engine->shares ||
           dts_point_fail(&w->built.point, err,
                          "%s: the engine %s does not know neighbours: set engine to flow or "
                          "exact",
                          w->question->strategy->name, w->engine->name);
}

static bool check_serves(const struct work *w, struct dts_error *err)
{
    const char *who = dts_built_drifting(&w->built);
    return who == NULL || w->engine->serves ||
           dts_point_fail(&w->built.point, err,
                          "%s: the engine %s does not know %s: set engine to flow",
                          w->question->strategy->name, w->engine->name, who);
}

void dts_estimate(const struct dts_question *question, struct dts_result *result)
{
    struct work w = {.question = question};
    dts_result_open(question, result);
    dts_progress_begin(question->progress, "planning", 0);
    const bool built =
        dts_built_make(question, &w.built, &result->error) &&
        (question->memory_only ||
         dts_neighbour_jobs_make(question, &w.built, &w.neighbours, &result->error));
    bool good = false;
    if (built && question->memory_only) {
        dts_setting_memory(&w.built, result);
    } else if (built) {
        prepare_simulation(&w);
        const bool suits = dts_platform_suits(question->platform, w.engine, &result->error) &&
                           check_serves(&w, &result->error) && check_shares(&w, &result->error);
        if (suits && question->check) {
            fill_setting(&w, result);
            dts_neighbour_jobs_list(question, &w.neighbours, result);
            good = true;
        } else if (suits)
            good = simulate(&w, result, &result->error);
    }
    dts_loader_free(w.loader);
    dts_neighbour_jobs_free(&w.neighbours);
    dts_built_free(&w.built);
    if (good && question->phase_count > 0)
        dts_phase_time_fill(question, dts_estimate, result);
}
