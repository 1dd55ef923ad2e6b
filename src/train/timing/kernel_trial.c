/* kernel_trial.c -- arrays for one call, where it runs. */
#include "train/timing/kernel_trial.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "kernels/mixed.h"
#include "kernels/place.h"
#include "kernels/reduce/reduce.h"

/* PATTERN: random numbers are drawn so many at a time; PATTERNS: so many in one copy. */
enum { LINE = 64, PATTERN = 4096, PATTERNS = 64 };

/* The next part of its piece; NULL while they are counted. */
static void *get(struct dts_kernel_trial *t, enum dts_kind_of_memory kind, size_t bytes)
{
    struct dts_kernel_piece *piece = &t->pieces[kind];
    char *there = piece->there != NULL ? (char *)piece->there + piece->bytes : NULL;
    t->arrays++;
    t->bytes += bytes;
    piece->bytes += (bytes + LINE - 1) / LINE * LINE;
    return there;
}

/* Normal numbers, to be freed; a pattern repeats, drawing each would take longer than the
 * kernels. */
static float *draw(const struct dts_kernel_trial *t, double scale)
{
    float *values = dts_alloc(PATTERN * PATTERNS, sizeof(*values));
    for (size_t i = 0; i < PATTERN * PATTERNS; i++)
        values[i] = i < PATTERN ? (float)(scale * dts_normal(1, (uint64_t)t->arrays, i))
                                : values[i - PATTERN];
    return values;
}

static void *get_random(struct dts_kernel_trial *t, enum dts_kind_of_memory kind, size_t count,
                        double scale)
{
    const size_t bytes = count * sizeof(float);
    void *there = get(t, kind, bytes);
    if (there == NULL)
        return NULL;
    float *values = draw(t, scale);
    dts_space_fill(t->timer->space, there, bytes, values, PATTERN * PATTERNS * sizeof(*values));
    free(values);
    return there;
}

size_t dts_kernel_trial_real(const struct dts_kernel_trial *t)
{
    return t->timer->mixed ? sizeof(uint16_t) : sizeof(float);
}

/* The same, as layers hand them one another. */
static void *get_handed(struct dts_kernel_trial *t, size_t count)
{
    if (!t->timer->mixed)
        return get_random(t, DTS_OF_VALUES, count, 1);
    const size_t bytes = count * sizeof(uint16_t);
    void *there = get(t, DTS_OF_VALUES, bytes);
    if (there == NULL)
        return NULL;
    float *values = draw(t, 1);
    uint16_t *narrow = dts_alloc(PATTERN * PATTERNS, sizeof(*narrow));
    dts_reduce_narrow(t->timer->half, narrow, values, PATTERN * PATTERNS,
                      &(struct dts_place){0});
    dts_space_fill(t->timer->space, there, bytes, narrow, PATTERN * PATTERNS * sizeof(*narrow));
    free(narrow);
    free(values);
    return there;
}

static void *get_integers(struct dts_kernel_trial *t, size_t count, size_t most)
{
    const size_t bytes = count * sizeof(int32_t);
    void *there = get(t, DTS_OF_VALUES, bytes);
    if (there == NULL)
        return NULL;
    int32_t *values = dts_alloc(count + 1, sizeof(*values));
    for (size_t i = 0; i < count; i++)
        values[i] = (int32_t)(dts_random(1, 0, i) % most);
    dts_space_fill(t->timer->space, there, bytes, values, bytes);
    free(values);
    return there;
}

static void make_inputs(struct dts_kernel_trial *t, bool with_inputs)
{
    const struct dts_op_call *call = t->call;
    const size_t batch = (size_t)t->a.batch;
    for (int i = 0; i < call->input_count; i++) {
        const size_t count = batch * dts_dims_elements(&call->inputs[i]);
        if (i == 0 && t->op->tokens) {
            const size_t rows = call->params[0] / dts_dims_features(&call->output);
            t->a.x[i] = get_integers(t, count, rows > 0 ? rows : 1);
            continue;
        }
        t->a.x[i] = get_handed(t, count);
        if (with_inputs && t->backward)
            t->a.dx[i] = get(t, DTS_OF_VALUES, count * dts_kernel_trial_real(t));
    }
    const size_t first = batch * dts_dims_elements(&call->inputs[0]);
    if (t->op->loss && t->op->classes)
        t->a.target = get_integers(t, batch * dts_dims_positions(&call->inputs[0]),
                                   dts_dims_features(&call->inputs[0]));
    else if (t->op->loss)
        t->a.target = get_random(t, DTS_OF_VALUES, first, 1);
}

