/* inverse.c -- looks for the value of each suspect, of all suspects at once: a round of
 * predictions halves every range. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/inverse/inverse.h"
#include "answer/known.h"
#include "answer/point_pool.h"
#include "base/mem.h"

static const double close_enough = 1.0005; // a range this narrow is a value

/* A prediction to be made: with one value of one suspect changed, or none. */
struct task {
    const struct dts_suspect *suspect; // NULL: as the files are
    double value;
};

struct round {
    const struct dts_inverse *inverse;
    const struct task *tasks;
    double kernels, step; // the level that known points give; 1: they give none
};

/* As the files are, known points level the prediction; with another value its level stays. */
static void estimate(const struct round *round, const struct dts_scene *scene,
                     const struct task *task, struct dts_progress *progress,
                     struct dts_result *result)
{
    const struct dts_inverse *inverse = round->inverse;
    struct dts_question question = dts_question_of(scene, inverse->strategy, inverse->devices);
    question.progress = progress;
    question.quick = inverse->quick;
    if (task->suspect == NULL) {
        question.known = inverse->known;
        question.known_count = inverse->known_count;
        dts_estimate_levelled(&question, result);
        return;
    }
    if (task->suspect->ask != NULL)
        task->suspect->ask(task->value, &question);
    dts_estimate_at_level(&question, round->kernels, round->step, result);
}

/* In a child, which ends with what it has read. */
static void work(void *self, int i, struct dts_progress *progress, struct dts_result *result)
{
    const struct round *round = self;
    const struct dts_inverse *inverse = round->inverse;
    const struct task *task = &round->tasks[i];
    if (task->suspect == NULL || task->suspect->change == NULL) {
        estimate(round, inverse->scene, task, progress, result);
        return;
    }
    const struct dts_changes *from = inverse->changes;
    struct dts_changes changes = {.engine = from->engine, .seed = from->seed};
    for (int s = 0; s < from->set_count; s++)
        dts_changes_add_set(&changes, from->sets[s].path, strlen(from->sets[s].path),
                            from->sets[s].value);
    struct dts_text path = {0}, value = {0};
    struct dts_scene scene;
    task->suspect->change(inverse->scene, task->value, &path, &value);
    dts_changes_add_set(&changes, dts_text_string(&path), path.length, dts_text_string(&value));
    if (dts_scene_open(&changes, inverse->word, 0, &scene, &result->error)) {
        estimate(round, &scene, task, progress, result);
        dts_scene_close(&scene);
    }
    dts_changes_free(&changes);
    dts_text_free(&path);
    dts_text_free(&value);
}

static void name(const void *self, int i, char *text, size_t room)
{
    const struct task *task = &((const struct round *)self)->tasks[i];
    if (task->suspect == NULL)
        snprintf(text, room, "as the files are");
    else
        snprintf(text, room, "%s = %.4g", task->suspect->name, task->value);
}

/* The first point that is refused is the error of all. */
static bool predict(struct round *round, int count, struct dts_result *results,
                    struct dts_error *err)
{
    struct dts_point_pool pool = {.count = count,
                                  .jobs = round->inverse->jobs,
                                  .work = work,
                                  .self = round,
                                  .name = name};
    if (!dts_point_pool_run(&pool, results, err))
        return false;
    for (int i = 0; i < count; i++)
        if (dts_result_refused(&results[i])) {
            *err = results[i].error;
            return false;
        }
    return true;
}

bool dts_inverse_predict(const struct dts_inverse *inverse, struct dts_result *predicted,
                         struct dts_error *err)
{
    const struct task as_is = {0};
    struct round round = {.inverse = inverse, .tasks = &as_is};
    return predict(&round, 1, predicted, err);
}

/* Where a value lies: the step gets shorter from low to high. */
struct search {
    struct dts_explained *row;
    double low, high;
    bool open; // the range is wider than a value
};

