/* set.c -- scenario and number of ranks into plans. */
#include "train/live/set.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "plan/hash.h"
#include "plan/run.h"
#include "train/strategy/seat.h"

/* With how many devices does the strategy have so many ranks? 0: with none. */
static int devices_for(const struct dts_question *question, int ranks)
{
    struct dts_error ignored = {0};
    const struct dts_machine machine = {
        .nodes = question->platform->nodes,
        .devices_per_node = question->platform->devices_per_node,
    };
    struct dts_point point = {.scenario = question->scenario,
                              .strategy = question->strategy,
                              .device = question->device,
                              .machine = &machine};
    for (point.devices = ranks; point.devices > 0; point.devices--) {
        struct dts_ranks_needed needed = {0};
        if (question->strategy->kind->ranks_needed(&point, &needed, &ignored) &&
            needed.devices + needed.hosts == ranks)
            return point.devices;
    }
    return 0;
}

/* The next number of ranks, downwards or upwards, that a plan is there for. 0: none is near. */
static int next_ranks(const struct dts_question *question, int ranks, int step)
{
    enum { NEAR = 64 };
    for (int n = ranks + step; n > 0 && abs(n - ranks) <= NEAR; n += step)
        if (devices_for(question, n) > 0)
            return n;
    return 0;
}

static void say_no_plan(const struct dts_question *q, int ranks, struct dts_error *err)
{
    const int fewer = next_ranks(q, ranks, -1), more = next_ranks(q, ranks, 1);
    struct dts_text works = {0};
    if (fewer > 0)
        dts_text_add(&works, " %d", fewer);
    if (more > 0)
        dts_text_add(&works, "%s %d", fewer > 0 ? " or" : "", more);
    dts_fail(err, DTS_BAD_INPUT, "%s: %s: has no plan for %d rank%s%s%s",
             dts_doc_name(q->scenario->doc), q->strategy->name, ranks, dts_plural(ranks),
             works.length > 0 ? "; there is one for" : "", dts_text_string(&works));
    dts_text_free(&works);
}

/* What is measured are whole rounds of steps, where messages are not the same in each. */
static void check_rounds(struct dts_live_point *point)
{
    const struct dts_scenario *s = point->question.scenario;
    const int period = dts_job_period(&point->built.job);
    if (s->live.steps % period != 0)
        dts_doc_fail(s->doc, "live.steps", DTS_BAD_INPUT, &point->error,
                     "%s: must be a multiple of the %d steps after which its messages repeat, "
                     "got %d",
                     point->question.strategy->name, period, s->live.steps);
}

/* Kernels need something to compute, and a strategy that says what of the network is whose. */
static void check_kernels(struct dts_live_point *point)
{
    struct dts_seat seat;
    const struct dts_question *q = &point->question;
    if (strcmp(q->scenario->live.compute, "kernels") != 0)
        return;
    if (!dts_plan_uses(&point->built.job.roles[0].plan, DTS_COMPUTE))
        dts_fail(&point->error, DTS_BAD_INPUT,
                 "%s: %s: has nothing to compute: live.compute must be timed",
                 dts_doc_name(q->scenario->doc), q->strategy->name);
    else if (dts_seat_find(&point->built.point, 0, &seat, &point->error))
        dts_seat_free(&seat);
}

static void build(struct dts_live_point *point, int ranks)
{
    struct dts_question *q = &point->question;
    q->devices = devices_for(q, ranks);
    if (q->devices == 0)
        say_no_plan(q, ranks, &point->error);
    else
        dts_built_make(q, &point->built, &point->error);
    if (point->error.cause == DTS_NO_ERROR)
        check_kernels(point);
    if (point->error.cause == DTS_NO_ERROR)
        check_rounds(point);
}

int dts_live_set_last(const struct dts_live_set *set)
{
    int last = set->count - 1;
    while (last > 0 && set->points[last].error.cause != DTS_NO_ERROR)
        last--;
    return last;
}

bool dts_live_set_any(const struct dts_live_set *set, struct dts_error *err)
{
    const int last = dts_live_set_last(set);
    if (set->points[last].error.cause == DTS_NO_ERROR)
        return true;
    *err = set->points[0].error;
    return false;
}

