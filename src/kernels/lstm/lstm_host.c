/* lstm_host.c -- the LSTM on a CPU. What inputs bring to the gates is one product for all
 * steps, and so are the gradients of inputs and weights; only the product with the state and
 * the cell itself go step by step, all samples at once.
 */
#include <string.h>

#include "kernels/lstm/lstm.h"
#include "kernels/product/gemm.h"
#include "kernels/vector/vector_math.h"

/* One step of all samples; workers share samples x outputs. */
struct job {
    struct dts_recurrent sizes;
    const struct dts_arrays *a;
    size_t step;
    float *da, *dh, *dc; // backward: [batch, steps, gates]; [batch, outputs] each
};

static void start_from_biases(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    const struct dts_recurrent *s = &job->sizes;
    const float *restrict one = job->a->w[DTS_RECURRENT_BIAS_INPUT];
    const float *restrict two = job->a->w[DTS_RECURRENT_BIAS_STATE];
    size_t first;
    const size_t count = dts_share_of(s->batch * s->steps, worker, workers, &first);
    for (size_t row = first; row < first + count; row++) {
        float *restrict gates = (float *)job->a->saved + row * s->gates;
        for (size_t i = 0; i < s->gates; i++)
            gates[i] = one[i] + two[i];
    }
}

/* The part of a sample's outputs in a worker's share of all: [*begin, *end). */
static bool part_of_sample(size_t outputs, size_t sample, size_t first, size_t count,
                           size_t *begin, size_t *end)
{
    const size_t from = sample * outputs, last = first + count;
    *begin = first > from ? first - from : 0;
    *end = last < from + outputs ? last - from : outputs;
    return first < from + outputs && last > from;
}

static void cells_forward(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    const struct dts_recurrent *s = &job->sizes;
    const size_t n = s->outputs;
    size_t first, begin, end;
    const size_t count = dts_share_of(s->batch * n, worker, workers, &first);
    for (size_t b = first / n; b < s->batch; b++) {
        if (!part_of_sample(n, b, first, count, &begin, &end))
            break;
        const size_t row = b * s->steps + job->step;
        float *restrict gates = (float *)job->a->saved + row * s->gates;
        float *c = (float *)job->a->saved + s->batch * s->steps * s->gates + row * n;
        float *restrict y = (float *)job->a->y + row * n;
        const float *before = job->step > 0 ? c - n : NULL;
#pragma omp simd
        for (size_t o = begin; o < end; o++) {
            const float i = dts_sigmoid(gates[DTS_LSTM_INPUT * n + o]);
            const float f = dts_sigmoid(gates[DTS_LSTM_FORGET * n + o]);
            const float g = dts_tanh(gates[DTS_LSTM_CELL * n + o]);
            const float u = dts_sigmoid(gates[DTS_LSTM_OUTPUT * n + o]);
            gates[DTS_LSTM_INPUT * n + o] = i;
            gates[DTS_LSTM_FORGET * n + o] = f;
            gates[DTS_LSTM_CELL * n + o] = g;
            gates[DTS_LSTM_OUTPUT * n + o] = u;
            c[o] = i * g + (before != NULL ? f * before[o] : 0);
            y[o] = u * dts_tanh(c[o]);
        }
    }
}

void dts_lstm_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                           const struct dts_place *place)
{
    struct job job = {.sizes = dts_lstm_sizes(call, a->batch), .a = a};
    const struct dts_recurrent *s = &job.sizes;
    dts_workers_run(place->workers, start_from_biases, &job);
    const struct dts_gemm by_input = {
        .transpose_b = true,
        .m = s->batch * s->steps,
        .n = s->gates,
        .k = s->features,
        .a = a->x[0],
        .lda = s->features,
        .b = a->w[DTS_RECURRENT_BY_INPUT],
        .ldb = s->features,
        .c = a->saved,
        .ldc = s->gates,
        .beta = 1,
    };
    dts_gemm(&by_input, place->workers);
    for (job.step = 0; job.step < s->steps; job.step++) {
        const struct dts_gemm by_state = {
            .transpose_b = true,
            .m = s->batch,
            .n = s->gates,
            .k = s->outputs,
            .a = (const float *)a->y + (job.step > 0 ? job.step - 1 : 0) * s->outputs,
            .lda = s->steps * s->outputs,
            .b = a->w[DTS_RECURRENT_BY_STATE],
            .ldb = s->outputs,
            .c = (float *)a->saved + job.step * s->gates,
            .ldc = s->steps * s->gates,
            .beta = 1,
        };
        if (job.step > 0)
            dts_gemm(&by_state, place->workers);
        dts_workers_run(place->workers, cells_forward, &job);
    }
}

