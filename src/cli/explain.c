/* explain.c -- `dtsim explain SCENARIO --measured VALUE`: which single value, other than that
 * in the files, explains what was measured? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/inverse/inverse.h"
#include "answer/known.h"
#include "answer/notes/input_note.h"
#include "answer/notes/slot_note.h"
#include "base/mem.h"
#include "base/os/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/names.h"
#include "cli/outputs.h"
#include "cli/print/explanations.h"

static const char *const own[] = {"measured", "metric", "strategy", "devices", NULL};

static const char *option(int i)
{
    return own[i];
}

/* What an option of the command was given, the last time; NULL: nothing. */
static const char *given(const struct dts_options *options, const char *name)
{
    for (int i = options->answer_count - 1; i >= 0; i--)
        if (strcmp(options->answers[i].path, name) == 0)
            return options->answers[i].value;
    return NULL;
}

static const char *const metrics[] = {"throughput_samples_per_s", "step_s", NULL};

static const char *metric_name(int i)
{
    return metrics[i];
}

/* What may stand behind the number, for the time of a step. */
static const struct {
    const char *name;
    double scale;
} units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}};

/* "samples/s", "images/s" */
static bool is_throughput(const char *unit)
{
    size_t letters = strspn(unit, "abcdefghijklmnopqrstuvwxyz");
    return letters > 0 && strcmp(unit + letters, "/s") == 0;
}

static bool read_unit(const char *unit, const char *metric, struct dts_explanations *all)
{
    bool known = is_throughput(unit), step = false;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]) && !known; i++)
        if (strcmp(unit, units[i].name) == 0) {
            all->measured *= units[i].scale;
            known = step = true;
        }
    const bool fits = known && (metric == NULL || all->step == step);
    all->step = step;
    return fits;
}

static const double least = 1e-12, most = 1e15; // seconds, or samples a second

/* "547", "547 images/s", "936ms": what was measured, of one step or in samples a second. */
static bool read_measured(const struct dts_options *options, struct dts_explanations *all,
                          struct dts_error *err)
{
    const char *word = given(options, "measured"), *metric = given(options, "metric");
    char *unit;
    if (metric != NULL && !dts_known("metric", metric, metric_name, err))
        return false;
    all->step = metric != NULL && strcmp(metric, "step_s") == 0;
    all->measured = strtod(word, &unit);
    bool good = unit != word && strspn(word, "0123456789.+eE-") >= (size_t)(unit - word);
    unit += strspn(unit, " ");
    good = good && (*unit == '\0' || read_unit(unit, metric, all)) && all->measured >= least &&
           all->measured <= most;
    return good || dts_fail(err, DTS_BAD_INPUT,
                            "--measured: must be a number from %g to %g, with %s behind it or "
                            "nothing, got \"%.60s\"",
                            least, most,
                            metric == NULL                  ? "s, ms, us or samples/s"
                            : strcmp(metric, "step_s") == 0 ? "s, ms or us"
                                                            : "samples/s",
                            word);
}

static bool check_options(const struct dts_options *options, int words, struct dts_error *err)
{
    if (words != 1)
        return dts_fail(err, DTS_BAD_INPUT,
                        "explain: must have one scenario, got %d (see `dtsim help explain`)",
                        words);
    if (given(options, "measured") == NULL)
        return dts_fail(err, DTS_BAD_INPUT,
                        "explain: must have --measured VALUE (see `dtsim help explain`)");
    const char *other = options->changes.sweep_count > 0 ? "--sweep"
                        : options->trace != NULL         ? "--trace"
                                                         : NULL;
    return other == NULL ||
           dts_fail(err, DTS_BAD_INPUT, "%s: has no effect on `dtsim explain`", other);
}

static bool find_strategy(const struct dts_scenario *scenario, const char *name, int *row,
                          struct dts_error *err)
{
    const char **names = dts_alloc((size_t)scenario->strategy_count + 1, sizeof(*names));
    bool found = false;
    for (int i = scenario->strategy_count - 1; i >= 0; i--) {
        names[i] = scenario->strategies[i].name;
        if (strcmp(name, names[i]) == 0) {
            *row = i;
            found = true;
        }
    }
    if (!found)
        dts_unknown("strategy", name, names, err);
    free(names);
    return found;
}

/* One measurement is one point: where the scenario has several, the person says which. */
static bool choose_point(const struct dts_options *options, const struct dts_scene *scene,
                         struct dts_inverse *inverse, struct dts_error *err)
{
    const struct dts_scenario *scenario = &scene->scenario;
    const char *strategy = given(options, "strategy");
    const bool strategies = strategy == NULL && scenario->strategy_count > 1;
    const bool devices = scenario->device_count > 1;
    if (strategies || devices)
        return dts_fail(
            err, DTS_BAD_INPUT,
            "explain: %s has %d strateg%s and %zu number%s of devices: say which was "
            "measured with%s%s%s",
            inverse->word, scenario->strategy_count,
            scenario->strategy_count == 1 ? "y" : "ies", scenario->device_count,
            dts_plural((long)scenario->device_count), strategies ? " --strategy NAME" : "",
            strategies && devices ? " and" : "", devices ? " --devices N" : "");
    inverse->devices = scenario->devices[0];
    return strategy == NULL || find_strategy(scenario, strategy, &inverse->strategy, err);
}