/* The ends of the ranges: a step that is longer or shorter than both is out of reach. */
static bool try_ends(struct round *round, struct search *searches, int count, double step_s,
                     struct dts_error *err)
{
    struct task tasks[2 * DTS_SUSPECTS_MOST];
    struct dts_result *results = dts_alloc(2 * DTS_SUSPECTS_MOST, sizeof(*results));
    for (int i = 0; i < count; i++) {
        tasks[2 * i] = (struct task){searches[i].row->suspect, searches[i].low};
        tasks[2 * i + 1] = (struct task){searches[i].row->suspect, searches[i].high};
    }
    round->tasks = tasks;
    bool ok = count == 0 || predict(round, 2 * count, results, err);
    for (int i = 0; ok && i < count; i++) {
        double slow_s = results[2 * i].step.total_s, fast_s = results[2 * i + 1].step.total_s;
        searches[i].open = step_s <= slow_s && step_s >= fast_s;
        searches[i].row->nearest_s = step_s > slow_s ? slow_s : fast_s;
    }
    free(results);
    return ok;
}

/* One round: every range that is open is halved. Returns how many there were; -1: it failed. */
static int halve(struct round *round, struct search *searches, int count, double step_s,
                 struct dts_error *err)
{
    struct task tasks[DTS_SUSPECTS_MOST];
    struct search *asked[DTS_SUSPECTS_MOST];
    struct dts_result *results = dts_alloc(DTS_SUSPECTS_MOST, sizeof(*results));
    int tasks_now = 0;
    for (int i = 0; i < count; i++)
        if (searches[i].open) {
            asked[tasks_now] = &searches[i];
            tasks[tasks_now++] = (struct task){searches[i].row->suspect,
                                               sqrt(searches[i].low * searches[i].high)};
        }
    round->tasks = tasks;
    if (tasks_now > 0 && !predict(round, tasks_now, results, err)) {
        free(results);
        return -1;
    }
    for (int i = 0; i < tasks_now; i++) {
        struct search *s = asked[i];
        *(results[i].step.total_s > step_s ? &s->low : &s->high) = tasks[i].value;
        s->open = s->high > s->low * close_enough;
        s->row->value = s->open ? NAN : sqrt(s->low * s->high);
    }
    free(results);
    return tasks_now;
}

/* What needs no search. */
static void take_share(struct dts_explained *row, const struct dts_result *predicted,
                       double step_s)
{
    double ends_s[2];
    const double share = row->suspect->share(predicted, step_s, ends_s);
    if (step_s >= ends_s[0] && step_s <= ends_s[1])
        row->value = share;
    else
        row->nearest_s = step_s < ends_s[0] ? ends_s[0] : ends_s[1];
}

bool dts_inverse_solve(const struct dts_inverse *inverse, const struct dts_result *predicted,
                       double step_s, struct dts_explained explained[DTS_SUSPECTS_MOST],
                       int *count, struct dts_error *err)
{
    struct search searches[DTS_SUSPECTS_MOST];
    int searched = 0, halved = 1;
    *count = 0;
    for (int c = 0; dts_suspects[c] != NULL; c++) {
        struct dts_explained *row = &explained[*count];
        *row =
            (struct dts_explained){.suspect = dts_suspects[c], .value = NAN, .nearest_s = NAN};
        if (!row->suspect->now(inverse->scene, predicted, &row->now))
            continue;
        (*count)++;
        if (row->suspect->range == NULL) {
            take_share(row, predicted, step_s);
            continue;
        }
        searches[searched] = (struct search){.row = row};
        row->suspect->range(row->now, &searches[searched].low, &searches[searched].high);
        searched++;
    }
    struct round round = {.inverse = inverse,
                          .kernels =
                              isnan(predicted->level_kernels) ? 1 : predicted->level_kernels,
                          .step = isnan(predicted->level_step) ? 1 : predicted->level_step};
    if (!try_ends(&round, searches, searched, step_s, err))
        return false;
    while (halved > 0)
        halved = halve(&round, searches, searched, step_s, err);
    return halved == 0;
}
