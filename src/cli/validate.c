/* validate.c -- `dtsim validate [CLASS|FAMILY...]`: how far predictions are from what was
 * published. */
#include <stdlib.h>
#include <string.h>

#include "answer/validate/score.h"
#include "base/mem.h"
#include "base/os/file.h"
#include "cli/commands.h"
#include "cli/outputs.h"
#include "cli/print/validation.h"

static bool check_options(const struct dts_options *options, struct dts_error *err)
{
    const char *other = options->changes.set_count > 0     ? "--set"
                        : options->changes.sweep_count > 0 ? "--sweep"
                        : options->changes.engine != NULL  ? "--engine"
                        : options->changes.seed != NULL    ? "--seed"
                        : options->trace != NULL           ? "--trace"
                                                           : NULL;
    return other == NULL ||
           dts_fail(err, DTS_BAD_INPUT, "%s: has no effect on `dtsim validate`", other);
}

/* One family alone is shown case by case. */
static bool shows_each(const struct dts_case_set *set)
{
    return set->family_count == 1;
}

static bool answer(const struct dts_options *options, const struct dts_case_set *set,
                   struct dts_error *err)
{
    struct dts_judged *judged = dts_alloc((size_t)set->count, sizeof(*judged));
    struct dts_class_score scores[DTS_SCORES_MOST];
    struct dts_validation all = {
        .set = set, .judged = judged, .scores = scores, .each = shows_each(set)};
    struct dts_output out;
    bool good = dts_validate(set, options->jobs, judged, err) &&
                dts_free_constants(set, judged, &all.constants, err) &&
                dts_output_open(&out, options->output, err);
    if (good) {
        all.score_count = dts_scores(set, judged, scores);
        dts_validation_print(&all, options->format, out.stream);
        good = dts_output_close(&out, err);
    }
    free(judged);
    return good;
}

static bool run(const struct dts_options *options, struct dts_error *err)
{
    const char *const *words;
    const int count = dts_command_words(&dts_validate_command, options, &words);
    const struct dts_named_output output = {"--output", options->output};
    struct dts_case_set set;
    if (!check_options(options, err) || !dts_outputs_check(&output, 1, NULL, 0, err) ||
        !dts_cases_read(words, count, &set, err))
        return false;
    const bool good = answer(options, &set, err);
    dts_cases_free(&set);
    return good;
}

const struct dts_command dts_validate_command = {
    .name = "validate",
    .arguments = "[CLASS|FAMILY...]",
    .summary = "how far predictions are from published measurements, by class and by size",
    .help = "Predicts every published configuration of validation/ and holds it against the "
            "figure.\n"
            "The smallest point of a system levels the compute and is not scored (anchor); "
            "neither\n"
            "are those on which a constant was chosen (calibrated).\n"
            "\n"
            "  CLASS    data_parallel, parameter_server or collective; none: all\n"
            "  FAMILY   a file of validation/, by name or by path; one alone is shown case by "
            "case\n"
            "\n"
            "Example:\n"
            "  dtsim validate data_parallel\n",
    .run = run,
};
