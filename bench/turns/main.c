/* main.c -- main() of a developers' tool that times whole training steps, which a profile has
 * to predict. bench/profile and bench/kernels run it.
 *
 *     turns step MODEL BATCH THREADS OPTIMIZER STEPS [PRECISION [PATIENCE [PACE]]]
 *                                                                  whole steps on made data
 *     turns profile MODELS BATCHES THREADS OPTIMIZER FILE STEPS MODEL:BATCH[,MODEL:BATCH]
 * SWEEPS and a profile, in turns
 *
 * Words are those of dtsim-measure (src/cli/measure). Both print what they measured as JSON.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/ending.h"
#include "cli/measure/words.h"
#include "turns/turns.h"

/* Runs of a call in a sweep: as many moments as there are runs tell more of a drifting machine
 * than as many runs in fewer. */
enum { RUNS = 1 };

/* Steps of some networks, each at a batch. */
struct kinds {
    struct dts_model models[DTS_MOST_TURNS];
    struct dts_steps_request requests[DTS_MOST_TURNS];
    struct dts_steps steps[DTS_MOST_TURNS];
    int count;
};

static bool add_kind(struct kinds *kinds, char *word, const struct dts_steps_request *like,
                     struct dts_error *err)
{
    struct dts_steps_request *request = &kinds->requests[kinds->count];
    struct dts_model *model = &kinds->models[kinds->count];
    char *colon = strrchr(word, ':');
    *request = *like;
    if (colon == NULL)
        return dts_fail(err, DTS_BAD_INPUT, "steps: must be MODEL:BATCH, got \"%s\"", word);
    *colon = '\0';
    if (!dts_measure_number("batch", colon + 1, &request->batch, err) ||
        !dts_model_load(model, word, err))
        return false;
    kinds->count++;
    request->model = model;
    request->layers = dts_alloc((size_t)model->layer_count, sizeof(*request->layers));
    return true;
}

static bool read_kinds(struct kinds *kinds, char *list, const struct dts_steps_request *like,
                       struct dts_error *err)
{
    char *words[DTS_MEASURE_LISTED];
    const int wanted = dts_measure_split(list, words);
    if (wanted < 1 || wanted > DTS_MOST_TURNS)
        return dts_fail(err, DTS_BAD_INPUT, "steps: must be of 1 to %d networks, got %d",
                        DTS_MOST_TURNS, wanted);
    for (int i = 0; i < wanted; i++)
        if (!add_kind(kinds, words[i], like, err))
            return false;
    return true;
}

static void free_kinds(struct kinds *kinds)
{
    for (int i = 0; i < kinds->count; i++) {
        free(kinds->requests[i].layers);
        dts_model_free(&kinds->models[i]);
    }
    free(kinds);
}

/* A list of what "step" prints. */
static void print(const struct kinds *kinds)
{
    printf("[");
    for (int i = 0; i < kinds->count; i++) {
        printf(i > 0 ? ",\n" : "");
        dts_steps_write(&kinds->requests[i], &kinds->steps[i], stdout);
    }
    printf("\n]\n");
}

static bool measure(const struct dts_profile_request *profile, const char *path,
                    struct kinds *kinds, struct dts_error *err)
{
    struct dts_profile_moments moments;
    if (!dts_turns_measure(profile, path, kinds->requests, kinds->count, kinds->steps, &moments,
                           err))
        return false;
    print(kinds);
    dts_measure_note_disturbed(moments.disturbed_percent);
    return true;
}

static bool measure_turns(char **words, struct dts_error *err)
{
    struct dts_model models[DTS_MEASURE_LISTED];
    struct kinds *kinds = dts_alloc(1, sizeof(*kinds));
    struct dts_steps_request like = {.precision = DTS_FP32};
    int batches[DTS_MEASURE_LISTED];
    double begin_s = dts_now_s();
    struct dts_profile_request profile = {
        .models = models,
        .batches = batches,
        .precision = DTS_FP32,
        .optimizers = &like.optimizer,
        .optimizer_count = 1,
        .meter = {.least = RUNS},
        .progress = dts_measure_progress,
        .argument = &begin_s,
    };
    const bool good = dts_measure_batches(words[1], batches, &profile.batch_count, err) &&
                      dts_measure_number("threads", words[2], &profile.threads, err) &&
                      dts_measure_optimizer(words[3], &like.optimizer, err) &&
                      dts_measure_number("steps", words[5], &like.steps, err) &&
                      dts_measure_device(NULL, &profile.kind, &profile.number, err) &&
                      dts_measure_models(words[0], models, &profile.model_count, err) &&
                      (like.threads = profile.threads) > 0 &&
                      read_kinds(kinds, words[6], &like, err) &&
                      dts_measure_number("sweeps", words[7], &profile.sweeps, err) &&
                      measure(&profile, words[4], kinds, err);
    for (int i = 0; i < profile.model_count; i++)
        dts_model_free(&models[i]);
    free_kinds(kinds);
    return good;
}

static bool measure_steps(char **words, struct dts_error *err)
{
    struct dts_model model;
    struct dts_steps steps;
    struct dts_steps_request request = {.model = &model};
    const char *const patience = words[5] != NULL ? words[6] : NULL;
    if (!dts_measure_number("batch", words[1], &request.batch, err) ||
        !dts_measure_number("threads", words[2], &request.threads, err) ||
        !dts_measure_optimizer(words[3], &request.optimizer, err) ||
        !dts_measure_number("steps", words[4], &request.steps, err) ||
        !dts_measure_precision(words[5], &request.precision, err) ||
        !dts_measure_patience(patience, &request.patience_s, err) ||
        !dts_measure_pace(patience != NULL ? words[7] : NULL, &request.pace_s, err) ||
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
    {"step", 5, 8, measure_steps},
    {"profile", 8, 8, measure_turns},
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
        dts_fail(&err, DTS_BAD_INPUT, "usage: turns step|profile WORD... (bench/turns/main.c)");
    if (err.cause != DTS_NO_ERROR)
        fprintf(stderr, "turns: %s\n", err.text);
    return (int)err.cause;
}
