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
#include "answer/notes/input_note.h"
#include "answer/notes/references.h"
#include "answer/notes/slot_note.h"
#include "answer/notes/waiting.h"
#include "answer/point_pool.h"
#include "answer/scene.h"
#include "base/mem.h"
#include "base/os/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/outputs.h"
#include "cli/print/text_notes.h"

enum { MOST_POINTS = 100000 };

/* All that was asked. */
struct asked {
    struct dts_scene *scenes;
    int scene_count;
    struct dts_known_set *measured;  // of each scene
    struct dts_known **known_points; // lists that questions borrow
    size_t known_lists, known_room;
    struct dts_question *questions;
    size_t question_count, room, key_room;
    uint64_t *keys; // of each question (answer/kept.h)
    struct dts_kept kept;
    int known; // points of an earlier run
    struct dts_result *results;
    struct dts_report *reports; // one for each scenario on the command line
    int report_count;
};

static void ask(struct asked *asked, const struct dts_scene *scene,
                const struct dts_known_set *set, const char *trace)
{
    const struct dts_scenario *s = &scene->scenario;
    for (int i = 0; i < s->strategy_count; i++) {
        struct dts_known *known = dts_alloc((size_t)set->count + 1, sizeof(*known));
        const int known_count = dts_known_of(set, s, s->strategies[i].name, known);
        asked->known_points = dts_grow(asked->known_points, &asked->known_room,
                                       asked->known_lists + 1, sizeof(*asked->known_points));
        asked->known_points[asked->known_lists++] = known;
        for (size_t d = 0; d < s->device_count; d++) {
            asked->keys = dts_grow(asked->keys, &asked->key_room, asked->question_count + 1,
                                   sizeof(*asked->keys));
            asked->keys[asked->question_count] =
                dts_kept_key(scene->hash, s->strategies[i].name, i, s->devices[d]);
            asked->questions = dts_grow(asked->questions, &asked->room,
                                        asked->question_count + 1, sizeof(*asked->questions));
            struct dts_question *question = &asked->questions[asked->question_count++];
            *question = dts_question_of(scene, i, s->devices[d]);
            question->trace = trace;
            question->known = known;
            question->known_count = known_count;
        }
    }
}

static bool open_all(const struct dts_options *options, const char *const *words, int count,
                     struct dts_waiting *waiting, struct asked *asked, struct dts_error *err)
{
    int combinations = dts_changes_combinations(&options->changes);
    asked->scenes = dts_alloc((size_t)count * (size_t)combinations, sizeof(*asked->scenes));
    asked->measured = dts_alloc((size_t)count * (size_t)combinations, sizeof(*asked->measured));
    asked->reports = dts_alloc((size_t)count, sizeof(*asked->reports));
    for (int w = 0; w < count; w++) {
        struct dts_report *report = &asked->reports[asked->report_count++];
        int before = (int)asked->question_count;
        uint64_t hash = 0;
        for (int k = 0; k < combinations; k++) {
            struct dts_scene *scene = &asked->scenes[asked->scene_count];
            if (!dts_scene_open(&options->changes, words[w], k, scene, err))
                return false;
            struct dts_known_set *measured = &asked->measured[asked->scene_count++];
            hash = hash * 31 + scene->hash;
            if (!dts_known_open(&options->changes, k, words[w], scene, measured, err))
                return false;
            ask(asked, scene, measured, options->trace);
            if (asked->question_count > MOST_POINTS)
                return dts_fail(err, DTS_BAD_INPUT, "more than %d points at once", MOST_POINTS);
            dts_waiting_more(waiting);
        }
        dts_references_tell(&options->changes,
                            asked->scenes + asked->scene_count - combinations, combinations);
        const struct dts_scenario *s = &asked->scenes[asked->scene_count - 1].scenario;
        *report = (struct dts_report){.scenario = s->name,
                                      .summary = s->summary,
                                      .file = words[w],
                                      .why = s->why,
                                      .sample = s->model.sample,
                                      .changes = &options->changes,
                                      .seed = s->seed,
                                      .hash = hash,
                                      .count = (int)asked->question_count - before};
    }
    // Only the last point writes the timeline: one file holds one.
    for (size_t q = 0; q + 1 < asked->question_count; q++)
        asked->questions[q].trace = NULL;
    return true;
}

/* A platform of thousands of hosts takes long to read, as do thousands of combinations. */
static bool read_all(const struct dts_options *options, const char *const *words, int count,
                     struct asked *asked, struct dts_error *err)
{
    struct dts_waiting *waiting = dts_waiting_begin(
        "reading", (double)count * dts_changes_combinations(&options->changes));
    bool ok = open_all(options, words, count, waiting, asked, err);
    dts_waiting_end(waiting);
    dts_slot_note_tell(asked->scenes, asked->scene_count);
    dts_input_note_tell(&options->changes, asked->scenes, asked->scene_count);
    return ok;
}

static void work(void *self, int i, struct dts_progress *progress, struct dts_result *result)
{
    struct dts_question question = ((const struct asked *)self)->questions[i];
    question.progress = progress;
    dts_estimate_levelled(&question, result);
}

