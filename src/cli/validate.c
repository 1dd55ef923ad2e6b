/* validate.c -- `dtsim validate [CLASS|FAMILY...]`: how far predictions are from what was
 * published. */
#include <stdlib.h>
#include <string.h>

#include "answer/validate/folds.h"
#include "base/mem.h"
#include "base/os/file.h"
#include "cli/commands.h"
#include "cli/outputs.h"
#include "cli/picture/picture.h"
#include "cli/picture/scatter.h"
#include "cli/print/validation.h"
#include "cli/validate_convergence.h"

static const char *option(int i)
{
    static const char *const own[] = {"folds", "cases", NULL};
    return own[i];
}

static bool check_options(const struct dts_options *options, struct dts_error *err)
{
    const char *other = options->changes.set_count > 0     ? "--set"
                        : options->changes.sweep_count > 0 ? "--sweep"
                        : options->changes.engine != NULL  ? "--engine"
                        : options->changes.seed != NULL    ? "--seed"
                        : options->trace != NULL           ? "--trace"
                        : options->plot != NULL            ? "--plot"
                                                           : NULL;
    if (other != NULL)
        return dts_fail(err, DTS_BAD_INPUT, "%s: has no effect on `dtsim validate`", other);
    if (options->format == dts_format_find("html"))
        return dts_fail(
            err, DTS_BAD_INPUT,
            "--format: of `dtsim validate` must be text, json, csv or a picture, got "
            "html");
    return options->format->draw == NULL || options->format->ready(1, NULL, err);
}

/* One family alone is shown case by case. */
static bool shows_each(const struct dts_case_set *set)
{
    return set->family_count == 1;
}

/* What an option of the command was given, the last time; NULL: nothing. */
static const char *given(const struct dts_options *options, const char *name)
{
    for (int i = options->answer_count - 1; i >= 0; i--)
        if (strcmp(options->answers[i].path, name) == 0)
            return options->answers[i].value;
    return NULL;
}

static bool check_folds(const struct dts_options *options, struct dts_error *err)
{
    const char *folds = given(options, "folds");
    return folds == NULL || strcmp(folds, "yes") == 0 ||
           dts_fail(err, DTS_BAD_INPUT, "--folds: must be yes, got \"%.40s\"", folds);
}

/* Batches that are left out are no cases of a family, and have no picture. */
static bool check_alone(const struct dts_options *options, struct dts_error *err)
{
    const char *other = given(options, "folds") != NULL   ? "--folds"
                        : given(options, "cases") != NULL ? "--cases"
                                                          : NULL;
    if (other != NULL)
        return dts_fail(err, DTS_BAD_INPUT, "%s: has no effect on `dtsim validate convergence`",
                        other);
    return options->format->draw == NULL ||
           dts_fail(err, DTS_BAD_INPUT,
                    "--format: of `dtsim validate convergence` must be text, json or csv, got "
                    "%s",
                    options->format->name);
}

static bool draw(const struct dts_validation *all, const struct dts_format *format, FILE *out,
                 struct dts_error *err)
{
    struct dts_draw picture = {0};
    if (dts_scatter_count(all) == 0)
        return dts_fail(err, DTS_BAD_INPUT,
                        "a picture has a point for each predicted case, and these are anchors "
                        "or calibrated");
    dts_scatter(all, &picture);
    const bool good = dts_picture_write(
        &picture, format, "validate", "dtsim validate: predicted against published", out, err);
    dts_draw_free(&picture);
    return good;
}

/* The answer in a format, into a file; NULL: standard output. */
static bool print(const struct dts_validation *all, const struct dts_format *format,
                  const char *path, struct dts_error *err)
{
    struct dts_output out;
    if (!dts_output_open(&out, path, err))
        return false;
    if (format->draw == NULL)
        dts_validation_print(all, format, out.stream);
    else if (!draw(all, format, out.stream, err)) {
        dts_output_discard(&out);
        return false;
    }
    return dts_output_close(&out, err);
}

static bool predict(const struct dts_options *options, struct dts_validation *all,
                    struct dts_judged *judged, struct dts_folds *folds, struct dts_error *err)
{
    struct dts_constant *constants;
    if (!dts_validate(all->set, options->jobs, judged, err) ||
        !dts_constants_find(all->set, judged, &constants, &all->constants, err))
        return false;
    const int in_files = all->constants;
    all->constants += dts_constants_elsewhere(all->set, constants, in_files);
    dts_constants_free(constants, in_files);
    all->folds = given(options, "folds") != NULL ? folds : NULL;
    return all->folds == NULL || dts_folds_find(all->set, judged, options->jobs, folds, err);
}

static bool answer(const struct dts_options *options, const struct dts_case_set *set,
                   struct dts_error *err)
{
    struct dts_judged *judged = dts_alloc((size_t)set->count, sizeof(*judged));
    struct dts_class_score scores[DTS_SCORES_MOST];
    struct dts_folds folds = {0};
    struct dts_validation all = {
        .set = set, .judged = judged, .scores = scores, .each = shows_each(set)};
    const char *cases = given(options, "cases");
    bool good = predict(options, &all, judged, &folds, err);
    if (good) {
        all.score_count = dts_scores(set, judged, scores);
        good = print(&all, options->format, options->output, err) &&
               (cases == NULL || print(&all, dts_format_find("csv"), cases, err));
    }
    dts_folds_free(&folds);
    free(judged);
    return good;
}

static bool run(const struct dts_options *options, struct dts_error *err)
{
    const char *const *words;
    const int count = dts_command_words(&dts_validate_command, options, &words);
    const struct dts_named_output outputs[] = {{"--output", options->output},
                                               {"--cases", given(options, "cases")}};
    struct dts_case_set set;
    if (!check_options(options, err) || !check_folds(options, err) ||
        !dts_outputs_check(outputs, 2, NULL, 0, err))
        return false;
    if (count > 0 && strcmp(words[0], "convergence") == 0)
        return check_alone(options, err) &&
               dts_validate_convergence(words + 1, count - 1, options->format, options->output,
                                        err);
    if (!dts_cases_read(words, count, &set, err))
        return false;
    const bool good = answer(options, &set, err);
    dts_cases_free(&set);
    return good;
}

const struct dts_command dts_validate_command = {
    .name = "validate",
    .arguments = "[CLASS|FAMILY...]",
    .summary = "how far predictions are from published measurements, by class and by size",
    .help = "Predicts every published configuration of validation/ and holds it against the\n"
            "figure. The smallest point of a system levels the compute and is not scored\n"
            "(anchor); neither are those on which a constant was chosen (calibrated).\n"
            "\n"
            "  CLASS         data_parallel, parameter_server, collective, fsdp, memory,\n"
            "                nanotron, 3d, records, time_to_train, pipeline or moe; none: all\n"
            "  convergence   instead: each batch of the profiles of convergence/ predicted\n"
            "                from the others; a PROFILE alone is shown batch by batch\n"
            "  FAMILY        a file of validation/, by name or by path; one alone is shown\n"
            "                case by case\n"
            "  --folds yes   also choose the calibrated constants anew on each half of the\n"
            "                systems, and score the other half with them (minutes)\n"
            "  --cases FILE  also write a row for each case into a file, as --format csv does\n"
            "\n"
            "A picture (--output FILE.svg, .png, .pdf, .gp) has a point for each predicted\n"
            "case: what was published across, what the anchor predicts upwards.\n"
            "\n"
            "Example:\n"
            "  dtsim validate data_parallel\n",
    .draws = true,
    .word = dts_case_class_name,
    .option = option,
    .run = run,
};
