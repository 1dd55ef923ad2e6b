/* main.c -- main() of dtsim-measure, the program that holds the kernels. dtsim starts
 * it:
 *
 *     dtsim-measure here FILE                                      the device `here`
 *     dtsim-measure profile MODELS BATCHES THREADS OPTIMIZER FILE [PRECISION [PATIENCE
 *                   [DEVICE [PACE [SWEEPS]]]]]                     `dtsim profile`
 *     dtsim-measure train RUN FILE SCENARIO SEED [PATH VALUE]...   a run of `dtsim converge`
 *
 * Lists are separated by commas. The precision is fp32, bf16, fp16 or tf32;
 * without: fp32. Patience: whole seconds that runs may wait, in all, until the machine has its
 * usual pace; without: 0. Pace: microseconds, what is to be the usual one. The device is cpu or
 * cuda:N; without: cpu. Sweeps over all kernels; without: 6, the first of which is short.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "base/os/ending.h"
#include "base/os/file.h"
#include "base/os/standard.h"
#include "cli/measure/told.h"
#include "cli/measure/train.h"
#include "cli/measure/words.h"
#include "kernels/space/roofline.h"

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

static bool measure_profile(char **words, struct dts_error *err)
{
    struct dts_model models[DTS_MEASURE_LISTED];
    const struct dts_optimizer *optimizer = NULL;
    int batches[DTS_MEASURE_LISTED], batch_count = 0, threads = 1, model_count = 0, device = 0;
    int sweeps = 0;
    enum dts_precision precision = DTS_FP32;
    const struct dts_space_kind *kind = NULL;
    double patience_s = 0, pace_s = 0;
    struct dts_profile_moments moments;
    struct dts_measure_told told = {.begin_s = dts_now_s(), .path = words[4]};
    const char *const patience = words[5] != NULL ? words[6] : NULL;
    const char *const on = patience != NULL ? words[7] : NULL;
    const char *const pace = on != NULL ? words[8] : NULL;
    const char *const sweeping = pace != NULL && words[9] != NULL ? words[9] : "6";
    bool good = dts_measure_batches(words[1], batches, &batch_count, err) &&
                dts_measure_number("threads", words[2], &threads, err) &&
                dts_measure_optimizer(words[3], &optimizer, err) &&
                dts_measure_profile_precision(words[5], &precision, err) &&
                dts_measure_patience(patience, &patience_s, err) &&
                dts_measure_device(on, &kind, &device, err) &&
                dts_measure_pace(pace, &pace_s, err) &&
                dts_measure_number("sweeps", sweeping, &sweeps, err) &&
                dts_measure_models(words[0], models, &model_count, err);
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
        .meter = {.limit_s = 0.15, .least = 2, .spread = 0.01},
        .sweeps = sweeps,
        .patience_s = patience_s,
        .pace_s = pace_s,
        .progress = dts_measure_tell,
        .argument = &told,
    };
    told.request = &request;
    good = good && dts_profile_measure(&request, words[4], &moments, err);
    if (good) {
        dts_measure_note_disturbed(moments.disturbed_percent);
        dts_measure_tell_end(&told);
    }
    for (int i = 0; i < model_count; i++)
        dts_model_free(&models[i]);
    return good;
}

/* `words` are those after the verb, and NULL behind them. */
static const struct verb {
    const char *name;
    int least, most; // words
    bool (*run)(char **words, struct dts_error *err);
} verbs[] = {
    {"here", 1, 1, measure_here},
    {"profile", 5, 10, measure_profile},
    {"train", 4, 1 << 20, dts_measure_train},
};

/* Where OpenBLAS gets no memory for the buffer of a thread it tries again for ever. */
static bool check_memory(struct dts_error *err)
{
    const size_t buffers = 256 << 20; // two of them, at most 128 MiB each (OpenBLAS 0.3)
    void *memory = mmap(NULL, buffers, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return dts_fail(err, DTS_SYSTEM, "no memory: to measure takes more than %.2g GB",
                        (double)buffers / 1e9);
    munmap(memory, buffers);
    return true;
}

int main(int count, char **words)
{
    struct dts_error err = {0};
    const struct verb *found = NULL;
    dts_standard_open();
    dts_ending_watch();
    for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
        if (count >= 2 + verbs[i].least && count <= 2 + verbs[i].most &&
            strcmp(words[1], verbs[i].name) == 0)
            found = &verbs[i];
    if (found != NULL)
        (void)(check_memory(&err) && found->run(words + 2, &err));
    else
        dts_fail(&err, DTS_BAD_INPUT,
                 "usage: dtsim-measure here FILE (see `dtsim help profile`)");
    if (err.cause == DTS_NO_ERROR)
        return 0;
    fprintf(stderr, "dtsim-measure: %s\n", err.text);
    dts_standard_end((int)err.cause);
}
