/* compare.c -- `dtsim compare A.json B.json`: what changed from one answer to another. */
#include <string.h>

#include "answer/compare/compare.h"
#include "base/os/file.h"
#include "cli/commands.h"
#include "cli/outputs.h"
#include "cli/print/differences.h"

/* Options of scenarios have no effect: both files are answers already. */
static bool check(const struct dts_options *options, int count, struct dts_error *err)
{
    struct dts_options rest = *options;
    const char *format = options->format->name;
    rest.format_given = false;
    const char *other = dts_options_of_a_scenario(&rest);
    if (count != 2)
        return dts_fail(err, DTS_BAD_INPUT,
                        "compare: must have two results, A.json and B.json, got %d (see `dtsim "
                        "help compare`)",
                        count);
    if (other != NULL)
        return dts_fail(err, DTS_BAD_INPUT, "%s: has no effect on `dtsim compare`", other);
    return strcmp(format, "text") == 0 || strcmp(format, "json") == 0 ||
           dts_fail(err, DTS_BAD_INPUT,
                    "--format: of `dtsim compare` must be text or json, got %s", format);
}

static bool print(const struct dts_compare *compare, const struct dts_options *options,
                  const char *const *words, struct dts_error *err)
{
    struct dts_output out;
    if (!dts_output_open(&out, options->output, err))
        return false;
    if (strcmp(options->format->name, "json") == 0)
        dts_differences_json(compare, words[0], words[1], out.stream);
    else
        dts_differences_text(compare, words[0], words[1], out.stream);
    return dts_output_close(&out, err);
}

static bool run(const struct dts_options *options, struct dts_error *err)
{
    const char *const *words;
    const int count = dts_command_words(&dts_compare_command, options, &words);
    const struct dts_named_output output = {"--output", options->output};
    struct dts_compare compare;
    if (!check(options, count, err) || !dts_output_spares(&output, words[0], err) ||
        !dts_output_spares(&output, words[1], err) ||
        !dts_compare_open(&compare, words[0], words[1], err))
        return false;
    const bool good = print(&compare, options, words, err);
    dts_compare_free(&compare);
    return good;
}

const struct dts_command dts_compare_command = {
    .name = "compare",
    .arguments = "A.json B.json",
    .summary = "what changed from one answer to another: steps, throughput, memory",
    .help = "Both files are results, as `dtsim SCENARIO -o FILE.json` writes them. Points\n"
            "with the same strategy, setting and number of devices are compared; what else\n"
            "was asked differently is listed. Percentages are 100 (b - a) / a.\n"
            "With --format json an object, schema \"dtsim-compare/1\".\n"
            "\n"
            "Example:\n"
            "  dtsim imagenet_1h -o a.json\n"
            "  dtsim imagenet_1h --set platform.nics.bytes_per_s=12.5e9 -o b.json\n"
            "  dtsim compare a.json b.json\n",
    .run = run,
};
