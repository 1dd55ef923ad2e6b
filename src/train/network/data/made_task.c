/* made_task.c -- made samples. */
#include "train/network/data/made_task.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"

enum { STREAM_NOISE = 1, STREAM_PATTERN, STREAM_CLASS, STREAM_TOKEN, KINDS = 10 };

/* A sample's noise is a stretch of one list of normal numbers; its pattern repeats. */
enum { NOISE = 1 << 16, PATTERN = 4096 };

struct dts_made_task {
    const struct dts_model *model;
    uint64_t seed;
    size_t vocabulary;
    float *noise;    // NOISE; owned
    float *patterns; // KINDS x PATTERN, scaled; owned
};

static size_t vocabulary_of(const struct dts_model *model)
{
    for (int l = 0; l < model->layer_count; l++)
        if (model->layers[l].inputs[0] < 0 && model->layers[l].param_count > 0)
            return model->layers[l].params[0].count /
                   dts_dims_features(&model->layers[l].output);
    return 2;
}

struct dts_made_task *dts_made_task_new(const struct dts_model *model, uint64_t seed)
{
    static const float share = 0.5f; // of the pattern
    struct dts_made_task *task = dts_alloc(1, sizeof(*task));
    *task = (struct dts_made_task){.model = model,
                                   .seed = seed,
                                   .vocabulary = vocabulary_of(model),
                                   .noise = dts_alloc(NOISE, sizeof(float)),
                                   .patterns = dts_alloc(KINDS * PATTERN, sizeof(float))};
    for (uint64_t i = 0; i < NOISE; i++)
        task->noise[i] = (float)dts_normal(seed, STREAM_NOISE, i);
    for (uint64_t i = 0; i < KINDS * PATTERN; i++)
        task->patterns[i] =
            share * (float)dts_normal(seed, STREAM_PATTERN + 16 * (i / PATTERN), i % PATTERN);
    return task;
}

void dts_made_task_free(struct dts_made_task *task)
{
    if (task == NULL)
        return;
    free(task->noise);
    free(task->patterns);
    free(task);
}

static uint64_t class_of(const struct dts_made_task *task, uint64_t number)
{
    return dts_random(task->seed, STREAM_CLASS, number) % KINDS;
}

static void make_image(const struct dts_made_task *task, float *x, size_t count,
                       uint64_t number)
{
    const float *pattern = task->patterns + class_of(task, number) * PATTERN;
    const uint64_t start = dts_random(task->seed, STREAM_NOISE, number) % NOISE;
    for (size_t i = 0; i < count && i < NOISE; i++)
        x[i] = task->noise[(start + i) % NOISE] + pattern[i % PATTERN];
    for (size_t i = NOISE; i < count; i++)
        x[i] = x[i - NOISE];
}

/* Each token follows from the one before it, in one of two ways. */
static void make_tokens(const struct dts_made_task *task, int32_t *x, size_t count,
                        uint64_t number)
{
    uint64_t token = dts_random(task->seed, STREAM_TOKEN, number) % task->vocabulary;
    for (size_t i = 0; i < count; i++) {
        x[i] = (int32_t)token;
        const uint64_t way = dts_random(task->seed, STREAM_NOISE, number * count + i) % 2;
        token = (token * 5 + 7 + way) % task->vocabulary;
    }
}

/* The next token of the sequence, and else the class of the sample. */
static void make_classes(const struct dts_made_task *task, int32_t *target, size_t count,
                         size_t classes, const int32_t *tokens, size_t positions,
                         uint64_t number)
{
    for (size_t i = 0; i < count; i++) {
        const bool next = tokens != NULL && i + 1 < positions;
        const uint64_t class = next ? (uint64_t)tokens[i + 1] : class_of(task, number);
        target[i] = (int32_t)(class % classes);
    }
}

void dts_made_task_fill(const struct dts_made_task *task, struct dts_network *network,
                        uint64_t base, const uint64_t *numbers, int batch)
{
    bool tokens, classes;
    size_t count;
    void *input = dts_network_input(network, &tokens);
    const size_t each = dts_dims_elements(&task->model->input);
    for (size_t b = 0; b < (size_t)batch; b++)
        if (tokens)
            make_tokens(task, (int32_t *)input + b * each, each, base + numbers[b]);
        else
            make_image(task, (float *)input + b * each, each, base + numbers[b]);
    for (int l = 0; l < task->model->layer_count; l++) {
        void *target = dts_network_target(network, l, &count, &classes);
        for (size_t b = 0; target != NULL && b < (size_t)batch; b++)
            if (classes)
                make_classes(
                    task, (int32_t *)target + b * count, count, dts_network_classes(network, l),
                    tokens ? (int32_t *)input + b * each : NULL, each, base + numbers[b]);
            else
                make_image(task, (float *)target + b * count, count, base + numbers[b]);
    }
}
