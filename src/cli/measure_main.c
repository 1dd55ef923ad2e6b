/* measure_main.c -- main() of dtsim-measure, the program that holds the kernels. dtsim starts
 * it:
 *
 *     dtsim-measure here FILE                                      the device `here`
 *     dtsim-measure profile MODELS BATCHES THREADS OPTIMIZER FILE [PRECISION [PATIENCE
 *                   [DEVICE [PACE]]]]                              `dtsim profile`
 *     dtsim-measure step MODEL BATCH THREADS OPTIMIZER STEPS [PRECISION [PATIENCE [PACE]]]
 *                                                                  whole steps on made data
 *
 * Lists are separated by commas. The precision is fp32, bf16 or fp16, of a profile tf32, too;
 * without: fp32. Patience: whole seconds that runs may wait, in all, until the machine has its
 * usual pace; without: 0. Pace: microseconds, what is to be the usual one. The device is cpu or
 * cuda:N; without: cpu.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/ending.h"
#include "base/file.h"
#include "base/mem.h"
#include "exec/profile.h"
#include "exec/steps.h"
#include "kernels/device_word.h"
#include "kernels/roofline.h"
#include "train/calls.h"
#include "train/scenario_live.h"

enum { MOST_NUMBER = 1 << 20, MOST_LISTED = 64 };

static void say(const char *what)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "measuring this machine: %s ...\n", what);
}

static bool measure_here(char **words, struct dts_error *err)
{
    const double budget_s = 2; // of each of six measurements
    struct dts_roofline_words room;
    struct dts_roofline roofline;
    struct dts_output out;
    if (!dts_roofline_measure(&roofline, &room, 0, budget_s, say, err) ||
        !dts_output_open(&out, words[0], err))
        return false;
    dts_here_print(&roofline, out.stream);
    return dts_output_close(&out, err);
}

static void show_progress(void *begin_s, int done, int total, const char *what)
{
    const double spent_s = dts_now_s() - *(const double *)begin_s;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%d of %d, %.0f s: %.60s%s", done, total, spent_s, what,
                done == total ? "\n" : "");
}

/* Cuts the list at its commas. */
static int split(char *list, char **words)
{
    int count = 0;
    for (char *word = strtok(list, ","); word != NULL && count < MOST_LISTED;
         word = strtok(NULL, ","))
        words[count++] = word;
    return count;
}

static bool load_models(char *list, struct dts_model *models, int *count, struct dts_error *err)
{
    char *paths[MOST_LISTED];
    const int wanted = split(list, paths);
    for (*count = 0; *count < wanted; (*count)++)
        if (!dts_model_load(&models[*count], paths[*count], err))
            return false;
    return true;
}

/* A whole number from 1 on. */
static bool number(const char *what, const char *word, int *value, struct dts_error *err)
{
    char *end;
    errno = 0;
    const long long read = strtoll(word, &end, 10);
    if (end == word || *end != '\0' || errno != 0 || read < 1 || read > MOST_NUMBER)
        return dts_fail(err, DTS_BAD_INPUT,
                        "%s: must be a whole number from 1 to %d, got \"%s\"", what,
                        MOST_NUMBER, word);
    *value = (int)read;
    return true;
}

static bool optimizer_of(const char *word, const struct dts_optimizer **optimizer,
                         struct dts_error *err)
{
    *optimizer = dts_optimizer_find(word);
    return *optimizer != NULL ||
           dts_fail(err, DTS_BAD_INPUT, "optimizer: no optimizer \"%s\"", word);
}

/* NULL: fp32. Those that a network computes in on a CPU. */
static bool precision_of(const char *word, enum dts_precision *precision, struct dts_error *err)
{
    const int found = dts_precision_find(word != NULL ? word : "fp32");
    enum dts_half half;
    *precision = found >= 0 ? (enum dts_precision)found : DTS_FP32;
    return found == DTS_FP32 || (found >= 0 && dts_precision_is_half(*precision, &half)) ||
           dts_fail(err, DTS_BAD_INPUT, "precision: must be fp32, bf16 or fp16, got \"%s\"",
                    word);
}

/* Also what other devices compute in. */
static bool profile_precision_of(const char *word, enum dts_precision *precision,
                                 struct dts_error *err)
{
    *precision = DTS_TF32;
    return (word != NULL && strcmp(word, dts_precision_name(DTS_TF32)) == 0) ||
           precision_of(word, precision, err);
}

/* NULL: cpu. */
static bool device_of(const char *word, const struct dts_space_kind **kind, int *number,
                      struct dts_error *err)
{
    struct dts_device_word read;
    return dts_device_word_read(&read, "device", word != NULL ? word : "cpu",
                                dts_live_device_name, err) &&
           dts_space_choose(kind, "device", read.kind, *number = read.number, err);
}

