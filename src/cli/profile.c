/* profile.c -- `dtsim profile`: has this machine's kernels measured. It checks what was asked
 * and becomes dtsim-measure, the program that holds the kernels and knows the devices. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json/library.h"
#include "base/mem.h"
#include "base/os/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/names.h"
#include "cli/outputs.h"
#include "device/device_word.h"
#include "train/model/model.h"
#include "train/scenario/scenario_live.h"

enum { MOST_LISTED = 64 };

static const char *const names[] = {
    // what is timed
    "model",
    "batch",
    "threads",
    "optimizer",
    "device",
    "precision",
    // how
    "patience",
    "pace",
    "sweeps",
};

static const char *option(int i)
{
    return i < (int)(sizeof(names) / sizeof(names[0])) ? names[i] : NULL;
}

static bool check_others(const struct dts_options *options, struct dts_error *err)
{
    const char *other = dts_options_of_a_scenario(options);
    return other == NULL || dts_fail(err, DTS_BAD_INPUT,
                                     "profile: takes no %s (see `dtsim help profile`)", other);
}

/* The last answer wins. */
static const char *answer(const struct dts_options *options, const char *name,
                          const char *usual)
{
    for (int i = options->answer_count - 1; i >= 0; i--)
        if (strcmp(options->answers[i].path, name) == 0)
            return options->answers[i].value;
    return usual;
}

/* "a,b" into words; *copy holds them and is the caller's. Refuses empty ones. */
static bool split(const char *name, const char *list, char **copy, char **words, int *count,
                  struct dts_error *err)
{
    *copy = dts_copy(list);
    *count = 0;
    for (char *word = *copy, *comma; word != NULL; word = comma) {
        comma = strchr(word, ',');
        if (comma != NULL)
            *comma++ = '\0';
        if (*word == '\0')
            return dts_fail(err, DTS_BAD_INPUT, "--%s: empty value in \"%s\"", name, list);
        if (*count == MOST_LISTED)
            return dts_fail(err, DTS_BAD_INPUT, "--%s: must have up to %d values, got \"%s\"",
                            name, MOST_LISTED, list);
        words[(*count)++] = word;
    }
    return true;
}

static bool check_number(const char *name, const char *word, long least, long most, long *out,
                         struct dts_error *err)
{
    char *end;
    errno = 0;
    *out = strtol(word, &end, 10);
    if (end == word || *end != '\0' || errno != 0 || *out < least || *out > most)
        return dts_fail(err, DTS_BAD_INPUT,
                        "--%s: must be a whole number from %ld to %ld, got \"%s\"", name, least,
                        most, word);
    return true;
}

static bool check_batches(const char *list, struct dts_error *err)
{
    char *copy, *words[MOST_LISTED];
    int count;
    long last = 0, batch;
    bool good = split("batch", list, &copy, words, &count, err);
    for (int i = 0; good && i < count; i++, last = batch) {
        good = check_number("batch", words[i], 1, 1 << 20, &batch, err);
        if (good && batch <= last)
            good = dts_fail(err, DTS_BAD_INPUT, "--batch: must ascend, got %ld after %ld",
                            batch, last);
    }
    free(copy);
    return good;
}

/* The models' files, behind one another with commas. Each is read, so that mistakes show here.
 */
static bool find_models(const char *list, const char *output, struct dts_text *paths,
                        struct dts_error *err)
{
    const struct dts_named_output named = {"--output", output};
    char *copy, *words[MOST_LISTED];
    int count;
    bool good = split("model", list, &copy, words, &count, err);
    for (int i = 0; good && i < count; i++) {
        struct dts_model model;
        char *path = NULL;
        good = dts_library_find(&path, "models", words[i], NULL, err) &&
               dts_output_spares(&named, path, err) && dts_model_load(&model, path, err);
        if (good) {
            dts_model_free(&model);
            dts_text_add(paths, "%s%s", i > 0 ? "," : "", path);
        }
        free(path);
    }
    free(copy);
    return good;
}

/* Of those that there are. */
static bool is_measured(const char *precision)
{
    const int found = dts_precision_find(precision);
    enum dts_half half;
    return found == DTS_FP32 || found == DTS_TF32 ||
           dts_precision_is_half((enum dts_precision)found, &half);
}

