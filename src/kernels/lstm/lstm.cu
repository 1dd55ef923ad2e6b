/* lstm.cu -- the GPU version of lstm.c, which says what is computed, in the steps of
 * lstm_host.c: products for all steps at once where they do not depend on the state. */
#include "kernels/product/products.cuh"

extern "C" {
#include "kernels/lstm/lstm.h"
}

static __device__ float sigmoid(float x)
{
    return 1 / (1 + expf(-x));
}

/* Sizes and arrays, as a kernel takes them. */
struct lstm {
    struct dts_recurrent s;
    float *gates, *cells, *y; // [batch, steps, ...]
    const float *dy, *w_input, *w_state;
    float *da, *dh, *dc; // backward: [batch, steps, gates]; [batch, outputs] each
};

static struct lstm lstm_of(const struct dts_op_call *call, const struct dts_arrays *a)
{
    struct lstm l = {};
    l.s = dts_lstm_sizes(call, a->batch);
    const size_t rows = l.s.batch * l.s.steps;
    l.gates = (float *)a->saved, l.cells = l.gates + rows * l.s.gates;
    l.y = (float *)a->y, l.dy = (const float *)a->dy;
    l.w_input = (const float *)a->w[DTS_RECURRENT_BY_INPUT];
    l.w_state = (const float *)a->w[DTS_RECURRENT_BY_STATE];
    return l;
}

static void cells_forward(const struct lstm &l, size_t step, const struct dts_place *place)
{
    dts_for_each(l.s.batch * l.s.outputs, place, [=] __device__(size_t at) {
        const size_t n = l.s.outputs, o = at % n, row = at / n * l.s.steps + step;
        float *gates = l.gates + row * l.s.gates + o, *c = l.cells + row * n + o;
        const float i = sigmoid(gates[DTS_LSTM_INPUT * n]);
        const float f = sigmoid(gates[DTS_LSTM_FORGET * n]);
        const float g = tanhf(gates[DTS_LSTM_CELL * n]);
        const float u = sigmoid(gates[DTS_LSTM_OUTPUT * n]);
        gates[DTS_LSTM_INPUT * n] = i;
        gates[DTS_LSTM_FORGET * n] = f;
        gates[DTS_LSTM_CELL * n] = g;
        gates[DTS_LSTM_OUTPUT * n] = u;
        *c = i * g + (step > 0 ? f * *(c - n) : 0);
        l.y[row * n + o] = u * tanhf(*c);
    });
}

extern "C" void dts_lstm_forward_cuda(const struct dts_op_call *call,
                                      const struct dts_arrays *a, const struct dts_place *place)
{
    const struct lstm l = lstm_of(call, a);
    const struct dts_recurrent &s = l.s;
    const float *one = (const float *)a->w[DTS_RECURRENT_BIAS_INPUT];
    const float *two = (const float *)a->w[DTS_RECURRENT_BIAS_STATE];
    dts_for_each(s.batch * s.steps * s.gates, place, [=] __device__(size_t i) {
        l.gates[i] = one[i % l.s.gates] + two[i % l.s.gates];
    });
    struct dts_gemm product = {};
    product.transpose_b = true;
    product.m = s.batch * s.steps, product.n = s.gates, product.k = s.features;
    product.a = (const float *)a->x[0], product.lda = s.features;
    product.b = l.w_input, product.ldb = s.features;
    product.c = l.gates, product.ldc = s.gates;
    product.beta = 1;
    dts_gemm_cuda(product, place);
    product.m = s.batch, product.k = s.outputs, product.lda = s.steps * s.outputs;
    product.b = l.w_state, product.ldb = s.outputs;
    product.ldc = s.steps * s.gates;
    for (size_t t = 0; t < s.steps; t++) {
        product.a = l.y + (t > 0 ? t - 1 : 0) * s.outputs;
        product.c = l.gates + t * s.gates;
        if (t > 0)
            dts_gemm_cuda(product, place);
        cells_forward(l, t, place);
    }
}

static void cells_backward(const struct lstm &l, size_t step, const struct dts_place *place)
{
    dts_for_each(l.s.batch * l.s.outputs, place, [=] __device__(size_t at) {
        const size_t n = l.s.outputs, o = at % n, row = at / n * l.s.steps + step;
        const float *gates = l.gates + row * l.s.gates + o, *c = l.cells + row * n + o;
        const float i = gates[DTS_LSTM_INPUT * n], f = gates[DTS_LSTM_FORGET * n];
        const float g = gates[DTS_LSTM_CELL * n], u = gates[DTS_LSTM_OUTPUT * n];
        const float bent = tanhf(*c), dh = l.dy[row * n + o] + l.dh[at];
        const float d = l.dc[at] + dh * u * (1 - bent * bent);
        float *da = l.da + row * l.s.gates + o;
        da[DTS_LSTM_INPUT * n] = d * g * i * (1 - i);
        da[DTS_LSTM_FORGET * n] = step > 0 ? d * *(c - n) * f * (1 - f) : 0;
        da[DTS_LSTM_CELL * n] = d * i * (1 - g * g);
        da[DTS_LSTM_OUTPUT * n] = dh * bent * u * (1 - u);
        l.dc[at] = d * f;
    });
}

static void steps_backward(const struct lstm &l, const struct dts_place *place)
{
    const struct dts_recurrent &s = l.s;
    struct dts_gemm to_state = {};
    to_state.m = s.batch, to_state.n = s.outputs, to_state.k = s.gates;
    to_state.lda = s.steps * s.gates;
    to_state.b = l.w_state, to_state.ldb = s.outputs;
    to_state.c = l.dh, to_state.ldc = s.outputs;
    cudaMemsetAsync(l.dh, 0, 2 * s.batch * s.outputs * sizeof(float), dts_stream(place));
    for (size_t t = s.steps; t-- > 0;) {
        cells_backward(l, t, place);
        to_state.a = l.da + t * s.gates;
        if (t > 0)
            dts_gemm_cuda(to_state, place);
    }
}

extern "C" void dts_lstm_backward_cuda(const struct dts_op_call *call,
                                       const struct dts_arrays *a,
                                       const struct dts_place *place)
{
    struct lstm l = lstm_of(call, a);
    const struct dts_recurrent &s = l.s;
    const size_t rows = s.batch * s.steps;
    l.da = (float *)a->scratch, l.dh = l.da + rows * s.gates;
    l.dc = l.dh + s.batch * s.outputs;
    steps_backward(l, place);
    dts_recurrent_backward_cuda(&s, a, l.da, l.da, place);
}