static bool answer(const struct dts_inverse *inverse, struct dts_explanations *all,
                   const struct dts_options *options, struct dts_error *err)
{
    struct dts_result *predicted = dts_alloc(1, sizeof(*predicted));
    struct dts_explained rows[DTS_SUSPECTS_MOST];
    struct dts_output out;
    all->scene = inverse->scene;
    all->predicted = predicted;
    all->rows = rows;
    bool ok = dts_inverse_predict(inverse, predicted, err);
    if (ok && !all->step && isnan(predicted->throughput_samples_per_s))
        ok = dts_fail(err, DTS_BAD_INPUT,
                      "explain: %s has no throughput: measured must be a time, such as "
                      "--measured \"12 ms\"",
                      inverse->word);
    const double step_s = all->step ? all->measured : predicted->global_batch / all->measured;
    ok = ok && dts_inverse_solve(inverse, predicted, step_s, rows, &all->count, err) &&
         dts_output_open(&out, options->output, err);
    if (ok) {
        dts_explanations_print(all, options->format, out.stream);
        ok = dts_output_close(&out, err);
    }
    free(predicted);
    return ok;
}

/* With what levels the prediction: measurements of the scenario, or an anchor of several
 * devices.
 */
static bool answer_levelled(struct dts_inverse *inverse, struct dts_explanations *all,
                            const struct dts_options *options, struct dts_error *err)
{
    struct dts_known_set set;
    const struct dts_scenario *scenario = &inverse->scene->scenario;
    if (!dts_known_open(inverse->changes, 0, inverse->word, inverse->scene, &set, err))
        return false;
    struct dts_known *known = dts_alloc((size_t)set.count + 1, sizeof(*known));
    inverse->known = known;
    inverse->known_count =
        dts_known_of(&set, scenario, scenario->strategies[inverse->strategy].name, known);
    const bool ok = answer(inverse, all, options, err);
    free(known);
    dts_known_close(&set);
    return ok;
}

static bool run(const struct dts_options *options, struct dts_error *err)
{
    const char *const *words;
    const int count = dts_command_words(&dts_explain_command, options, &words);
    struct dts_explanations all = {0};
    struct dts_scene scene;
    if (!check_options(options, count, err) || !read_measured(options, &all, err))
        return false;
    const bool quick = options->changes.engine == NULL; // a few dozen predictions
    struct dts_changes changes = {
        .engine = quick ? "auto" : options->changes.engine,
        .seed = options->changes.seed,
    };
    for (int i = 0; i < options->changes.set_count; i++)
        dts_changes_add_set(&changes, options->changes.sets[i].path,
                            strlen(options->changes.sets[i].path),
                            options->changes.sets[i].value);
    if (given(options, "devices") != NULL)
        dts_changes_add_set(&changes, "devices", strlen("devices"), given(options, "devices"));
    struct dts_inverse inverse = {.changes = &changes,
                                  .word = words[0],
                                  .scene = &scene,
                                  .jobs = options->jobs,
                                  .quick = quick};
    const struct dts_named_output output = {"--output", options->output};
    bool ok = dts_scene_open(&changes, words[0], 0, &scene, err);
    if (ok) {
        dts_slot_note_tell(&scene, 1);
        dts_input_note_tell(&options->changes, &scene, 1);
        ok = choose_point(options, &scene, &inverse, err) &&
             dts_outputs_check(&output, 1, &scene, 1, err) &&
             answer_levelled(&inverse, &all, options, err);
        dts_scene_close(&scene);
    }
    dts_changes_free(&changes);
    return ok;
}

const struct dts_command dts_explain_command = {
    .name = "explain",
    .arguments = "SCENARIO",
    .summary = "which single value explains what you measured: rate, flow, overlap, kernels",
    .help = "Changes one value at a time until the prediction is what was measured: the rate\n"
            "of a NIC, what one flow of the transport carries, how much communication hides,\n"
            "the speed of the kernels. A value that cannot explain it alone says how near it\n"
            "comes.\n"
            "\n"
            "  --measured VALUE   samples a second; a step: \"936 ms\"\n"
            "  --metric NAME      of a bare number: throughput_samples_per_s or step_s\n"
            "  --strategy NAME    where the scenario has several\n"
            "  --devices N        where it has several, or another number was measured\n"
            "\n"
            "--set works as for a prediction. The engine is fluid, or flow where only that\n"
            "knows the job, unless --engine says another.\n"
            "\n"
            "Example:\n"
            "  dtsim explain h2581.json --devices 16 --measured 547\n",
    .option = option,
    .run = run,
};