static bool check_answers(const struct dts_options *options, struct dts_error *err)
{
    const char *device = answer(options, "device", "cpu");
    const char *precision = answer(options, "precision", "fp32");
    const char *patience = answer(options, "patience", "60");
    struct dts_device_word read;
    long threads, seconds, microseconds, sweeps;
    if (!dts_device_word_read(&read, "--device", device, dts_live_device_name, err))
        return false;
    if (!dts_known("precision", precision, dts_precision_name, err))
        return false;
    if (!is_measured(precision))
        return dts_fail(err, DTS_UNSUPPORTED,
                        "--precision: this build measures fp32, bf16, fp16 and, on a GPU, "
                        "tf32, not \"%s\"",
                        precision);
    if (answer(options, "model", NULL) == NULL)
        return dts_fail(err, DTS_BAD_INPUT, "profile: --model: missing (`dtsim list models`)");
    return check_number("threads", answer(options, "threads", "1"), 1, 1024, &threads, err) &&
           check_number("patience", patience, 0, 86400, &seconds, err) &&
           check_number("pace", answer(options, "pace", "0"), 0, 1000000, &microseconds, err) &&
           check_number("sweeps", answer(options, "sweeps", "6"), 2, 100, &sweeps, err) &&
           check_batches(answer(options, "batch", "8"), err) &&
           dts_known("optimizer", answer(options, "optimizer", "momentum"), dts_optimizer_name,
                     err);
}

static bool run(const struct dts_options *options, struct dts_error *err)
{
    const char *const *words;
    struct dts_text models = {0};
    char *program = dts_library_program("dtsim-measure");
    bool good = true;
    if (dts_command_words(&dts_profile_command, options, &words) > 0)
        good =
            dts_fail(err, DTS_BAD_INPUT, "profile: takes options only, got \"%s\"", words[0]);
    good = good && check_others(options, err) && check_answers(options, err) &&
           find_models(answer(options, "model", NULL), options->output, &models, err);
    good = good && dts_output_try(options->output, err);
    if (good && access(program, X_OK) != 0)
        good = dts_fail(err, DTS_UNSUPPORTED, "profile: this build has no OpenBLAS");
    if (good) {
        execl(program, "dtsim-measure", "profile", models.chars, answer(options, "batch", "8"),
              answer(options, "threads", "1"), answer(options, "optimizer", "momentum"),
              options->output, answer(options, "precision", "fp32"),
              answer(options, "patience", "60"), answer(options, "device", "cpu"),
              answer(options, "pace", "0"), answer(options, "sweeps", "6"), (char *)NULL);
        good = dts_fail(err, DTS_SYSTEM, "%s: cannot be run: %s", program, strerror(errno));
    }
    dts_text_free(&models);
    free(program);
    return good;
}

const struct dts_command dts_profile_command = {
    .name = "profile",
    .arguments = "--model NAME",
    .summary = "time the kernels of networks on this machine: a device file for scenarios",
    .help = "  --model NAME[,NAME]    networks whose kernels are timed\n"
            "  --batch N[,N]          samples at once, ascending (default: 8); between them a\n"
            "                         prediction interpolates\n"
            "  --device NAME          where they run: cpu, or cuda:N, an NVIDIA GPU of this\n"
            "                         machine; cuda is cuda:0 (default: cpu)\n"
            "  --threads N            of the processor, on cpu (default: 1)\n"
            "  --precision NAME       fp32, bf16 or fp16 (default: fp32): mixed precision, as\n"
            "                         --live trains in it; on a GPU tf32, too\n"
            "  --optimizer NAME       whose update is timed (default: momentum)\n"
            "  --patience S           while the processor has not its usual speed (another\n"
            "                         program, a busy neighbour on its cores) runs wait, all\n"
            "                         in all S seconds (default: 60; 0: never), or do not\n"
            "                         count; on a GPU all count\n"
            "  --pace US              count what runs at this speed, not at the usual one:\n"
            "                         the \"pace_s\" of another profile of this processor,\n"
            "                         in microseconds, so that the two compare\n"
            "  --sweeps N             over all kernels, 2 to 100 (default: 6): fewer are\n"
            "                         quicker, and meet fewer moments of the machine\n"
            "  -o, --output FILE      the profile; a scenario names it as its \"device\"\n",
    .option = option,
    .run = run,
};