static bool known(void *self, int i, struct dts_result *result)
{
    struct asked *asked = self;
    const struct dts_result *kept =
        asked->questions[i].trace == NULL ? dts_kept_find(&asked->kept, asked->keys[i]) : NULL;
    if (kept == NULL)
        return false;
    *result = *kept;
    snprintf(result->setting, sizeof(result->setting), "%s", asked->questions[i].setting);
    asked->known++;
    return true;
}

static void done(void *self, int i, const struct dts_result *result)
{
    struct asked *asked = self;
    dts_kept_add(&asked->kept, asked->keys[i], result);
}

static void name(const void *self, int i, char *text, size_t room)
{
    const struct dts_question *q = &((const struct asked *)self)->questions[i];
    char setting[256];
    snprintf(text, room, "%s %s, %d device%s%s%s", q->scenario->name, q->strategy->name,
             q->devices, dts_plural(q->devices), q->setting[0] != '\0' ? ", " : "",
             dts_text_setting(q->setting, setting, sizeof(setting)));
}

/* Has the point others of its scene and strategy beside it? Alone it would be compared with
 * itself. */
static bool has_others(const struct asked *asked, size_t i)
{
    for (size_t j = 0; j < asked->question_count; j++)
        if (j != i && asked->questions[j].strategy == asked->questions[i].strategy &&
            asked->results[j].error.cause == DTS_NO_ERROR)
            return true;
    return false;
}

/* The point with the fewest devices of the same scene and strategy that has an answer. */
static const struct dts_result *fewest(const struct asked *asked, size_t i)
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

/* An efficiency was published against fewer devices: a point cannot be held against itself. */
static void compare_with_published(const struct dts_question *q, struct dts_result *result,
                                   const struct dts_result *least)
{
    for (int r = 0; r < q->scenario->reference_count; r++) {
        const struct dts_reference *reference = &q->scenario->references[r];
        bool mine = reference->devices == q->devices &&
                    (reference->strategy == NULL ||
                     strcmp(reference->strategy, q->strategy->name) == 0);
        bool against_itself =
            result == least && strcmp(reference->metric, "scaling_efficiency") == 0;
        if (mine && !against_itself &&
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
static bool check_any(const struct asked *asked, struct dts_error *err)
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
static void tell_of_batches(const struct asked *asked)
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
    const struct dts_question *questions = ((const struct asked *)asked)->questions;
    int first = questions[x].devices, second = questions[y].devices;
    return first != second ? (first < second) - (first > second) : (x > y) - (x < y);
}

static int *largest_first(struct asked *asked)
{
    int *order = dts_alloc(asked->question_count, sizeof(*order));
    for (size_t i = 0; i < asked->question_count; i++)
        order[i] = (int)i;
    qsort_r(order, asked->question_count, sizeof(*order), by_work, asked);
    return order;
}

static bool answer(const struct dts_options *options, struct asked *asked,
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

static bool print(const struct dts_options *options, const struct asked *asked,
                  struct dts_error *err)
{
    struct dts_output out;
    if (!dts_output_open(&out, options->output, err))
        return false;
    options->format->print(asked->reports, asked->report_count, out.stream);
    return dts_output_close(&out, err);
}

static bool check_outputs(const struct dts_options *options, const struct asked *asked,
                          struct dts_error *err)
{
    const struct dts_named_output outputs[] = {{"--output", options->output},
                                               {"--trace", options->trace}};
    char *points = dts_kept_path(options->output);
    const bool good = (points == NULL || dts_output_spares(&outputs[1], points, err)) &&
                      dts_outputs_check(outputs, 2, asked->scenes, asked->scene_count, err);
    free(points);
    return good;
}

/* A point that was refused is a row with its reason; the exit status tells scripts. */
static bool check_all(const struct asked *asked, struct dts_error *err)
{
    const struct dts_error *failure =
        dts_point_pool_failure(asked->results, (int)asked->question_count);
    *err = failure != NULL ? *failure : *err;
    return failure == NULL;
}

bool dts_predict(const struct dts_options *options, struct dts_error *err)
{
    struct asked asked = {0};
    const char *const *words;
    int count = dts_command_words(&dts_predict_command, options, &words);
    if (count == 0)
        return dts_fail(err, DTS_BAD_INPUT,
                        "predict: no scenario (see `dtsim list scenarios`)");

    bool ok = read_all(options, words, count, &asked, err) &&
              check_outputs(options, &asked, err) && answer(options, &asked, err) &&
              print(options, &asked, err) && check_all(&asked, err);

    for (int s = 0; s < asked.scene_count; s++) {
        dts_known_close(&asked.measured[s]);
        dts_scene_close(&asked.scenes[s]);
    }
    for (size_t i = 0; i < asked.known_lists; i++)
        free(asked.known_points[i]);
    free(asked.known_points);
    free(asked.measured);
    dts_kept_close(&asked.kept, ok);
    free(asked.keys);
    free(asked.scenes);
    free(asked.questions);
    free(asked.results);
    free(asked.reports);
    return ok;
}

const struct dts_command dts_predict_command = {
    .name = "predict",
    .arguments = "SCENARIO...",
    .summary = "predict step time, scaling and training time (the verb may be left out)",
    .run = dts_predict,
};
