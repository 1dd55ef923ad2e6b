/* predict.c -- `dtsim SCENARIO...`: every point of every scenario is a question; children
 * answer them; what compares points with each other is filled in when all answers are there.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/estimate.h"
#include "answer/kept.h"
#include "answer/known.h"
#include "answer/notes/batch_note.h"
#include "answer/notes/inert.h"
#include "answer/point_pool.h"
#include "base/mem.h"
#include "base/os/file.h"
#include "base/os/scratch.h"
#include "base/text.h"
#include "cli/asked.h"
#include "cli/commands.h"
#include "cli/outputs.h"
#include "cli/picture/plot.h"
#include "cli/picture/timeline.h"
#include "cli/print/text_notes.h"

static void work(void *self, int i, struct dts_progress *progress, struct dts_result *result)
{
    struct dts_question question = ((const struct dts_asked *)self)->questions[i];
    question.progress = progress;
    dts_estimate_levelled(&question, result);
}

static bool known(void *self, int i, struct dts_result *result)
{
    struct dts_asked *asked = self;
    const struct dts_result *kept =
        asked->questions[i].trace == NULL && asked->questions[i].links == NULL
            ? dts_kept_find(&asked->kept, asked->keys[i])
            : NULL;
    if (kept == NULL)
        return false;
    *result = *kept;
    snprintf(result->setting, sizeof(result->setting), "%s", asked->questions[i].setting);
    asked->known++;
    return true;
}

static void done(void *self, int i, const struct dts_result *result)
{
    struct dts_asked *asked = self;
    dts_kept_add(&asked->kept, asked->keys[i], result);
}

static void name(const void *self, int i, char *text, size_t room)
{
    const struct dts_question *q = &((const struct dts_asked *)self)->questions[i];
    char setting[256];
    snprintf(text, room, "%s %s, %d device%s%s%s", q->scenario->name, q->strategy->name,
             q->devices, dts_plural(q->devices), q->setting[0] != '\0' ? ", " : "",
             dts_text_setting(q->setting, setting, sizeof(setting)));
}

/* Has the point others of its scene and strategy beside it? Alone it would be compared with
 * itself. */
static bool has_others(const struct dts_asked *asked, size_t i)
{
    for (size_t j = 0; j < asked->question_count; j++)
        if (j != i && asked->questions[j].strategy == asked->questions[i].strategy &&
            asked->results[j].error.cause == DTS_NO_ERROR)
            return true;
    return false;
}

/* The point with the fewest devices of the same scene and strategy that has an answer. */
static const struct dts_result *fewest(const struct dts_asked *asked, size_t i)
{
    const struct dts_result *least = NULL;
    for (size_t j = 0; j < asked->question_count; j++) {
        const struct dts_result *other = &asked->results[j];
        if (asked->questions[j].strategy == asked->questions[i].strategy &&
            other->error.cause == DTS_NO_ERROR &&
            (least == NULL || other->devices < least->devices))
            least = other;
    }
    return least;
}

static void compare_with_fewest(struct dts_result *result, const struct dts_result *least)
{
    result->scaling_efficiency = result->throughput_samples_per_s / result->devices /
                                 (least->throughput_samples_per_s / least->devices);
}

/* An efficiency is held only against one of the same base, whose point may have no answer. */
static void compare_with_published(const struct dts_question *q, struct dts_result *result,
                                   const struct dts_result *least)
{
    for (int r = 0; r < q->scenario->reference_count; r++) {
        const struct dts_reference *reference = &q->scenario->references[r];
        bool mine = reference->devices == q->devices &&
                    (reference->strategy == NULL ||
                     strcmp(reference->strategy, q->strategy->name) == 0);
        const bool same_base =
            reference->base_devices == 0 || reference->base_devices == least->devices;
        if (mine && same_base &&
            !dts_result_refer(result, reference->metric, reference->value, reference->source))
            fprintf(
                stderr,
                "dtsim: note: %s: references[%d].metric: not compared: the answer of %s has "
                "no %s\n",
                dts_doc_name(q->scenario->doc), r, q->strategy->name, reference->metric);
    }
}

/* Which point the row is, where the child did not live to say it. */
static void name_dead(const struct dts_question *question, struct dts_result *result)
{
    const struct dts_error error = result->error;
    if (result->strategy[0] == '\0')
        dts_result_open(question, result);
    result->error = error;
}

/* No point has an answer: then the first reason is what the program says. */
static bool check_any(const struct dts_asked *asked, struct dts_error *err)
{
    for (size_t i = 0; i < asked->question_count; i++)
        if (asked->results[i].error.cause == DTS_NO_ERROR)
            return true;
    const struct dts_error *failure =
        dts_point_pool_failure(asked->results, (int)asked->question_count);
    *err = failure != NULL ? *failure : asked->results[0].error;
    return false;
}

/* One note for each scenario, on all of its points. */
static void tell_of_batches(const struct dts_asked *asked)
{
    for (int r = 0; r < asked->report_count; r++) {
        const struct dts_report *report = &asked->reports[r];
        const struct dts_question *questions =
            asked->questions + (report->points - asked->results);
        struct dts_batch_note note = {0};
        for (int i = 0; i < report->count; i++)
            dts_batch_note_add(&note, questions[i].scenario, &report->points[i]);
        if (report->count > 0)
            dts_batch_note_tell(&note, questions[0].scenario);
    }
}

/* By how much work they are, as far as one can tell: the number of devices. */
static int by_work(const void *a, const void *b, void *asked)
{
    int x = *(const int *)a, y = *(const int *)b;
    const struct dts_question *questions = ((const struct dts_asked *)asked)->questions;
    int first = questions[x].devices, second = questions[y].devices;
    return first != second ? (first < second) - (first > second) : (x > y) - (x < y);
}