size_t dts_lstm_backward_scratch(const struct dts_op_call *call, int batch, int workers)
{
    (void)workers;
    const struct dts_recurrent s = dts_lstm_sizes(call, batch);
    return s.batch * (s.steps * s.gates + 2 * s.outputs) * sizeof(float);
}

/* dh: what step + 1 sends back, without dy. */
static void cells_backward(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    const struct dts_recurrent *s = &job->sizes;
    const size_t n = s->outputs;
    size_t first, begin, end;
    const size_t count = dts_share_of(s->batch * n, worker, workers, &first);
    for (size_t b = first / n; b < s->batch; b++) {
        if (!part_of_sample(n, b, first, count, &begin, &end))
            break;
        const size_t row = b * s->steps + job->step;
        const float *restrict gates = (const float *)job->a->saved + row * s->gates;
        const float *c =
            (const float *)job->a->saved + s->batch * s->steps * s->gates + row * n;
        const float *before = job->step > 0 ? c - n : NULL;
        const float *restrict dy = (const float *)job->a->dy + row * n;
        const float *restrict dh_after = job->dh + b * n;
        float *restrict dc = job->dc + b * n, *restrict da = job->da + row * s->gates;
#pragma omp simd
        for (size_t o = begin; o < end; o++) {
            const float i = gates[DTS_LSTM_INPUT * n + o];
            const float f = gates[DTS_LSTM_FORGET * n + o];
            const float g = gates[DTS_LSTM_CELL * n + o];
            const float u = gates[DTS_LSTM_OUTPUT * n + o];
            const float bent = dts_tanh(c[o]), dh = dy[o] + dh_after[o];
            const float d = dc[o] + dh * u * (1 - bent * bent);
            da[DTS_LSTM_INPUT * n + o] = d * g * i * (1 - i);
            da[DTS_LSTM_FORGET * n + o] = before != NULL ? d * before[o] * f * (1 - f) : 0;
            da[DTS_LSTM_CELL * n + o] = d * i * (1 - g * g);
            da[DTS_LSTM_OUTPUT * n + o] = dh * bent * u * (1 - u);
            dc[o] = d * f;
        }
    }
}

static void steps_backward(struct job *job, struct dts_workers *workers)
{
    const struct dts_recurrent *s = &job->sizes;
    memset(job->dh, 0, 2 * s->batch * s->outputs * sizeof(float)); // and dc
    for (job->step = s->steps; job->step-- > 0;) {
        dts_workers_run(workers, cells_backward, job);
        const struct dts_gemm to_state = {
            .m = s->batch,
            .n = s->outputs,
            .k = s->gates,
            .a = job->da + job->step * s->gates,
            .lda = s->steps * s->gates,
            .b = job->a->w[DTS_RECURRENT_BY_STATE],
            .ldb = s->outputs,
            .c = job->dh,
            .ldc = s->outputs,
        };
        if (job->step > 0)
            dts_gemm(&to_state, workers);
    }
}

void dts_lstm_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                            const struct dts_place *place)
{
    struct job job = {.sizes = dts_lstm_sizes(call, a->batch), .a = a, .da = a->scratch};
    const struct dts_recurrent *s = &job.sizes;
    const size_t rows = s->batch * s->steps;
    job.dh = job.da + rows * s->gates;
    job.dc = job.dh + s->batch * s->outputs;
    steps_backward(&job, place->workers);
    dts_recurrent_backward_host(s, a, job.da, job.da, place);
}
