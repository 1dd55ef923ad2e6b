/* in_double.c -- one step of plain SGD by the definitions of all operations (their references,
 * in double precision), each layer by a call of its own, for one_step.py:
 *
 *     in_double MODEL BATCH RATE IN OUT
 *
 * IN is what one_step reads; OUT gets the parameters after the step, as doubles. The loss is
 * printed. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/sizes.h"
#include "kernels/op.h"
#include "train/model/calls.h"

enum { WORDS = 6, BLOCK = 4096 };

/* What a layer's call works with; all owned. */
struct work {
    const struct dts_operation *op; // NULL: nothing runs
    double *y, *dy;
    void *saved, *state, *target;
    size_t targets; // values, for the batch
};

struct step {
    struct dts_model model;
    struct dts_layer_call *calls; // owned, as all arrays
    struct work *work;
    size_t *first; // of the parameters, those of each layer
    double *weights, *gradients;
    size_t parameters, inputs;
    void *input;
    bool tokens;
    int batch;
};

static size_t values(const struct step *s, const struct dts_dims *dims)
{
    return (size_t)s->batch * dts_dims_elements(dims);
}

static bool make_work(struct step *s, int l, struct dts_error *err)
{
    const struct dts_op_call *call = &s->calls[l].call;
    struct work *w = &s->work[l];
    if (call->op == NULL)
        return true;
    w->op = dts_operation_find(call->op);
    if (w->op == NULL)
        return dts_fail(err, DTS_UNSUPPORTED, "%s: no operation carries out %s",
                        s->model.layers[l].name, call->op);
    const size_t count = w->op->loss ? (size_t)s->batch : values(s, &call->output);
    w->y = dts_alloc(count, sizeof(double));
    w->dy = dts_alloc(count, sizeof(double));
    if (w->op->saved_bytes != NULL)
        w->saved = dts_alloc(w->op->saved_bytes(call, s->batch, sizeof(double)) + 1, 1);
    if (w->op->state_bytes != NULL)
        w->state = dts_alloc(w->op->state_bytes(call, s->batch, sizeof(double)) + 1, 1);
    if (w->op->loss) {
        w->targets = w->op->classes ? (size_t)s->batch * dts_dims_positions(&call->inputs[0])
                                    : values(s, &call->inputs[0]);
        w->target = dts_alloc(w->targets, sizeof(double));
    }
    for (int i = 0; i < call->input_count; i++)
        s->tokens |= w->op->tokens && s->calls[l].inputs[i] == DTS_CALL_ENTRY;
    return true;
}

static bool make(struct step *s, struct dts_error *err)
{
    const size_t layers = (size_t)s->model.layer_count;
    s->calls = dts_alloc(layers, sizeof(*s->calls));
    s->work = dts_alloc(layers, sizeof(*s->work));
    s->first = dts_alloc(layers, sizeof(*s->first));
    dts_model_calls(&s->model, false, s->calls);
    for (int l = 0; l < s->model.layer_count; l++) {
        s->first[l] = s->parameters;
        for (int p = 0; p < s->model.layers[l].param_count; p++)
            s->parameters += s->model.layers[l].params[p].count;
        if (!make_work(s, l, err))
            return false;
    }
    s->weights = dts_alloc(s->parameters, sizeof(double));
    s->gradients = dts_alloc(s->parameters, sizeof(double));
    s->inputs = values(s, &s->model.input);
    s->input = dts_alloc(s->inputs, sizeof(double));
    return true;
}

static void free_all(struct step *s)
{
    for (int l = 0; l < s->model.layer_count && s->work != NULL; l++) {
        struct work *w = &s->work[l];
        void *const all[] = {w->y, w->dy, w->saved, w->state, w->target};
        for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
            free(all[i]);
    }
    void *const all[] = {s->calls, s->work, s->first, s->weights, s->gradients, s->input};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        free(all[i]);
    dts_model_free(&s->model);
}

static bool read_reals(double *to, size_t count, FILE *file)
{
    float block[BLOCK];
    for (size_t done = 0; done < count;) {
        const size_t now = dts_least(count - done, BLOCK);
        if (fread(block, sizeof(float), now, file) != now)
            return false;
        for (size_t i = 0; i < now; i++)
            to[done + i] = block[i];
        done += now;
    }
    return true;
}

static bool read_values(void *to, size_t count, bool whole, FILE *file)
{
    return whole ? fread(to, sizeof(int32_t), count, file) == count
                 : read_reals(to, count, file);
}

static bool read_all(struct step *s, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    bool good = read_reals(s->weights, s->parameters, file) &&
                read_values(s->input, s->inputs, s->tokens, file);
    for (int l = 0; l < s->model.layer_count && good; l++)
        good = s->work[l].target == NULL ||
               read_values(s->work[l].target, s->work[l].targets, s->work[l].op->classes, file);
    good = good && fgetc(file) == EOF;
    fclose(file);
    return good;
}