static int *largest_first(struct dts_asked *asked)
{
    int *order = dts_alloc(asked->question_count, sizeof(*order));
    for (size_t i = 0; i < asked->question_count; i++)
        order[i] = (int)i;
    qsort_r(order, asked->question_count, sizeof(*order), by_work, asked);
    return order;
}

static bool answer(const struct dts_options *options, struct dts_asked *asked,
                   struct dts_error *err)
{
    int *order = largest_first(asked);
    struct dts_point_pool pool = {.count = (int)asked->question_count,
                                  .order = order,
                                  .jobs = options->jobs,
                                  .work = work,
                                  .known = known,
                                  .done = done,
                                  .self = asked,
                                  .name = name};
    asked->results = dts_alloc(asked->question_count, sizeof(*asked->results));
    if (asked->question_count > 1)
        dts_kept_open(&asked->kept, options->output);
    bool ok = dts_point_pool_run(&pool, asked->results, err);
    free(order);
    if (asked->known > 0)
        fprintf(stderr,
                "dtsim: note: %d of %zu points are from an earlier run that was ended\n",
                asked->known, asked->question_count);
    if (!ok || !check_any(asked, err))
        return false;
    for (size_t i = 0; i < asked->question_count; i++) {
        struct dts_result *result = &asked->results[i];
        name_dead(&asked->questions[i], result);
        if (dts_result_refused(result))
            continue;
        const struct dts_result *least = fewest(asked, i);
        if (has_others(asked, i))
            compare_with_fewest(result, least);
        compare_with_published(&asked->questions[i], result, least);
    }
    struct dts_result *next = asked->results;
    for (int r = 0; r < asked->report_count; r++) {
        asked->reports[r].points = next;
        next += asked->reports[r].count;
    }
    tell_of_batches(asked);
    for (int r = 0; r < asked->report_count; r++)
        dts_inert_tell(&options->changes, &asked->reports[r]);
    return true;
}

static struct dts_drawing drawing_of(const struct dts_options *options)
{
    return (struct dts_drawing){.plot = options->plot,
                                .line = options->line,
                                .trace = options->trace,
                                .links = options->links};
}

static bool print(const struct dts_options *options, const struct dts_asked *asked,
                  struct dts_error *err)
{
    struct dts_output out;
    if (!dts_output_open(&out, options->output, err))
        return false;
    const struct dts_drawing drawing = drawing_of(options);
    if (!dts_format_write(options->format, asked->reports, asked->report_count, &drawing,
                          out.stream, err)) {
        dts_output_discard(&out);
        return false;
    }
    return dts_output_close(&out, err);
}

static bool check_outputs(const struct dts_options *options, const struct dts_asked *asked,
                          struct dts_error *err)
{
    const struct dts_named_output outputs[] = {{"--output", options->output},
                                               {"--trace", options->trace}};
    char *points = dts_kept_path(options->output);
    const struct dts_drawing drawing = drawing_of(options);
    const struct dts_format *format = options->format;
    const bool good =
        (format->ready == NULL || format->ready(asked->report_count, &drawing, err)) &&
        (points == NULL || dts_output_spares(&outputs[1], points, err)) &&
        dts_outputs_check(outputs, 2, asked->scenes, asked->scene_count, err);
    free(points);
    return good;
}

/* A point that was refused is a row with its reason; the exit status tells scripts. */
static bool check_all(const struct dts_asked *asked, struct dts_error *err)
{
    const struct dts_error *failure =
        dts_point_pool_failure(asked->results, (int)asked->question_count);
    *err = failure != NULL ? *failure : *err;
    return failure == NULL;
}

/* Files of the last point that a picture, or a page with all of them, reads, and that nobody
 * asked for. */
static bool add_files(struct dts_options *options, struct dts_scratch **scratch,
                      struct dts_error *err)
{
    const struct dts_plot *plot = options->plot != NULL ? dts_plot_find(options->plot) : NULL;
    const bool all = plot == NULL && options->format->draw != NULL && options->format->whole;
    const bool trace = all || (plot != NULL && plot->timeline);
    const bool links = all || (plot != NULL && plot->links);
    if (!trace && !links)
        return true;
    if (!dts_scratch_open(scratch, "drawing", err))
        return false;
    if (trace && options->trace == NULL) {
        options->trace = dts_scratch_file(*scratch, "timeline.json");
        options->trace_most = DTS_TIMELINE_MOST;
    }
    if (links)
        options->links = dts_scratch_file(*scratch, "links.json");
    return true;
}

static bool predict(const struct dts_options *options, const char *const *words, int count,
                    struct dts_error *err)
{
    struct dts_asked asked = {0};
    const bool ok = dts_asked_open(options, words, count, &asked, err) &&
                    check_outputs(options, &asked, err) && answer(options, &asked, err) &&
                    print(options, &asked, err) && check_all(&asked, err);
    dts_kept_close(&asked.kept, ok);
    dts_asked_free(&asked);
    return ok;
}

bool dts_predict(const struct dts_options *options, struct dts_error *err)
{
    const char *const *words;
    struct dts_options own = *options;
    struct dts_scratch *scratch = NULL;
    int count = dts_command_words(&dts_predict_command, options, &words);
    if (count == 0)
        return dts_fail(err, DTS_BAD_INPUT,
                        "predict: no scenario (see `dtsim list scenarios`)");
    if (!add_files(&own, &scratch, err))
        return false;
    const bool ok = predict(&own, words, count, err);
    if (scratch != NULL)
        dts_scratch_close(scratch);
    return ok;
}

const struct dts_command dts_predict_command = {
    .name = "predict",
    .arguments = "SCENARIO...",
    .summary = "predict step time, scaling and training time (the verb may be left out)",
    .draws = true,
    .run = dts_predict,
};
