/* check.c -- `dtsim check`: read everything, build every plan, simulate nothing. */
#include <stdlib.h>
#include <string.h>

#include "answer/estimate.h"
#include "answer/notes/batch_note.h"
#include "answer/notes/input_note.h"
#include "answer/notes/measured.h"
#include "answer/notes/references.h"
#include "answer/notes/slot_note.h"
#include "answer/notes/unused.h"
#include "answer/notes/waiting.h"
#include "answer/scene.h"
#include "base/mem.h"
#include "base/os/file.h"
#include "base/text.h"
#include "cli/commands.h"

/* How the points of all scenarios fared: as for a prediction, it is an error when none is good.
 */
struct tally {
    int good;
    struct dts_error first; // the first refusal
};

static void print_point(const struct dts_result *result, FILE *out)
{
    fprintf(out,
            "  %s, %d device%s: %d node%s, batch %d, %.3g GB of memory on a device, engine "
            "%s%s%s\n",
            result->strategy, result->devices, dts_plural(result->devices), result->nodes,
            dts_plural(result->nodes), result->global_batch, result->memory.total_bytes / 1e9,
            result->engine, result->outside[0] != '\0' ? "; outside: " : "", result->outside);
    for (const char *line = result->axes; *line != '\0'; line += strcspn(line, "\n") + 1)
        fprintf(out, "    %.*s\n", (int)strcspn(line, "\n"), line);
    for (int i = 0; i < result->beside_count; i++)
        fprintf(out, "    beside it: %s, %d job%s of %d device%s\n", result->besides[i].name,
                result->besides[i].jobs, dts_plural(result->besides[i].jobs),
                result->besides[i].devices, dts_plural(result->besides[i].devices));
    for (int i = 0; i < result->phase_count; i++)
        fprintf(out, "    phase %d: %.6g steps of batch %d, %.3g GB of memory on a device\n", i,
                result->phases[i].steps, result->phases[i].global_batch,
                result->phases[i].memory_bytes / 1e9);
}

/* A point that is refused is told, and the others are checked. */
static void print_refused(const struct dts_result *result, FILE *out)
{
    fprintf(out, "  %s, %d device%s: refused: %s\n", result->strategy, result->devices,
            dts_plural(result->devices), result->error.text);
}

/* All points of one scene, told on `out` (NULL: only what is refused, on stderr). Returns how
 * many are good. */
static int check_points(const struct dts_scene *scene, FILE *out, struct tally *tally)
{
    const struct dts_scenario *scenario = &scene->scenario;
    struct dts_result *result = dts_alloc(1, sizeof(*result));
    char basis[sizeof(result->basis)] = "";
    struct dts_batch_note note = {0};
    int good = 0;
    for (int s = 0; s < scenario->strategy_count; s++)
        for (size_t d = 0; d < scenario->device_count; d++) {
            struct dts_question question = dts_question_of(scene, s, scenario->devices[d]);
            question.check = true;
            struct dts_waiting *waiting = dts_waiting_begin("checking", 0);
            dts_estimate(&question, result);
            dts_waiting_end(waiting);
            if (dts_result_refused(result)) {
                print_refused(result, out != NULL ? out : stderr);
                if (tally->first.cause == DTS_NO_ERROR)
                    tally->first = result->error;
                continue;
            }
            good++;
            memcpy(basis, result->basis, sizeof(basis));
            dts_batch_note_add(&note, scenario, result);
            if (out != NULL)
                print_point(result, out);
        }
    dts_batch_note_tell(&note, scenario);
    if (good > 0 && out != NULL)
        fprintf(out, "  seconds rest on: %s\n", basis);
    free(result);
    tally->good += good;
    return good;
}

static void print_nodes(const struct dts_scene *scene, FILE *out)
{
    const struct dts_platform *platform = &scene->platform;
    const int each = platform->devices_per_node;
    fprintf(out, "  platform %s: ", platform->name);
    if (platform->kind_count == 0)
        fprintf(out, "%d node%s of %d %s", platform->nodes, dts_plural(platform->nodes), each,
                scene->device.name);
    for (int k = 0; k < platform->kind_count; k++)
        fprintf(out, "%s%d node%s of %d %s", k > 0 ? ", " : "", platform->kinds[k].nodes,
                dts_plural(platform->kinds[k].nodes), each, scene->kinds[k].name);
    fputc('\n', out);
}

static void print_summary(const struct dts_scene *scene, FILE *out)
{
    const struct dts_scenario *scenario = &scene->scenario;
    fprintf(out, "%s%s%s\n", scenario->name, scenario->summary != NULL ? ": " : "",
            scenario->summary != NULL ? scenario->summary : "");
    fprintf(out, "  model %s: %d layers, %.0f parameters, %.4g GFLOP forward per %s\n",
            scenario->model.name, scenario->model.layer_count, scenario->model.parameters,
            scenario->model.forward_flops / 1e9, scenario->model.sample);
    print_nodes(scene, out);
    fprintf(out, "  stack %s: %s\n", scenario->stack.name, scenario->stack.summary);
}

/* One scenario and one combination of the sweeps. */
static bool check_one(const struct dts_options *options, const char *word, int k, FILE *out,
                      struct tally *tally, struct dts_error *err)
{
    struct dts_scene scene;
    bool text = strcmp(options->format->name, "text") == 0;
    struct dts_waiting *waiting = dts_waiting_begin("reading", 0);
    bool opened = dts_scene_open(&options->changes, word, k, &scene, err);
    dts_waiting_end(waiting);
    if (!opened)
        return false;
    if (text) {
        print_summary(&scene, out);
        if (scene.setting[0] != '\0')
            fprintf(out, "  with %s\n", scene.setting);
    }
    dts_unused_tell(word, &scene.unused);
    dts_references_tell(&options->changes, &scene, 1);
    dts_measured_tell(&scene.scenario);
    dts_slot_note_tell(&scene, 1);
    dts_input_note_tell(&options->changes, &scene, 1);
    bool any = check_points(&scene, text ? out : NULL, tally) > 0;
    if (any && text)
        fprintf(out, "\nWith all defaults:\n");
    if (any)
        dts_doc_print(scene.scenario.doc, out);
    dts_scene_close(&scene);
    return true;
}

static bool run(const struct dts_options *options, struct dts_error *err)
{
    const char *const *words;
    int count = dts_command_words(&dts_check_command, options, &words);
    struct dts_output out;
    struct tally tally = {0};
    if (count == 0)
        return dts_fail(err, DTS_BAD_INPUT, "check: needs a scenario (see `dtsim help check`)");
    if (!dts_output_open(&out, options->output, err))
        return false;
    bool good = true;
    for (int i = 0; i < count && good; i++)
        for (int k = 0; k < dts_changes_combinations(&options->changes) && good; k++)
            good = check_one(options, words[i], k, out.stream, &tally, err);
    if (good && tally.good == 0) {
        *err = tally.first;
        good = false;
    }
    if (good)
        return dts_output_close(&out, err);
    dts_output_discard(&out);
    return false;
}

const struct dts_command dts_check_command = {
    .name = "check",
    .arguments = "SCENARIO...",
    .summary = "read everything, build every plan, simulate nothing",
    .help = "Prints what the scenario is made of, and the scenario with all defaults filled\n"
            "in; with --format json only that. --set and --sweep work as for a prediction. A\n"
            "point that would be refused says why; it is an error (exit status 2) when all\n"
            "are.\n",
    .run = run,
};