/* Weights as small as they are in training, so that no value overflows. */
static void make_arrays(struct dts_kernel_trial *t, bool with_inputs)
{
    const struct dts_op_call *call = t->call;
    const size_t batch = (size_t)t->a.batch;
    const size_t outputs = batch * (t->op->loss ? 1 : dts_dims_elements(&call->output));
    make_inputs(t, with_inputs);
    for (int p = 0; p < call->param_count; p++) {
        t->a.w[p] = get_random(t, DTS_OF_WEIGHTS, call->params[p], 0.05);
        if (t->backward && !t->lists)
            t->a.dw[p] = get(t, DTS_OF_GRADIENTS, call->params[p] * sizeof(float));
    }
    t->a.y = get(t, DTS_OF_VALUES,
                 outputs * (t->op->loss ? sizeof(float) : dts_kernel_trial_real(t)));
    if (t->backward && !t->op->loss)
        t->a.dy = get_handed(t, outputs);
    if (t->op->saved_bytes != NULL)
        t->a.saved = get(t, DTS_OF_VALUES, t->op->saved_bytes(call, t->a.batch, sizeof(float)));
    if (t->op->state_bytes != NULL)
        t->a.state = get(t, DTS_OF_VALUES, t->op->state_bytes(call, t->a.batch, sizeof(float)));
}

static size_t scratch_bytes(const struct dts_kernel_trial *t, bool backward)
{
    const struct dts_place *place = dts_space_place(t->timer->space);
    size_t (*scratch)(const struct dts_op_call *, int, int) =
        backward ? t->version->backward_scratch : t->version->forward_scratch;
    if (t->timer->mixed)
        return (backward ? dts_mixed_backward_scratch
                         : dts_mixed_forward_scratch)(t->op, t->call, t->a.batch, place);
    return scratch != NULL ? scratch(t->call, t->a.batch, dts_workers_count(place->workers))
                           : 0;
}

size_t dts_kernel_trial_scratch(const struct dts_kernel_trial *t)
{
    return t->scratch_forward > t->scratch_backward ? t->scratch_forward : t->scratch_backward;
}

static void make_scratch(struct dts_kernel_trial *t)
{
    t->scratch_forward = scratch_bytes(t, false);
    t->scratch_backward = t->backward ? scratch_bytes(t, true) : 0;
    t->a.scratch = get(t, DTS_OF_VALUES, dts_kernel_trial_scratch(t));
}

/* At most, with what orders them: rows, and for each its number and two more. */
static size_t list_bytes(const struct dts_kernel_trial *t)
{
    const size_t rows = (size_t)t->a.batch * dts_dims_elements(&t->call->inputs[0]);
    return rows * (dts_dims_features(&t->call->output) * sizeof(float) + 3 * sizeof(int32_t));
}

void dts_kernel_trial_count(struct dts_kernel_trial *t, bool with_inputs)
{
    t->bytes += t->lists ? list_bytes(t) : 0; // it takes them itself
    make_arrays(t, with_inputs);
    make_scratch(t);
}

void dts_kernel_trial_take(struct dts_kernel_trial *t, bool with_inputs)
{
    struct dts_error unsaid = {0};
    dts_kernel_trial_count(t, with_inputs);
    for (int k = 0; k < DTS_KINDS_OF_MEMORY; k++) {
        struct dts_kernel_piece *piece = &t->pieces[k];
        if (!dts_kernel_timer_get(t->timer, k, piece->bytes, &piece->there, &unsaid))
            t->failed = true;
        piece->bytes = 0;
    }
    t->bytes = 0;
    t->arrays = 0;
    if (t->failed)
        return;
    dts_kernel_trial_count(t, with_inputs);
}

void dts_kernel_trial_free(struct dts_kernel_trial *t)
{
    dts_sparse_free(&t->rows);
    for (int k = 0; k < DTS_KINDS_OF_MEMORY; k++)
        dts_space_give_back(t->timer->space, t->pieces[k].there);
}

struct dts_kernel_trial dts_kernel_trial_of(const struct dts_kernel_timer *timer,
                                            const struct dts_kernel_work *work)
{
    const struct dts_operation *op = dts_operation_find(work->call->op);
    struct dts_kernel_trial t = {.timer = timer, .op = op, .call = work->call};
    t.a.batch = work->batch;
    t.a.training = true;
    if (op != NULL)
        t.version = dts_place_version(dts_space_place(timer->space), op);
    t.backward = work->backward && op != NULL && t.version->backward != NULL;
    t.lists = t.backward && work->call->sparse && dts_sparse_has_lists(timer->space);
    return t;
}
