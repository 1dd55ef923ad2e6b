/* asked.c -- words of the command line into scenes, and those into questions. */
#include "cli/asked.h"

#include <stdlib.h>

#include "answer/notes/input_note.h"
#include "answer/notes/measured.h"
#include "answer/notes/references.h"
#include "answer/notes/slot_note.h"
#include "answer/notes/waiting.h"
#include "base/mem.h"

enum { MOST_POINTS = 100000 };

static void ask(struct dts_asked *asked, const struct dts_scene *scene,
                const struct dts_known_set *set, const struct dts_options *options)
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
            question->trace = options->trace;
            question->trace_most = options->trace_most;
            question->links = options->links;
            question->known = known;
            question->known_count = known_count;
        }
    }
}

/* Which words are lists of cases, and room for all scenes: questions borrow from them. */
static bool open_lists(const char *const *words, int count, int combinations,
                       struct dts_asked *asked, struct dts_error *err)
{
    size_t scenes = 0;
    asked->listed = dts_alloc((size_t)count, sizeof(*asked->listed));
    for (int w = 0; w < count; w++) {
        if (!dts_listed_open(words[w], &asked->listed[w], err))
            return false;
        asked->listed_count++;
        const int cases = asked->listed[w].set.count;
        scenes += (size_t)(cases > 0 ? cases : 1) * (size_t)combinations;
    }
    asked->scenes = dts_alloc(scenes, sizeof(*asked->scenes));
    asked->measured = dts_alloc(scenes, sizeof(*asked->measured));
    asked->reports = dts_alloc((size_t)count, sizeof(*asked->reports));
    return true;
}

/* One scene of a word: its only one, or a case, with combination k. */
static bool open_scene(const struct dts_options *options, const char *word,
                       const struct dts_listed *listed, int i, int k, struct dts_asked *asked,
                       struct dts_error *err)
{
    const struct dts_changes *changes = &options->changes;
    struct dts_scene *scene = &asked->scenes[asked->scene_count];
    struct dts_known_set *measured = &asked->measured[asked->scene_count];
    const bool ordinary = listed->set.count == 0;
    if (!(ordinary ? dts_scene_open(changes, word, k, scene, err)
                   : dts_listed_scene(listed, i, changes, k, scene, err)))
        return false;
    asked->scene_count++;
    if (ordinary && !dts_known_open(changes, k, word, scene, measured, err))
        return false;
    ask(asked, scene, measured, options);
    return asked->question_count <= MOST_POINTS ||
           dts_fail(err, DTS_BAD_INPUT, "more than %d points at once", MOST_POINTS);
}

/* What the report says of its scenario, from the last scene of it. */
static struct dts_report report_of(const struct dts_options *options, const char *word,
                                   const struct dts_listed *listed,
                                   const struct dts_scenario *s)
{
    const bool ordinary = listed->set.count == 0;
    return (struct dts_report){.scenario = ordinary ? s->name : listed->name,
                               .summary = ordinary ? s->summary : listed->summary,
                               .file = word,
                               .why = ordinary ? s->why : listed->why,
                               .sample = s->model.sample,
                               .changes = &options->changes,
                               .seed = s->seed,
                               .explain = options->explain,
                               .listed = !ordinary};
}

static bool open_all(const struct dts_options *options, const char *const *words, int count,
                     struct dts_waiting *waiting, struct dts_asked *asked,
                     struct dts_error *err)
{
    const int combinations = dts_changes_combinations(&options->changes);
    if (!open_lists(words, count, combinations, asked, err))
        return false;
    for (int w = 0; w < count; w++) {
        const struct dts_listed *listed = &asked->listed[w];
        const int cases = listed->set.count > 0 ? listed->set.count : 1;
        const size_t before = asked->question_count;
        const int first = asked->scene_count;
        uint64_t hash = 0;
        for (int i = 0; i < combinations * cases; i++) {
            if (!open_scene(options, words[w], listed, i % cases, i / cases, asked, err))
                return false;
            hash = hash * 31 + asked->scenes[asked->scene_count - 1].hash;
            dts_waiting_more(waiting);
        }
        dts_references_tell(&options->changes, asked->scenes + first,
                            asked->scene_count - first);
        dts_measured_tell(&asked->scenes[first].scenario);
        struct dts_report *report = &asked->reports[asked->report_count++];
        *report = report_of(options, words[w], listed,
                            &asked->scenes[asked->scene_count - 1].scenario);
        report->hash = hash;
        report->count = (int)(asked->question_count - before);
    }
    // Only the last point writes the timeline and the loads of links: one file holds one.
    for (size_t q = 0; q + 1 < asked->question_count; q++)
        asked->questions[q].trace = asked->questions[q].links = NULL;
    return true;
}

/* A platform of thousands of hosts takes long to read, as do thousands of combinations. */
bool dts_asked_open(const struct dts_options *options, const char *const *words, int count,
                    struct dts_asked *asked, struct dts_error *err)
{
    struct dts_waiting *waiting = dts_waiting_begin(
        "reading", (double)count * dts_changes_combinations(&options->changes));
    bool ok = open_all(options, words, count, waiting, asked, err);
    dts_waiting_end(waiting);
    dts_slot_note_tell(asked->scenes, asked->scene_count);
    dts_input_note_tell(&options->changes, asked->scenes, asked->scene_count);
    return ok;
}

void dts_asked_free(struct dts_asked *asked)
{
    for (int s = 0; s < asked->scene_count; s++) {
        dts_known_close(&asked->measured[s]);
        dts_scene_close(&asked->scenes[s]);
    }
    for (int w = 0; w < asked->listed_count; w++)
        dts_listed_close(&asked->listed[w]);
    for (size_t i = 0; i < asked->known_lists; i++)
        free(asked->known_points[i]);
    free(asked->known_points);
    free(asked->listed);
    free(asked->measured);
    free(asked->keys);
    free(asked->scenes);
    free(asked->questions);
    free(asked->results);
    free(asked->reports);
    *asked = (struct dts_asked){0};
}
