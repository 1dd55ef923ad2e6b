/* measure_main.c -- main() of dtsim-measure, the program that holds the kernels. dtsim starts
 * it:
 *
 *     dtsim-measure FILE                                           the device `here`
 *     dtsim-measure profile MODELS BATCHES THREADS OPTIMIZER FILE  `dtsim profile`
 *     dtsim-measure step MODEL BATCH THREADS OPTIMIZER STEPS       whole steps on made data
 *
 * Lists are separated by commas; dtsim has checked them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json_out.h"
#include "exec/profile.h"
#include "exec/steps.h"
#include "kernels/roofline.h"

enum { MOST_LISTED = 64, HERE_WORDS = 2, LONG_WORDS = 7 };

static void say(const char *what)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "measuring this machine: %s ...\n", what);
}

static bool measure_here(const char *path, struct dts_error *err)
{
    const double budget_s = 2; // of each of four measurements
    struct dts_roofline_words room;
    struct dts_roofline roofline;
    struct dts_output out;
    if (!dts_roofline_measure(&roofline, &room, 0, budget_s, say, err) ||
        !dts_output_open(&out, path, err))
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

static bool measure_profile(char **words, struct dts_error *err)
{
    struct dts_model models[MOST_LISTED];
    char *numbers[MOST_LISTED];
    int batches[MOST_LISTED], model_count;
    double begin_s = dts_now_s();
    const int batch_count = split(words[1], numbers);
    for (int i = 0; i < batch_count; i++)
        batches[i] = atoi(numbers[i]);
    const struct dts_optimizer *optimizer = dts_optimizer_find(words[3]);
    bool good = load_models(words[0], models, &model_count, err);
    const struct dts_profile_request request = {
        .models = models,
        .model_count = model_count,
        .batches = batches,
        .batch_count = batch_count,
        .threads = atoi(words[2]),
        .optimizers = &optimizer,
        .optimizer_count = optimizer != NULL,
        .meter = {.limit_s = 0.6, .least = 5, .spread = 0.02},
        .progress = show_progress,
        .argument = &begin_s,
    };
    good = good && dts_profile_measure(&request, words[4], err);
    for (int i = 0; i < model_count; i++)
        dts_model_free(&models[i]);
    return good;
}

static void print_measured(struct dts_json *json, const char *name,
                           const struct dts_measured *measured)
{
    dts_json_object(json, name);
    dts_json_number(json, "median_s", measured->median_s);
    dts_json_number(json, "mad_s", measured->mad_s);
    dts_json_number(json, "least_s", measured->least_s);
    dts_json_end(json);
}

static bool measure_steps(char **words, struct dts_error *err)
{
    struct dts_model model;
    struct dts_steps steps;
    if (!dts_model_load(&model, words[0], err))
        return false;
    const struct dts_steps_request request = {
        .model = &model,
        .optimizer = dts_optimizer_find(words[3]),
        .batch = atoi(words[1]),
        .threads = atoi(words[2]),
        .steps = atoi(words[4]),
    };
    bool good = request.optimizer != NULL && request.batch > 0 && request.threads > 0 &&
                request.steps > 0;
    if (!good)
        dts_fail(err, DTS_BAD_INPUT, "step: needs MODEL BATCH THREADS OPTIMIZER STEPS");
    good = good && dts_steps_measure(&request, &steps, err);
    if (good) {
        struct dts_json json = {.out = stdout, .lines = 1};
        dts_json_object(&json, NULL);
        dts_json_string(&json, "model", model.name);
        dts_json_integer(&json, "batch", request.batch);
        dts_json_integer(&json, "threads", request.threads);
        print_measured(&json, "forward", &steps.forward);
        print_measured(&json, "backward", &steps.backward);
        print_measured(&json, "update", &steps.update);
        print_measured(&json, "step", &steps.step);
        dts_json_number(&json, "first_loss", steps.first_loss);
        dts_json_number(&json, "last_loss", steps.last_loss);
        dts_json_integer(&json, "bytes", (int64_t)steps.bytes);
        dts_json_end(&json);
    }
    dts_model_free(&model);
    return good;
}

int main(int count, char **words)
{
    struct dts_error err = {0};
    if (count == HERE_WORDS)
        measure_here(words[1], &err);
    else if (count == LONG_WORDS && strcmp(words[1], "profile") == 0)
        measure_profile(words + 2, &err);
    else if (count == LONG_WORDS && strcmp(words[1], "step") == 0)
        measure_steps(words + 2, &err);
    else
        dts_fail(&err, DTS_BAD_INPUT, "usage: dtsim-measure FILE (see `dtsim help profile`)");
    if (err.cause != DTS_NO_ERROR)
        fprintf(stderr, "dtsim-measure: %s\n", err.text);
    return (int)err.cause;
}