static size_t parameter(const struct step *s, const struct dts_layer_call *c, int p)
{
    size_t at = s->first[c->param_layers[p]];
    for (int before = 0; before < c->param_numbers[p]; before++)
        at += s->model.layers[c->param_layers[p]].params[before].count;
    return at;
}

static struct dts_arrays arrays_of(const struct step *s, int l)
{
    const struct dts_layer_call *c = &s->calls[l];
    const struct work *w = &s->work[l];
    struct dts_arrays a = {.batch = s->batch,
                           .y = w->y,
                           .target = w->target,
                           .saved = w->saved,
                           .state = w->state,
                           .ranks = 1,
                           .training = true};
    for (int i = 0; i < c->call.input_count; i++)
        a.x[i] = c->inputs[i] == DTS_CALL_ENTRY ? s->input : s->work[c->inputs[i]].y;
    for (int p = 0; p < c->call.param_count; p++)
        a.w[p] = s->weights + parameter(s, c, p);
    return a;
}

static void call(const struct step *s, int l, struct dts_arrays *a, bool backward)
{
    const struct dts_op_version *version = &s->work[l].op->reference;
    const struct dts_op_call *c = &s->calls[l].call;
    const struct dts_place place = {.workers = NULL};
    size_t (*scratch)(const struct dts_op_call *, int, int) =
        backward ? version->backward_scratch : version->forward_scratch;
    a->scratch = dts_alloc(scratch != NULL ? scratch(c, s->batch, 1) + 1 : 1, 1);
    (backward ? version->backward : version->forward)(c, a, &place);
    free(a->scratch);
}

static void forward(const struct step *s, int l)
{
    struct dts_arrays a = arrays_of(s, l);
    call(s, l, &a, false);
}

/* Every gradient of an input is made apart and then added: others may take the input, too. */
static void backward(const struct step *s, int l)
{
    const struct dts_layer_call *c = &s->calls[l];
    struct dts_arrays a = arrays_of(s, l);
    a.dy = s->work[l].op->loss ? NULL : s->work[l].dy;
    for (int i = 0; i < c->call.input_count; i++)
        a.dx[i] = c->wants[i] ? dts_alloc(values(s, &c->call.inputs[i]), sizeof(double)) : NULL;
    for (int p = 0; p < c->call.param_count; p++)
        a.dw[p] = s->gradients + parameter(s, c, p);
    call(s, l, &a, true);
    for (int i = 0; i < c->call.input_count; i++) {
        const double *more = a.dx[i];
        for (size_t k = 0; more != NULL && k < values(s, &c->call.inputs[i]); k++)
            s->work[c->inputs[i]].dy[k] += more[k];
        free(a.dx[i]);
    }
}

static void run(struct step *s, double rate)
{
    double loss = 0;
    for (int l = 0; l < s->model.layer_count; l++)
        if (s->work[l].op != NULL)
            forward(s, l);
    for (int l = 0; l < s->model.layer_count; l++)
        for (int b = 0; s->work[l].op != NULL && s->work[l].op->loss && b < s->batch; b++)
            loss += s->work[l].y[b] / s->batch;
    for (int l = s->model.layer_count - 1; l >= 0; l--)
        if (s->work[l].op != NULL && s->calls[l].learns)
            backward(s, l);
    for (size_t i = 0; i < s->parameters; i++)
        s->weights[i] -= rate * s->gradients[i];
    printf("%.17g\n", loss);
}

static bool write_all(const struct step *s, const char *path)
{
    FILE *file = fopen(path, "wb");
    const bool good = file != NULL &&
                      fwrite(s->weights, sizeof(double), s->parameters, file) == s->parameters;
    return file != NULL && fclose(file) == 0 && good;
}

static bool step_of(struct step *s, char **words, struct dts_error *err)
{
    if (!dts_model_load(&s->model, words[1], err) || !make(s, err))
        return false;
    if (!read_all(s, words[4]))
        return dts_fail(err, DTS_BAD_INPUT, "%s: is not what the model needs", words[4]);
    run(s, atof(words[3]));
    return write_all(s, words[5]) || dts_fail(err, DTS_SYSTEM, "%s: cannot write", words[5]);
}

int main(int count, char **words)
{
    struct dts_error err = {0};
    struct step s = {.batch = count == WORDS ? atoi(words[2]) : 0};
    if (s.batch < 1)
        dts_fail(&err, DTS_BAD_INPUT, "needs five arguments, see the file's head");
    else
        step_of(&s, words, &err);
    free_all(&s);
    if (err.cause != DTS_NO_ERROR)
        fprintf(stderr, "in_double: %s\n", err.text);
    return (int)err.cause;
}
