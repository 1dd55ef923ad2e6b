/* kernel_time.c -- arrays for one call, where it runs, and its clock. */
#include "exec/kernel_time.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "ops/mixed.h"
#include "ops/place.h"
#include "ops/reduce.h"

/* PATTERN: random numbers are drawn so many at a time; PATTERNS: so many in one copy. */
enum { ARRAYS = 64, PATTERN = 4096, PATTERNS = 64 };

/* One call with its arrays, which `owned` holds for the end. */
struct trial {
    const struct dts_kernel_timer *timer;
    const struct dts_operation *op;
    const struct dts_op_version *version; // of the place
    const struct dts_op_call *call;
    struct dts_arrays a;
    void *owned[ARRAYS];
    int owned_count;
    bool failed; // memory was missing
    bool counts; // bytes alone: nothing is taken
    void *fresh; // written just before the call
    size_t fresh_bytes, bytes;
    bool backward;
    const struct dts_gap *gap; // before the next run
};

static void *get(struct trial *t, size_t bytes)
{
    t->bytes += bytes;
    if (t->counts)
        return NULL;
    struct dts_error unsaid = {0};
    void *memory = NULL;
    if (t->failed || !dts_space_get(t->timer->space, bytes, &memory, &unsaid)) {
        t->failed = true;
        return NULL;
    }
    return t->owned[t->owned_count++] = memory;
}

/* Normal numbers, to be freed; a pattern repeats, drawing each would take longer than the
 * kernels. */
static float *draw(const struct trial *t, double scale)
{
    float *values = dts_alloc(PATTERN * PATTERNS, sizeof(*values));
    for (size_t i = 0; i < PATTERN * PATTERNS; i++)
        values[i] = i < PATTERN ? (float)(scale * dts_normal(1, (uint64_t)t->owned_count, i))
                                : values[i - PATTERN];
    return values;
}

static void *get_random(struct trial *t, size_t count, double scale)
{
    const size_t bytes = count * sizeof(float);
    void *there = get(t, bytes);
    if (there == NULL)
        return NULL;
    float *values = draw(t, scale);
    dts_space_fill(t->timer->space, there, bytes, values, PATTERN * PATTERNS * sizeof(*values));
    free(values);
    return there;
}

/* Bytes of a value that layers hand one another. */
static size_t real_of(const struct trial *t)
{
    return t->timer->mixed ? sizeof(uint16_t) : sizeof(float);
}

/* The same, as layers hand them one another. */
static void *get_handed(struct trial *t, size_t count)
{
    if (!t->timer->mixed)
        return get_random(t, count, 1);
    const size_t bytes = count * sizeof(uint16_t);
    void *there = get(t, bytes);
    if (there == NULL)
        return NULL;
    float *values = draw(t, 1);
    uint16_t *narrow = dts_alloc(PATTERN * PATTERNS, sizeof(*narrow));
    dts_reduce_narrow(t->timer->half, narrow, values, PATTERN * PATTERNS, NULL);
    dts_space_fill(t->timer->space, there, bytes, narrow, PATTERN * PATTERNS * sizeof(*narrow));
    free(narrow);
    free(values);
    return there;
}

static void *get_integers(struct trial *t, size_t count, size_t most)
{
    const size_t bytes = count * sizeof(int32_t);
    void *there = get(t, bytes);
    if (there == NULL)
        return NULL;
    int32_t *values = dts_alloc(count + 1, sizeof(*values));
    for (size_t i = 0; i < count; i++)
        values[i] = (int32_t)(dts_random(1, 0, i) % most);
    dts_space_fill(t->timer->space, there, bytes, values, bytes);
    free(values);
    return there;
}

static void make_inputs(struct trial *t, bool with_inputs)
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
            t->a.dx[i] = get(t, count * real_of(t));
    }
    const size_t first = batch * dts_dims_elements(&call->inputs[0]);
    if (t->op->loss && t->op->classes)
        t->a.target = get_integers(t, batch * dts_dims_positions(&call->inputs[0]),
                                   dts_dims_features(&call->inputs[0]));
    else if (t->op->loss)
        t->a.target = get_random(t, first, 1);
}

