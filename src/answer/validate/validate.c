/* validate.c -- asks for all predictions, in child processes, and judges them. */
#include "answer/validate/validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/point_pool.h"
#include "answer/validate/naive.h"
#include "base/mem.h"

/* One prediction: a case, and what it knows. */
struct task {
    int at;
    enum dts_case_known knows;
};

struct tasks {
    const struct dts_case_set *set;
    struct task *all;
    int count;
};

/* Which others of its system a case knows. */
static bool is_known(const struct dts_case_set *set, const struct task *task, int other)
{
    const struct dts_case *one = &set->cases[task->at], *it = &set->cases[other];
    return other != task->at && it->system == one->system &&
           (task->knows == DTS_KNOWS_OTHERS || it->role == DTS_CASE_ANCHOR);
}

/* Opens the scenes of all that is known; *count of them. They end with the process. */
static bool open_known(const struct dts_case_set *set, const struct task *task,
                       struct dts_known **known, int *count, struct dts_error *err)
{
    int most = 0;
    for (int i = 0; i < set->count; i++)
        most += is_known(set, task, i);
    struct dts_scene *scenes = dts_alloc((size_t)most + 1, sizeof(*scenes));
    *known = dts_alloc((size_t)most + 1, sizeof(**known));
    *count = 0;
    for (int i = 0; i < set->count; i++) {
        struct dts_scene *scene = &scenes[*count];
        if (!is_known(set, task, i))
            continue;
        if (!dts_case_open(set, i, scene, err))
            return false;
        const struct dts_case *one = &set->cases[i];
        const bool step = set->families[one->family].step;
        (*known)[(*count)++] =
            (struct dts_known){.question = dts_question_of(scene, 0, one->devices),
                               .step_s = step ? one->value : 0,
                               .throughput_samples_per_s = step ? 0 : one->value};
    }
    return true;
}

/* In a child, which ends with what it has read. */
static void work(void *self, int i, struct dts_progress *progress, struct dts_result *result)
{
    const struct tasks *tasks = self;
    const struct task *task = &tasks->all[i];
    struct dts_scene scene;
    struct dts_known *known;
    int count;
    dts_result_init(result);
    if (!open_known(tasks->set, task, &known, &count, &result->error) ||
        !dts_case_open(tasks->set, task->at, &scene, &result->error))
        return;
    struct dts_question question =
        dts_question_of(&scene, 0, tasks->set->cases[task->at].devices);
    question.progress = progress;
    question.known = known;
    question.known_count = count;
    dts_estimate_levelled(&question, result);
}

static void name(const void *self, int i, char *text, size_t room)
{
    const struct tasks *tasks = self;
    const struct dts_case *one = &tasks->set->cases[tasks->all[i].at];
    snprintf(text, room, "%s cases[%d], %d devices", tasks->set->families[one->family].name,
             one->row, one->devices);
}

/* The largest first. */
static int by_devices(const void *a, const void *b, void *self)
{
    const struct tasks *tasks = self;
    const int x = *(const int *)a, y = *(const int *)b;
    const int first = tasks->set->cases[tasks->all[x].at].devices,
              second = tasks->set->cases[tasks->all[y].at].devices;
    return first != second ? (first < second) - (first > second) : (x > y) - (x < y);
}

/* What is asked: each case from its anchor, and those that are scored from all others. */
static void collect(struct tasks *tasks)
{
    tasks->all = dts_alloc((size_t)tasks->set->count * DTS_CASE_KNOWN, sizeof(*tasks->all));
    for (int i = 0; i < tasks->set->count; i++) {
        const struct dts_case *one = &tasks->set->cases[i];
        const bool trains = tasks->set->families[one->family].class != DTS_COLLECTIVE;
        tasks->all[tasks->count++] = (struct task){i, DTS_KNOWS_ANCHOR};
        if (trains && one->role == DTS_CASE_PREDICTED)
            tasks->all[tasks->count++] = (struct task){i, DTS_KNOWS_OTHERS};
    }
}

static bool fail(const struct tasks *tasks, int i, const struct dts_error *why,
                 struct dts_error *err)
{
    const struct dts_case *one = &tasks->set->cases[tasks->all[i].at];
    const char *file = dts_doc_name(tasks->set->families[one->family].doc);
    const char *text = why->text;
    if (strncmp(text, file, strlen(file)) == 0 && strncmp(text + strlen(file), ": ", 2) == 0)
        text += strlen(file) + 2;
    if (strncmp(text, "cases[", strlen("cases[")) == 0) // the row's own cell
        return dts_fail(err, why->cause, "%s: %s", file, text);
    return dts_fail(err, why->cause, "%s: cases[%d]: %s", file, one->row, text);
}

static void judge(const struct dts_case_set *set, const struct task *task,
                  const struct dts_result *result, struct dts_judged *judged)
{
    const struct dts_case *one = &set->cases[task->at];
    const bool step = set->families[one->family].step;
    const double predicted = step ? result->step.total_s : result->throughput_samples_per_s;
    judged->predicted[task->knows] = predicted;
    judged->error[task->knows] = (step ? one->value / predicted : predicted / one->value) - 1;
    if (task->knows != DTS_KNOWS_ANCHOR)
        return;
    judged->batch = (double)result->global_batch / result->devices;
    snprintf(judged->basis, sizeof(judged->basis), "%s", result->basis);
    snprintf(judged->platform, sizeof(judged->platform), "%s", result->platform);
    snprintf(judged->stack, sizeof(judged->stack), "%s", result->stack);
}

static bool judge_all(const struct tasks *tasks, const struct dts_result *results,
                      struct dts_judged *judged, struct dts_error *err)
{
    for (int i = 0; i < tasks->set->count; i++) {
        judged[i] = (struct dts_judged){.linear = NAN, .nearest = NAN, .power = NAN};
        for (int k = 0; k < DTS_CASE_KNOWN; k++)
            judged[i].predicted[k] = judged[i].error[k] = NAN;
    }
    for (int i = 0; i < tasks->count; i++) {
        if (dts_result_refused(&results[i]))
            return fail(tasks, i, &results[i].error, err);
        judge(tasks->set, &tasks->all[i], &results[i], &judged[tasks->all[i].at]);
    }
    dts_naive(tasks->set, judged);
    return true;
}

bool dts_validate(const struct dts_case_set *set, int jobs, struct dts_judged *judged,
                  struct dts_error *err)
{
    struct tasks tasks = {.set = set};
    collect(&tasks);
    int *order = dts_alloc((size_t)tasks.count, sizeof(*order));
    for (int i = 0; i < tasks.count; i++)
        order[i] = i;
    qsort_r(order, (size_t)tasks.count, sizeof(*order), by_devices, &tasks);
    struct dts_result *results = dts_alloc((size_t)tasks.count, sizeof(*results));
    struct dts_point_pool pool = {.count = tasks.count,
                                  .jobs = jobs,
                                  .order = order,
                                  .work = work,
                                  .self = &tasks,
                                  .name = name};
    const bool good =
        dts_point_pool_run(&pool, results, err) && judge_all(&tasks, results, judged, err);
    free(results);
    free(order);
    free(tasks.all);
    return good;
}
