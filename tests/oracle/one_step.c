/* one_step.c -- training steps from given weights on a given batch, for one_step.py:
 *
 *     one_step MODEL BATCH THREADS OPTIMIZER RATE DECAY STEPS IN OUT [PRECISION [GATES]]
 *
 * IN holds what follows as 32-bit values, one behind the other: the parameter tensors in the
 * order of the model file, the input, the targets of each loss; floats, but tokens and classes
 * as whole numbers. OUT gets the parameters after the steps. Each step's loss is printed. GATES
 * gets a byte for each value of each ReLU, layer after layer and step after step: 1 where it
 * lets the gradient pass. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "train/network/network_private.h"
#include "train/network/optimizer.h"

enum { WORDS = 10 }; // without the precision and what follows

struct run {
    struct dts_model model;
    struct dts_network *network;
    struct dts_optimizer_run *optimizer;
    struct dts_update_settings settings;
    int batch;
    enum dts_precision precision;
    FILE *gates; // NULL: not asked for
};

static bool move(void *values, size_t count, FILE *file, bool out)
{
    return (out ? fwrite(values, 4, count, file) : fread(values, 4, count, file)) == count;
}

static bool move_weights(struct run *r, FILE *file, bool out)
{
    float *weights = dts_network_weights(r->network);
    for (int l = 0; l < r->model.layer_count; l++)
        for (int p = 0; p < r->model.layers[l].param_count; p++)
            if (!move(weights + dts_network_offset(r->network, l, p),
                      r->model.layers[l].params[p].count, file, out))
                return false;
    return true;
}

static bool read_all(struct run *r, const char *path)
{
    bool tokens, classes;
    size_t each;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    const size_t inputs = (size_t)r->batch * dts_dims_elements(&r->model.input);
    bool good = move_weights(r, file, false) &&
                move(dts_network_input(r->network, &tokens), inputs, file, false);
    for (int l = 0; l < r->model.layer_count && good; l++) {
        void *target = dts_network_target(r->network, l, &each, &classes);
        good = target == NULL || move(target, (size_t)r->batch * each, file, false);
    }
    good = good && fgetc(file) == EOF;
    fclose(file);
    return good;
}

static bool write_all(struct run *r, const char *path)
{
    FILE *file = fopen(path, "wb");
    const bool good = file != NULL && move_weights(r, file, true);
    return file != NULL && fclose(file) == 0 && good;
}

/* Right behind the layer: its memory is used again. */
static void write_gates(const struct run *r, int layer)
{
    const struct dts_network *n = r->network;
    const size_t count = (size_t)r->batch * dts_dims_elements(&r->model.layers[layer].output);
    const float *y = dts_network_output(n, n->calls[layer].output);
    for (size_t i = 0; i < count; i++)
        fputc(y[i] > 0, r->gates);
}

static void run_step(struct run *r, int number)
{
    const struct dts_network_step step = {.number = (uint64_t)number, .training = true};
    r->settings.step = number + 1;
    dts_network_begin(r->network, &step);
    for (int l = 0; l < r->model.layer_count; l++) {
        dts_network_forward(r->network, l);
        if (r->gates != NULL && r->model.layers[l].kind->rectifies)
            write_gates(r, l);
    }
    printf("%.9g\n", dts_network_loss(r->network));
    for (int l = r->model.layer_count - 1; l >= 0; l--)
        dts_network_backward(r->network, l);
    dts_network_update(r->network, r->optimizer, &r->settings, 1);
}

static bool run(struct run *r, char **words, struct dts_error *err)
{
    const struct dts_network_options options = {
        .batch = r->batch,
        .threads = atoi(words[3]),
        .sparse = true,
        .precision = r->precision,
    };
    const struct dts_optimizer *optimizer = dts_optimizer_find(words[4]);
    if (optimizer == NULL)
        return dts_fail(err, DTS_BAD_INPUT, "no optimizer %s", words[4]);
    if (!dts_network_make(&r->network, &r->model, &options, err) ||
        !dts_network_optimizer(r->network, optimizer, &r->optimizer, err))
        return false;
    if (!read_all(r, words[8]))
        return dts_fail(err, DTS_BAD_INPUT, "%s: is not what the model needs", words[8]);
    r->settings = *dts_optimizer_usual(r->optimizer);
    r->settings.rate = atof(words[5]);
    r->settings.decay = atof(words[6]);
    if (words[WORDS] != NULL && words[WORDS + 1] != NULL &&
        (r->gates = fopen(words[WORDS + 1], "wb")) == NULL)
        return dts_fail(err, DTS_SYSTEM, "%s: cannot write", words[WORDS + 1]);
    for (int i = 0; i < atoi(words[7]); i++)
        run_step(r, i);
    const bool written = r->gates == NULL || fclose(r->gates) == 0;
    return (write_all(r, words[9]) && written) ||
           dts_fail(err, DTS_SYSTEM, "%s: cannot write", words[9]);
}

int main(int count, char **words)
{
    struct dts_error err = {0};
    const int precision = count > WORDS ? dts_precision_find(words[WORDS]) : DTS_FP32;
    struct run r = {.batch = count >= WORDS && count <= WORDS + 2 ? atoi(words[2]) : 0,
                    .precision = (enum dts_precision)precision};
    if (r.batch < 1 || precision < 0)
        dts_fail(&err, DTS_BAD_INPUT, "needs nine to eleven arguments, see the file's head");
    else if (dts_model_load(&r.model, words[1], &err)) {
        run(&r, words, &err);
        dts_optimizer_free(r.optimizer);
        dts_network_free(r.network);
        dts_model_free(&r.model);
    }
    if (err.cause != DTS_NO_ERROR)
        fprintf(stderr, "one_step: %s\n", err.text);
    return (int)err.cause;
}