/* Weights as small as they are in training, so that no value overflows. */
static void make_arrays(struct trial *t, bool with_inputs)
{
    const struct dts_op_call *call = t->call;
    const size_t batch = (size_t)t->a.batch;
    const size_t outputs = batch * (t->op->loss ? 1 : dts_dims_elements(&call->output));
    make_inputs(t, with_inputs);
    for (int p = 0; p < call->param_count; p++) {
        t->a.w[p] = get_random(t, call->params[p], 0.05);
        if (t->backward)
            t->a.dw[p] = get(t, call->params[p] * sizeof(float));
    }
    t->a.y = get(t, outputs * (t->op->loss ? sizeof(float) : real_of(t)));
    if (t->backward && !t->op->loss)
        t->a.dy = get_handed(t, outputs);
    if (t->op->saved_bytes != NULL)
        t->a.saved = get(t, t->op->saved_bytes(call, t->a.batch, sizeof(float)));
    if (t->op->state_bytes != NULL)
        t->a.state = get(t, t->op->state_bytes(call, t->a.batch, sizeof(float)));
}

static size_t scratch_bytes(const struct trial *t, bool backward)
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

static void make_scratch(struct trial *t)
{
    const size_t forward = scratch_bytes(t, false);
    const size_t backward = t->backward ? scratch_bytes(t, true) : 0;
    t->a.scratch = get(t, forward > backward ? forward : backward);
}

static void flush_and_refresh(void *argument)
{
    const struct trial *t = argument;
    dts_kernel_timer_flush(t->timer, t->gap, t->bytes);
    dts_kernel_timer_refresh(t->timer, t->fresh, t->fresh_bytes);
}

static void run(const struct trial *t, bool backward)
{
    struct dts_space *space = t->timer->space;
    const struct dts_place *place = dts_space_place(space);
    const struct dts_mixed mixed = {t->timer->half, 1};
    dts_space_enter(space);
    if (t->timer->mixed)
        (backward ? dts_mixed_backward : dts_mixed_forward)(t->op, &mixed, t->call, &t->a,
                                                            place);
    else
        (backward ? t->version->backward : t->version->forward)(t->call, &t->a, place);
    dts_space_leave(space);
    dts_space_wait(space);
}

static void run_forward(void *argument)
{
    run(argument, false);
}

static void run_backward(void *argument)
{
    run(argument, true);
}

static void time_both(struct trial *t, struct dts_kernel_times *out)
{
    struct dts_meter meter = t->timer->meter;
    meter.prepare = flush_and_refresh;
    t->gap = &t->timer->forward;
    t->fresh = (void *)t->a.x[0];
    t->fresh_bytes = (size_t)t->a.batch * dts_dims_elements(&t->call->inputs[0]) *
                     (t->op->tokens ? sizeof(int32_t) : real_of(t));
    dts_measure_more(&meter, run_forward, t, &out->forward);
    if (!t->backward)
        return;
    t->gap = &t->timer->backward;
    t->fresh = (void *)t->a.dy;
    t->fresh_bytes =
        t->a.dy == NULL ? 0
                        : (size_t)t->a.batch * dts_dims_elements(&t->call->output) * real_of(t);
    dts_measure_more(&meter, run_backward, t, &out->backward);
}

static struct trial trial_of(const struct dts_kernel_timer *timer,
                             const struct dts_kernel_work *work)
{
    const struct dts_operation *op = dts_operation_find(work->call->op);
    struct trial t = {.timer = timer, .op = op, .call = work->call};
    t.a.batch = work->batch;
    t.a.training = true;
    if (op != NULL)
        t.version = dts_place_version(dts_space_place(timer->space), op);
    t.backward = work->backward && op != NULL && t.version->backward != NULL;
    return t;
}

static void take_memory(struct trial *t, bool with_inputs)
{
    make_arrays(t, with_inputs);
    make_scratch(t);
}

size_t dts_kernel_bytes(const struct dts_kernel_timer *timer,
                        const struct dts_kernel_work *work)
{
    struct trial t = trial_of(timer, work);
    t.counts = true;
    if (t.op != NULL)
        take_memory(&t, work->with_inputs);
    return t.bytes;
}

bool dts_kernel_time(const struct dts_kernel_timer *timer, const struct dts_kernel_work *work,
                     struct dts_kernel_times *out, struct dts_error *err)
{
    struct trial t = trial_of(timer, work);
    if (t.op == NULL || t.version->forward == NULL)
        return dts_fail(err, DTS_UNSUPPORTED, "no operation carries out %s", work->call->op);
    take_memory(&t, work->with_inputs);
    if (!t.failed)
        time_both(&t, out);
    else
        dts_fail(err, DTS_SYSTEM, "no memory to time %s in", dts_op_call_key(work->call).chars);
    out->bytes = t.bytes;
    for (int i = 0; i < t.owned_count; i++)
        dts_space_give_back(timer->space, t.owned[i]);
    return !t.failed && dts_kernel_timer_works(timer, err);
}