bool dts_live_set_open(const struct dts_changes *changes, const char *word, int ranks,
                       struct dts_live_set *set, struct dts_error *err)
{
    *set = (struct dts_live_set){0};
    if (!dts_scene_open(changes, word, 0, &set->scene, err))
        return false;
    const struct dts_scenario *s = &set->scene.scenario;
    set->count = s->strategy_count;
    set->points = dts_alloc((size_t)set->count, sizeof(*set->points));
    for (int i = 0; i < set->count; i++) {
        set->points[i].question = dts_question_of(&set->scene, i, 0);
        set->points[i].question.check = true;
        build(&set->points[i], ranks);
    }
    return dts_live_set_any(set, err);
}

void dts_live_set_free(struct dts_live_set *set)
{
    for (int i = 0; i < set->count; i++) {
        dts_built_free(&set->points[i].built);
        dts_comparison_free(&set->points[i].comparison);
        dts_timing_free(&set->points[i].timing);
    }
    free(set->points);
    dts_scene_close(&set->scene);
    *set = (struct dts_live_set){0};
}

static bool has_devices(const struct dts_scenario *s, int devices)
{
    for (size_t i = 0; i < s->device_count; i++)
        if (s->devices[i] == devices)
            return true;
    return false;
}

/* "1, 2, 4"; of many the first and the last ones. */
static void add_devices(struct dts_text *text, const struct dts_scenario *s)
{
    static const size_t SHOWN = 6;
    for (size_t i = 0; i < s->device_count; i++) {
        const bool shown =
            s->device_count <= SHOWN || i < SHOWN / 2 || i + 1 == s->device_count;
        if (shown)
            dts_text_add(text, "%s%d", i > 0 ? ", " : "", s->devices[i]);
        else if (i == SHOWN / 2)
            dts_text_add(text, ", ...");
    }
}

bool dts_live_set_devices(const struct dts_live_set *set, bool alone, struct dts_text *note,
                          struct dts_error *err)
{
    const struct dts_scenario *s = &set->scene.scenario;
    const struct dts_live_point *last = &set->points[dts_live_set_last(set)];
    const int devices = last->question.devices, ranks = last->built.job.ranks;
    struct dts_text theirs = {0};
    for (int i = 0; i < set->count; i++)
        if (has_devices(s, set->points[i].question.devices))
            return true;
    add_devices(&theirs, s);
    if (alone)
        dts_fail(
            err, DTS_BAD_INPUT,
            "%s: devices: has %s, and one rank runs, which no mpirun started: mpirun -n %d "
            "dtsim --live, or --set devices=[1]",
            dts_doc_name(s->doc), dts_text_string(&theirs), s->devices[0]);
    else
        dts_text_add(note, "%s: devices: has %s, and %d rank%s run%s, with %d device%s",
                     dts_doc_name(s->doc), dts_text_string(&theirs), ranks, dts_plural(ranks),
                     ranks == 1 ? "s" : "", devices, dts_plural(devices));
    dts_text_free(&theirs);
    return !alone;
}

uint64_t dts_live_set_hash(const struct dts_live_set *set)
{
    const struct dts_live_settings *live = &set->scene.scenario.live;
    uint64_t hash = dts_hash_word((uint64_t)set->scene.scenario.precision, live->compute);
    for (int i = 0; i < set->count; i++)
        hash = dts_job_hash(&set->points[i].built.job, hash);
    return hash ^ ((uint64_t)live->steps << 32 | (uint64_t)live->warm_up);
}

size_t dts_live_set_calls(const struct dts_live_set *set)
{
    size_t calls = 0;
    for (int i = 0; i < set->count; i++)
        for (int r = 0; r < set->points[i].built.job.role_count; r++)
            calls += (size_t)set->points[i].built.job.roles[r].plan.op_count;
    return calls;
}

void dts_live_set_seconds(struct dts_live_set *set, double *seconds, bool take)
{
    for (int i = 0; i < set->count; i++)
        for (int r = 0; r < set->points[i].built.job.role_count; r++) {
            struct dts_plan *plan = &set->points[i].built.job.roles[r].plan;
            for (int o = 0; o < plan->op_count; o++, seconds++)
                if (plan->ops[o].kind != DTS_OP_CALL)
                    *seconds = 0;
                else if (take)
                    plan->ops[o].call.seconds = *seconds;
                else
                    *seconds = plan->ops[o].call.seconds;
        }
}