/* Microseconds; NULL: none is asked for. */
static bool pace_of(const char *word, double *pace_s, struct dts_error *err)
{
    int read_us = 0;
    if (word != NULL && strcmp(word, "0") != 0 && !number("pace", word, &read_us, err))
        return false;
    *pace_s = 1e-6 * read_us;
    return true;
}

/* NULL: none. */
static bool patience_of(const char *word, double *patience_s, struct dts_error *err)
{
    int read_s = 0;
    if (word != NULL && strcmp(word, "0") != 0 && !number("patience", word, &read_s, err))
        return false;
    *patience_s = read_s;
    return true;
}

static bool read_batches(char *list, int *batches, int *count, struct dts_error *err)
{
    char *numbers[MOST_LISTED];
    *count = split(list, numbers);
    if (*count == 0)
        return dts_fail(err, DTS_BAD_INPUT, "batch: needs at least one");
    for (int i = 0; i < *count; i++)
        if (!number("batch", numbers[i], &batches[i], err))
            return false;
    return true;
}

static bool measure_profile(char **words, struct dts_error *err)
{
    struct dts_model models[MOST_LISTED];
    const struct dts_optimizer *optimizer = NULL;
    int batches[MOST_LISTED], batch_count = 0, threads = 1, model_count = 0, device = 0;
    enum dts_precision precision = DTS_FP32;
    const struct dts_space_kind *kind = NULL;
    double begin_s = dts_now_s(), patience_s = 0, pace_s = 0, disturbed_percent = 0;
    const char *const patience = words[5] != NULL ? words[6] : NULL;
    const char *const on = patience != NULL ? words[7] : NULL;
    bool good = read_batches(words[1], batches, &batch_count, err) &&
                number("threads", words[2], &threads, err) &&
                optimizer_of(words[3], &optimizer, err) &&
                profile_precision_of(words[5], &precision, err) &&
                patience_of(patience, &patience_s, err) && device_of(on, &kind, &device, err) &&
                pace_of(on != NULL ? words[8] : NULL, &pace_s, err) &&
                load_models(words[0], models, &model_count, err);
    const struct dts_profile_request request = {
        .models = models,
        .model_count = model_count,
        .batches = batches,
        .batch_count = batch_count,
        .kind = kind,
        .number = device,
        .threads = threads,
        .precision = precision,
        .optimizers = &optimizer,
        .optimizer_count = 1,
        .meter = {.limit_s = 0.3, .least = 3, .spread = 0.01},
        .patience_s = patience_s,
        .pace_s = pace_s,
        .progress = show_progress,
        .argument = &begin_s,
    };
    good = good && dts_profile_measure(&request, words[4], &disturbed_percent, err);
    if (good && disturbed_percent >= 25)
        fprintf(stderr,
                "dtsim-measure: note: %.0f %% of the runs do not count: the processor was "
                "faster or "
                "slower than usual (another program, another machine on its cores)\n",
                disturbed_percent);
    for (int i = 0; i < model_count; i++)
        dts_model_free(&models[i]);
    return good;
}

static bool measure_steps(char **words, struct dts_error *err)
{
    struct dts_model model;
    struct dts_steps steps;
    struct dts_steps_request request = {.model = &model};
    const char *const patience = words[5] != NULL ? words[6] : NULL;
    if (!number("batch", words[1], &request.batch, err) ||
        !number("threads", words[2], &request.threads, err) ||
        !optimizer_of(words[3], &request.optimizer, err) ||
        !number("steps", words[4], &request.steps, err) ||
        !precision_of(words[5], &request.precision, err) ||
        !patience_of(patience, &request.patience_s, err) ||
        !pace_of(patience != NULL ? words[7] : NULL, &request.pace_s, err) ||
        !dts_model_load(&model, words[0], err))
        return false;
    request.layers = dts_alloc((size_t)model.layer_count, sizeof(*request.layers));
    const bool good = dts_steps_measure(&request, &steps, err);
    if (good)
        dts_steps_write(&request, &steps, stdout);
    free(request.layers);
    dts_model_free(&model);
    return good;
}

/* `words` are those after the verb, and NULL behind them. */
static const struct verb {
    const char *name;
    int least, most; // words
    bool (*run)(char **words, struct dts_error *err);
} verbs[] = {
    {"here", 1, 1, measure_here},
    {"profile", 5, 9, measure_profile},
    {"step", 5, 8, measure_steps},
};

int main(int count, char **words)
{
    struct dts_error err = {0};
    const struct verb *found = NULL;
    dts_ending_watch();
    for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
        if (count >= 2 + verbs[i].least && count <= 2 + verbs[i].most &&
            strcmp(words[1], verbs[i].name) == 0)
            found = &verbs[i];
    if (found != NULL)
        found->run(words + 2, &err);
    else
        dts_fail(&err, DTS_BAD_INPUT,
                 "usage: dtsim-measure here FILE (see `dtsim help profile`)");
    if (err.cause != DTS_NO_ERROR)
        fprintf(stderr, "dtsim-measure: %s\n", err.text);
    return (int)err.cause;
}
