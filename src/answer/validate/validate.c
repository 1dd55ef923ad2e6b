/* validate.c -- asks for all predictions, in child processes, and judges them. */
#include "answer/validate/validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/point_pool.h"
#include "answer/validate/naive.h"
#include "base/mem.h"

static const double GIB = 1024.0 * 1024 * 1024;

/* The first round levels each system on its anchor, the second predicts all other cases with
 * kernels levelled so. */
struct round {
    const struct dts_case_set *set;
    int *cases; // that are asked for
    int count;
    const double *factor; // of each system; NULL: it is looked for
};

/* In a child, which ends with what it has read. */
static void work(void *self, int i, struct dts_progress *progress, struct dts_result *result)
{
    const struct round *round = self;
    const struct dts_case *one = &round->set->cases[round->cases[i]];
    const enum dts_case_value value = round->set->families[one->family].value;
    struct dts_scene scene;
    double factor = 1;
    dts_result_init(result);
    if (!dts_case_open(round->set, round->cases[i], &scene, &result->error))
        return;
    struct dts_known known = {.question = dts_question_of(&scene, 0, one->devices),
                              .step_s = value == DTS_CASE_STEP ? one->value : 0,
                              .train_s = value == DTS_CASE_TRAIN ? one->value : 0,
                              .throughput_samples_per_s =
                                  value == DTS_CASE_THROUGHPUT ? one->value : 0};
    known.question.progress = progress;
    known.question.step_only = true;
    known.question.memory_only = dts_family_remembers(&round->set->families[one->family]);
    if (round->factor != NULL) {
        known.question.speed = 1 / round->factor[one->system];
        dts_estimate(&known.question, result);
    } else if (dts_known_factor(&known, &factor, result)) {
        result->level_kernels = factor;
    }
    if (value == DTS_CASE_TRAIN && !dts_result_refused(result) &&
        !(result->training.time_s > 0))
        dts_fail(&result->error, DTS_BAD_INPUT,
                 "a metric train_s needs training.target, or epochs or phases and "
                 "dataset.samples, in the scenario");
}

static void name(const void *self, int i, char *text, size_t room)
{
    const struct round *round = self;
    const struct dts_case *one = &round->set->cases[round->cases[i]];
    snprintf(text, room, "%s cases[%d], %d devices", round->set->families[one->family].name,
             one->row, one->devices);
}

/* The largest first. */
static int by_devices(const void *a, const void *b, void *self)
{
    const struct round *round = self;
    const int x = *(const int *)a, y = *(const int *)b;
    const int first = round->set->cases[round->cases[x]].devices,
              second = round->set->cases[round->cases[y]].devices;
    return first != second ? (first < second) - (first > second) : (x > y) - (x < y);
}

static bool fail(const struct dts_case_set *set, int i, const struct dts_error *why,
                 struct dts_error *err)
{
    const struct dts_case *one = &set->cases[i];
    const char *file = dts_doc_name(set->families[one->family].doc);
    const char *text = why->text;
    if (strncmp(text, file, strlen(file)) == 0 && strncmp(text + strlen(file), ": ", 2) == 0)
        text += strlen(file) + 2;
    if (strncmp(text, "cases[", strlen("cases[")) == 0) // the row's own cell
        return dts_fail(err, why->cause, "%s: %s", file, text);
    return dts_fail(err, why->cause, "%s: cases[%d]: %s", file, one->row, text);
}

/* Asks for the cases of a round; results[i] is of round->cases[i]. */
static bool ask(struct round *round, int jobs, struct dts_result *results,
                struct dts_error *err)
{
    int *order = dts_alloc((size_t)round->count + 1, sizeof(*order));
    for (int i = 0; i < round->count; i++)
        order[i] = i;
    qsort_r(order, (size_t)round->count, sizeof(*order), by_devices, round);
    struct dts_point_pool pool = {.count = round->count,
                                  .jobs = jobs,
                                  .order = order,
                                  .work = work,
                                  .self = round,
                                  .name = name};
    bool good = round->count == 0 || dts_point_pool_run(&pool, results, err);
    for (int i = 0; i < round->count && good; i++)
        if (dts_result_refused(&results[i]))
            good = fail(round->set, round->cases[i], &results[i].error, err);
    free(order);
    return good;
}

