/* kernel_time.c -- arrays for one call, and its clock. */
#include "exec/kernel_time.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/pages.h"
#include "base/rng.h"
#include "ops/cpu_pace.h"
#include "ops/mixed.h"
#include "ops/reduce.h"

enum { ARRAYS = 64, PATTERN = 4096, LINE = 64 }; // LINE: bytes that a cache moves at once

/* One call with its arrays, which `owned` holds for the end. */
struct trial {
    const struct dts_kernel_timer *timer;
    const struct dts_operation *op;
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

bool dts_kernel_timer_make(struct dts_kernel_timer *timer, const struct dts_meter *meter,
                           int threads, enum dts_precision precision, struct dts_error *err)
{
    const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    *timer = (struct dts_kernel_timer){.meter = *meter};
    timer->mixed = dts_precision_is_half(precision, &timer->half);
    timer->flush_bytes = cache > 0 ? 2 * (size_t)cache : 64u << 20;
    timer->around_bytes = SIZE_MAX;
    timer->forward = timer->backward = (struct dts_gap){1, DTS_FORGOTTEN_S};
    timer->flush = calloc(timer->flush_bytes, 1);
    if (timer->flush == NULL)
        return dts_fail(err, DTS_SYSTEM, "no memory to time kernels in");
    timer->workers = dts_workers_new(threads);
    timer->pace = dts_cpu_pace(timer->workers);
    timer->meter.pace = &timer->pace;
    return true;
}

void dts_kernel_timer_flush(const struct dts_kernel_timer *timer, const struct dts_gap *gap,
                            size_t own_bytes)
{
    const size_t rest = timer->around_bytes > own_bytes ? timer->around_bytes - own_bytes : 0;
    const size_t count = (size_t)fmin(gap->share * (double)rest, (double)timer->flush_bytes);
    const double begin_s = dts_now_s();
    volatile char *bytes = timer->flush;
    for (size_t i = 0; i < count; i += LINE)
        bytes[i]++;
    while (dts_now_s() < begin_s + gap->seconds)
        continue; // a sleep would let the clock of the processor fall
}

void dts_kernel_timer_refresh(void *fresh, size_t count)
{
    volatile char *bytes = fresh;
    for (size_t i = 0; i < count; i += LINE)
        bytes[i] = bytes[i];
}

void dts_kernel_timer_free(struct dts_kernel_timer *timer)
{
    free(timer->flush);
    dts_workers_free(timer->workers);
    *timer = (struct dts_kernel_timer){.flush = NULL};
}

static void *get(struct trial *t, size_t bytes)
{
    t->bytes += bytes;
    if (t->counts)
        return NULL;
    void *memory = dts_pages(bytes); // as a network's
    t->failed = t->failed || memory == NULL;
    if (memory != NULL)
        t->owned[t->owned_count++] = memory;
    return memory;
}

/* Normal numbers; a pattern repeats, drawing each would take longer than the kernels. */
static void *get_random(struct trial *t, size_t count, double scale)
{
    float *values = get(t, count * sizeof(*values));
    for (size_t i = 0; values != NULL && i < count; i++)
        values[i] = i < PATTERN ? (float)(scale * dts_normal(1, (uint64_t)t->owned_count, i))
                                : values[i - PATTERN];
    return values;
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
    uint16_t *values = get(t, count * sizeof(*values));
    for (size_t i = 0; values != NULL && i < count; i++) {
        const float drawn = i < PATTERN ? (float)dts_normal(1, (uint64_t)t->owned_count, i) : 0;
        if (i < PATTERN)
            dts_reduce_narrow(t->timer->half, &values[i], &drawn, 1, NULL);
        else
            values[i] = values[i - PATTERN];
    }
    return values;
}

static void *get_integers(struct trial *t, size_t count, size_t most)
{
    int32_t *values = get(t, count * sizeof(*values));
    for (size_t i = 0; values != NULL && i < count; i++)
        values[i] = (int32_t)(dts_random(1, 0, i) % most);
    return values;
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
    const int workers = dts_workers_count(t->timer->workers);
    size_t (*host)(const struct dts_op_call *, int, int) =
        backward ? t->op->host.backward_scratch : t->op->host.forward_scratch;
    const struct dts_place place = {.workers = t->timer->workers};
    if (t->timer->mixed)
        return (backward ? dts_mixed_backward_scratch
                         : dts_mixed_forward_scratch)(t->op, t->call, t->a.batch, &place);
    return host != NULL ? host(t->call, t->a.batch, workers) : 0;
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
    dts_kernel_timer_refresh(t->fresh, t->fresh_bytes);
}

static void run_forward(void *argument)
{
    const struct trial *t = argument;
    const struct dts_place place = {.workers = t->timer->workers};
    const struct dts_mixed mixed = {t->timer->half, 1};
    if (t->timer->mixed)
        dts_mixed_forward(t->op, &mixed, t->call, &t->a, &place);
    else
        t->op->host.forward(t->call, &t->a, &place);
}

static void run_backward(void *argument)
{
    const struct trial *t = argument;
    const struct dts_place place = {.workers = t->timer->workers};
    const struct dts_mixed mixed = {t->timer->half, 1};
    if (t->timer->mixed)
        dts_mixed_backward(t->op, &mixed, t->call, &t->a, &place);
    else
        t->op->host.backward(t->call, &t->a, &place);
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
    t.backward = work->backward && op != NULL && op->host.backward != NULL;
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
    if (t.op == NULL || t.op->host.forward == NULL)
        return dts_fail(err, DTS_UNSUPPORTED, "no operation carries out %s", work->call->op);
    take_memory(&t, work->with_inputs);
    if (!t.failed)
        time_both(&t, out);
    else
        dts_fail(err, DTS_SYSTEM, "no memory to time %s in", dts_op_call_key(work->call).chars);
    out->bytes = t.bytes;
    for (int i = 0; i < t.owned_count; i++)
        free(t.owned[i]);
    return !t.failed;
}
