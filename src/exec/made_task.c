/* made_task.c -- made samples. */
#include "exec/made_task.h"

#include "base/rng.h"

enum { STREAM_NOISE = 1, STREAM_PATTERN, STREAM_CLASS, STREAM_TOKEN, KINDS = 10 };

/* Values of a noise that is cheap: a sample uses a stretch of one list of normal numbers. */
enum { NOISE = 1 << 16 };

static void fill_images(float *input, size_t each, int batch, uint64_t seed, uint64_t first)
{
    static const float share = 0.5f; // of the pattern
    for (uint64_t b = 0; b < (uint64_t)batch; b++) {
        const uint64_t class = dts_random(seed, STREAM_CLASS, first + b) % KINDS;
        const uint64_t start = dts_random(seed, STREAM_NOISE, first + b) % NOISE;
        float *x = input + b * each;
        for (size_t i = 0; i < each && i < NOISE; i++)
            x[i] = (float)dts_normal(seed, STREAM_NOISE, (start + i) % NOISE) +
                   share * (float)dts_normal(seed, STREAM_PATTERN + 16 * class, i % 4096);
        for (size_t i = NOISE; i < each; i++)
            x[i] = x[i - NOISE];
    }
}

/* Each token follows from the one before it, in one of two ways. */
static void fill_tokens(int32_t *input, size_t each, size_t vocabulary, int batch,
                        uint64_t seed, uint64_t first)
{
    for (uint64_t b = 0; b < (uint64_t)batch; b++) {
        uint64_t token = dts_random(seed, STREAM_TOKEN, first + b) % vocabulary;
        for (size_t i = 0; i < each; i++) {
            input[b * each + i] = (int32_t)token;
            const uint64_t way = dts_random(seed, STREAM_NOISE, (first + b) * each + i) % 2;
            token = (token * 5 + 7 + way) % vocabulary;
        }
    }
}

static void fill_classes(int32_t *target, size_t each, size_t classes, const int32_t *tokens,
                         size_t positions, int batch, uint64_t seed, uint64_t first)
{
    for (uint64_t b = 0; b < (uint64_t)batch; b++)
        for (size_t i = 0; i < each; i++) {
            // the next token of the sequence, or the class of the image
            const bool next = tokens != NULL && i + 1 < positions;
            const uint64_t class = next ? (uint64_t)tokens[b * positions + i + 1]
                                        : dts_random(seed, STREAM_CLASS, first + b) % KINDS;
            target[b * each + i] = (int32_t)(class % classes);
        }
}

static size_t vocabulary_of(const struct dts_model *model)
{
    for (int l = 0; l < model->layer_count; l++)
        if (model->layers[l].inputs[0] < 0 && model->layers[l].param_count > 0)
            return model->layers[l].params[0].count /
                   dts_dims_features(&model->layers[l].output);
    return 2;
}

void dts_made_task_fill(struct dts_network *network, const struct dts_model *model, int batch,
                        uint64_t seed, uint64_t first)
{
    bool tokens, classes;
    size_t count;
    void *input = dts_network_input(network, &tokens);
    const size_t each = dts_dims_elements(&model->input);
    if (tokens)
        fill_tokens(input, each, vocabulary_of(model), batch, seed, first);
    else
        fill_images(input, each, batch, seed, first);
    for (int l = 0; l < model->layer_count; l++) {
        void *target = dts_network_target(network, l, &count, &classes);
        if (target == NULL)
            continue;
        if (classes)
            fill_classes(target, count, count > 0 ? dts_network_classes(network, l) : 1,
                         tokens ? input : NULL, each, batch, seed, first);
        else
            fill_images(target, count, batch, seed, first);
    }
}
