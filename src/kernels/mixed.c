/* mixed.c -- widens, calls the host's version, rounds. What is widened is found by going over
 * the arrays of a call; the same walk without memory says how much scratch it takes. */
#include "kernels/mixed.h"

#include "kernels/place.h"
#include "kernels/reduce/reduce.h"

enum { ALIGN = 64 }; // of scratch

/* Scratch that is given out from the front; base NULL: only counts. */
struct room {
    char *base;
    size_t used;
};

static void *take(struct room *room, size_t bytes)
{
    void *memory = room->base != NULL ? room->base + room->used : NULL;
    room->used += (bytes + ALIGN - 1) / ALIGN * ALIGN;
    return memory;
}

/* A call, and the arrays in 32 bits that it is carried out on. */
struct widening {
    const struct dts_operation *op;
    const struct dts_op_call *call;
    const struct dts_arrays *given;
    struct dts_arrays wide;
    struct room room;
    enum dts_half half;
    const struct dts_place *place;
};

static size_t values_of(const struct widening *w, const struct dts_dims *dims)
{
    return (size_t)w->given->batch * dts_dims_elements(dims);
}

static bool is_token(const struct widening *w, int input)
{
    return input == 0 && w->op->tokens;
}

static float *widen(struct widening *w, const void *half, size_t count)
{
    float *wide = take(&w->room, count * sizeof(*wide));
    if (wide != NULL)
        dts_reduce_widen(w->half, wide, half, count, w->place);
    return wide;
}

static void widen_inputs(struct widening *w)
{
    for (int i = 0; i < w->call->input_count; i++)
        if (!is_token(w, i))
            w->wide.x[i] = widen(w, w->given->x[i], values_of(w, &w->call->inputs[i]));
}

/* Rounded, and then as wide as before. */
static void round_weights(struct widening *w)
{
    for (int p = 0; p < w->call->param_count && w->op->products; p++) {
        const size_t count = w->call->params[p];
        float *rounded = take(&w->room, count * sizeof(*rounded));
        w->wide.w[p] = rounded;
        if (rounded != NULL)
            dts_reduce_round(w->half, rounded, w->given->w[p], count, w->place);
    }
}

static void place_forward(struct widening *w)
{
    widen_inputs(w);
    round_weights(w);
    if (!w->op->loss)
        w->wide.y = take(&w->room, values_of(w, &w->call->output) * sizeof(float));
}

static void place_backward(struct widening *w)
{
    const size_t outputs = w->op->loss ? 0 : values_of(w, &w->call->output);
    if (w->op->needs_x)
        widen_inputs(w);
    if (outputs > 0 && (w->op->needs_y || w->call->relu))
        w->wide.y = widen(w, w->given->y, outputs);
    if (outputs > 0)
        w->wide.dy = widen(w, w->given->dy, outputs);
    round_weights(w);
    for (int i = 0; i < w->call->input_count; i++) {
        const bool wanted = w->room.base != NULL ? w->given->dx[i] != NULL : !w->call->first;
        if (wanted && !is_token(w, i))
            w->wide.dx[i] = take(&w->room, values_of(w, &w->call->inputs[i]) * sizeof(float));
    }
}

/* Scratch of the version itself. */
static size_t own_bytes(const struct dts_operation *op, const struct dts_op_call *call,
                        int batch, bool backward, const struct dts_place *place)
{
    const struct dts_op_version *version = dts_place_version(place, op);
    size_t (*scratch)(const struct dts_op_call *, int, int) =
        backward ? version->backward_scratch : version->forward_scratch;
    return scratch != NULL ? scratch(call, batch, dts_workers_count(place->workers)) : 0;
}

/* With all arrays that the call needs in 32 bits, in the given scratch; without scratch it only
 * counts, and mixed is not asked. */
static struct widening widen_call(const struct dts_operation *op, const struct dts_mixed *mixed,
                                  const struct dts_op_call *call,
                                  const struct dts_arrays *given, const struct dts_place *place,
                                  bool backward)
{
    struct widening w = {.op = op, .call = call, .given = given, .wide = *given};
    w.place = place;
    w.half = mixed != NULL ? mixed->half : DTS_HALF_BF16;
    w.room.base = given->scratch;
    w.wide.scratch = take(&w.room, own_bytes(op, call, given->batch, backward, place));
    if (backward)
        place_backward(&w);
    else
        place_forward(&w);
    return w;
}

static size_t scratch(const struct dts_operation *op, const struct dts_op_call *call, int batch,
                      const struct dts_place *place, bool backward)
{
    const struct dts_arrays none = {.batch = batch};
    return widen_call(op, NULL, call, &none, place, backward).room.used;
}

size_t dts_mixed_forward_scratch(const struct dts_operation *op, const struct dts_op_call *call,
                                 int batch, const struct dts_place *place)
{
    return scratch(op, call, batch, place, false);
}

size_t dts_mixed_backward_scratch(const struct dts_operation *op,
                                  const struct dts_op_call *call, int batch,
                                  const struct dts_place *place)
{
    return scratch(op, call, batch, place, true);
}

void dts_mixed_forward(const struct dts_operation *op, const struct dts_mixed *mixed,
                       const struct dts_op_call *call, const struct dts_arrays *arrays,
                       const struct dts_place *place)
{
    struct widening w = widen_call(op, mixed, call, arrays, place, false);
    struct dts_place inner = *place;
    inner.mixed = mixed;
    dts_place_version(place, op)->forward(call, &w.wide, &inner);
    if (!op->loss && arrays->part != DTS_OP_SUMS)
        dts_reduce_narrow(w.half, arrays->y, w.wide.y, values_of(&w, &call->output), place);
}

void dts_mixed_backward(const struct dts_operation *op, const struct dts_mixed *mixed,
                        const struct dts_op_call *call, const struct dts_arrays *arrays,
                        const struct dts_place *place)
{
    struct widening w = widen_call(op, mixed, call, arrays, place, true);
    struct dts_place inner = *place;
    inner.mixed = mixed;
    dts_place_version(place, op)->backward(call, &w.wide, &inner);
    for (int i = 0; i < call->input_count && arrays->part != DTS_OP_SUMS; i++) {
        const size_t count = values_of(&w, &call->inputs[i]);
        if (arrays->dx[i] == NULL || is_token(&w, i))
            continue;
        if (op->loss && mixed->loss_scale != 1)
            dts_reduce_scale(w.wide.dx[i], mixed->loss_scale, count, place);
        dts_reduce_narrow(w.half, arrays->dx[i], w.wide.dx[i], count, place);
    }
}

void dts_mixed_rows(struct dts_sparse *list, const struct dts_operation *op, enum dts_half half,
                    const struct dts_op_call *call, const struct dts_arrays *arrays,
                    const struct dts_place *place)
{
    const struct dts_mixed mixed = {.half = half, .loss_scale = 1};
    const struct widening w = widen_call(op, &mixed, call, arrays, place, true);
    dts_sparse_gradient(list, call, &w.wide, place->workers);
}