/* What the result of a case says, before levels. */
static void take(const struct dts_case_set *set, int i, const struct dts_result *result,
                 struct dts_judged *judged)
{
    const struct dts_case *one = &set->cases[i];
    judged[i].batch = (double)result->global_batch / result->devices;
    const struct dts_family *family = &set->families[one->family];
    judged[i].physics_s = result->step.total_s;
    judged[i].sample_flops = result->throughput_samples_per_s > 0
                                 ? result->model_flops_per_s_device * result->devices /
                                       result->throughput_samples_per_s
                                 : 0;
    judged[i].published_s =
        family->value == DTS_CASE_THROUGHPUT ? result->global_batch / one->value : one->value;
    if (family->value == DTS_CASE_TRAIN)
        judged[i].published_s = one->value * result->step.total_s / result->training.time_s;
    if (dts_family_remembers(family)) {
        const double first = result->memory.first_stage_bytes;
        const bool of_first = family->value == DTS_CASE_MEMORY_FIRST && isfinite(first);
        judged[i].physics_s = (of_first ? first : result->memory.total_bytes) / GIB;
    }
    snprintf(judged[i].basis, sizeof(judged[i].basis), "%s", result->basis);
    snprintf(judged[i].platform, sizeof(judged[i].platform), "%s", result->platform);
    snprintf(judged[i].stack, sizeof(judged[i].stack), "%s", result->stack);
}

/* The anchors if `anchors`, else all others. */
static void choose(struct round *round, bool anchors)
{
    round->count = 0;
    for (int i = 0; i < round->set->count; i++)
        if ((round->set->cases[i].role == DTS_CASE_ANCHOR) == anchors)
            round->cases[round->count++] = i;
}

/* The quotient that a case gets from what it knows; 1 where it knows nothing. */
static double level(const struct dts_case_set *set, const struct dts_judged *judged, int i,
                    enum dts_case_known knows, struct dts_rest *rests)
{
    int count = 0;
    for (int j = 0; j < set->count; j++)
        if (j != i && set->cases[j].system == set->cases[i].system &&
            (knows == DTS_KNOWS_OTHERS || set->cases[j].role == DTS_CASE_ANCHOR))
            rests[count++] = (struct dts_rest){set->cases[j].devices, judged[j].batch,
                                               judged[j].published_s / judged[j].physics_s};
    return count > 0 ? dts_rest_level(rests, count, set->cases[i].devices, judged[i].batch) : 1;
}

/* A predicted step, or memory, in the unit of the family. */
static double in_unit(const struct dts_family *family, const struct dts_case *one,
                      const struct dts_judged *judged, double step_s)
{
    switch (family->value) {
    case DTS_CASE_THROUGHPUT:
        return one->value * judged->published_s / step_s;
    case DTS_CASE_TRAIN:
        return one->value * step_s / judged->published_s;
    default:
        return step_s;
    }
}

static void judge(const struct dts_case_set *set, struct dts_judged *judged)
{
    struct dts_rest *rests = dts_alloc((size_t)set->count, sizeof(*rests));
    for (int i = 0; i < set->count; i++) {
        const struct dts_case *one = &set->cases[i];
        const struct dts_family *family = &set->families[one->family];
        const bool trains = dts_family_trains(family);
        judged[i].linear = judged[i].nearest = judged[i].power = NAN;
        for (int k = 0; k < DTS_CASE_KNOWN; k++) {
            const double step_s =
                judged[i].physics_s * level(set, judged, i, (enum dts_case_known)k, rests);
            const bool asked = k == DTS_KNOWS_ANCHOR
                                   ? one->role != DTS_CASE_ANCHOR // which is met
                                   : trains && one->role == DTS_CASE_PREDICTED;
            const double error = dts_family_remembers(family)
                                     ? step_s / judged[i].published_s - 1
                                     : judged[i].published_s / step_s - 1;
            judged[i].error[k] = asked ? error : NAN;
            judged[i].predicted[k] = in_unit(family, one, &judged[i], step_s);
        }
    }
    free(rests);
    dts_naive(set, judged);
}

bool dts_validate(const struct dts_case_set *set, int jobs, struct dts_judged *judged,
                  struct dts_error *err)
{
    struct dts_result *results = dts_alloc((size_t)set->count, sizeof(*results));
    double *factor = dts_alloc((size_t)set->systems, sizeof(*factor));
    struct round round = {.set = set, .cases = dts_alloc((size_t)set->count, sizeof(int))};
    for (int s = 0; s < set->systems; s++)
        factor[s] = 1;
    choose(&round, true);
    bool good = ask(&round, jobs, results, err);
    for (int i = 0; i < round.count && good; i++) {
        factor[set->cases[round.cases[i]].system] = results[i].level_kernels;
        take(set, round.cases[i], &results[i], judged);
    }
    choose(&round, false);
    round.factor = factor;
    good = good && ask(&round, jobs, results, err);
    for (int i = 0; i < round.count && good; i++)
        take(set, round.cases[i], &results[i], judged);
    if (good)
        judge(set, judged);
    free(round.cases);
    free(factor);
    free(results);
    return good;
}
