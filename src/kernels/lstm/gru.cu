/* gru.cu -- the GPU version of gru.c, which says what is computed, in the steps of gru_host.c.
 */
#include "kernels/product/products.cuh"

extern "C" {
#include "kernels/lstm/gru.h"
}

static __device__ float sigmoid(float x)
{
    return 1 / (1 + expf(-x));
}

/* Sizes and arrays, as a kernel takes them. */
struct gru {
    struct dts_recurrent s;
    float *kept, *y; // [batch, steps, ...]
    const float *dy, *w_input, *w_state;
    float *da, *ds, *dh; // backward: [batch, steps, gates] each; [batch, outputs]
};

static struct gru gru_of(const struct dts_op_call *call, const struct dts_arrays *a)
{
    struct gru g = {};
    g.s = dts_gru_sizes(call, a->batch);
    g.kept = (float *)a->saved;
    g.y = (float *)a->y, g.dy = (const float *)a->dy;
    g.w_input = (const float *)a->w[DTS_RECURRENT_BY_INPUT];
    g.w_state = (const float *)a->w[DTS_RECURRENT_BY_STATE];
    return g;
}

static void cells_forward(const struct gru &g, size_t step, const struct dts_place *place)
{
    dts_for_each(g.s.batch * g.s.outputs, place, [=] __device__(size_t at) {
        const size_t n = g.s.outputs, o = at % n, row = at / n * g.s.steps + step;
        float *kept = g.kept + row * g.s.kept + o, *y = g.y + row * n + o;
        const float r = sigmoid(kept[DTS_GRU_RESET * n]);
        const float z = sigmoid(kept[DTS_GRU_UPDATE * n]);
        const float q = kept[DTS_GRU_STATE * n];
        const float next = tanhf(kept[DTS_GRU_NEW * n] + r * q);
        kept[DTS_GRU_RESET * n] = r;
        kept[DTS_GRU_UPDATE * n] = z;
        kept[DTS_GRU_NEW * n] = next;
        *y = (1 - z) * next + (step > 0 ? z * *(y - n) : 0);
    });
}

static void start_from_biases(const struct gru &g, const float *one, const float *two,
                              const struct dts_place *place)
{
    dts_for_each(g.s.batch * g.s.steps * g.s.kept, place, [=] __device__(size_t i) {
        const size_t n = g.s.outputs, at = i % g.s.kept, gate = at / n;
        g.kept[i] = gate == DTS_GRU_STATE ? two[at - n]
                    : gate == DTS_GRU_NEW ? one[at]
                                          : one[at] + two[at];
    });
}

/* kept[to ..] += w_state h of the step before, of all samples. */
static void add_state(const struct gru &g, size_t step, size_t gate, size_t gates, size_t to,
                      const struct dts_place *place)
{
    const struct dts_recurrent &s = g.s;
    struct dts_gemm product = {};
    product.transpose_b = true;
    product.m = s.batch, product.n = gates * s.outputs, product.k = s.outputs;
    product.a = g.y + (step - 1) * s.outputs, product.lda = s.steps * s.outputs;
    product.b = g.w_state + gate * s.outputs * s.outputs, product.ldb = s.outputs;
    product.c = g.kept + step * s.kept + to * s.outputs, product.ldc = s.steps * s.kept;
    product.beta = 1;
    dts_gemm_cuda(product, place);
}

extern "C" void dts_gru_forward_cuda(const struct dts_op_call *call, const struct dts_arrays *a,
                                     const struct dts_place *place)
{
    const struct gru g = gru_of(call, a);
    const struct dts_recurrent &s = g.s;
    start_from_biases(g, (const float *)a->w[DTS_RECURRENT_BIAS_INPUT],
                      (const float *)a->w[DTS_RECURRENT_BIAS_STATE], place);
    struct dts_gemm product = {};
    product.transpose_b = true;
    product.m = s.batch * s.steps, product.n = s.gates, product.k = s.features;
    product.a = (const float *)a->x[0], product.lda = s.features;
    product.b = g.w_input, product.ldb = s.features;
    product.c = g.kept, product.ldc = s.kept;
    product.beta = 1;
    dts_gemm_cuda(product, place);
    for (size_t t = 0; t < s.steps; t++) {
        if (t > 0) {
            add_state(g, t, DTS_GRU_RESET, 2, DTS_GRU_RESET, place);
            add_state(g, t, DTS_GRU_NEW, 1, DTS_GRU_STATE, place);
        }
        cells_forward(g, t, place);
    }
}

static void cells_backward(const struct gru &g, size_t step, const struct dts_place *place)
{
    dts_for_each(g.s.batch * g.s.outputs, place, [=] __device__(size_t at) {
        const size_t n = g.s.outputs, o = at % n, row = at / n * g.s.steps + step;
        const float *kept = g.kept + row * g.s.kept + o, *y = g.y + row * n + o;
        const float r = kept[DTS_GRU_RESET * n], z = kept[DTS_GRU_UPDATE * n];
        const float next = kept[DTS_GRU_NEW * n], q = kept[DTS_GRU_STATE * n];
        const float all = g.dh[at] + g.dy[row * n + o], dn = all * (1 - z) * (1 - next * next);
        float *da = g.da + row * g.s.gates + o, *ds = g.ds + row * g.s.gates + o;
        da[DTS_GRU_RESET * n] = ds[DTS_GRU_RESET * n] = dn * q * r * (1 - r);
        da[DTS_GRU_UPDATE * n] = ds[DTS_GRU_UPDATE * n] =
            all * ((step > 0 ? *(y - n) : 0) - next) * z * (1 - z);
        da[DTS_GRU_NEW * n] = dn;
        ds[DTS_GRU_NEW * n] = dn * r;
        g.dh[at] = all * z;
    });
}

static void steps_backward(const struct gru &g, const struct dts_place *place)
{
    const struct dts_recurrent &s = g.s;
    struct dts_gemm to_state = {};
    to_state.m = s.batch, to_state.n = s.outputs, to_state.k = s.gates;
    to_state.lda = s.steps * s.gates;
    to_state.b = g.w_state, to_state.ldb = s.outputs;
    to_state.c = g.dh, to_state.ldc = s.outputs;
    to_state.beta = 1;
    cudaMemsetAsync(g.dh, 0, s.batch * s.outputs * sizeof(float), dts_stream(place));
    for (size_t t = s.steps; t-- > 0;) {
        cells_backward(g, t, place);
        to_state.a = g.ds + t * s.gates;
        if (t > 0)
            dts_gemm_cuda(to_state, place);
    }
}

extern "C" void dts_gru_backward_cuda(const struct dts_op_call *call,
                                      const struct dts_arrays *a, const struct dts_place *place)
{
    struct gru g = gru_of(call, a);
    const struct dts_recurrent &s = g.s;
    const size_t rows = s.batch * s.steps;
    g.da = (float *)a->scratch, g.ds = g.da + rows * s.gates, g.dh = g.ds + rows * s.gates;
    steps_backward(g, place);
    dts_recurrent_backward_cuda(&s, a, g.da, g.ds, place);
}
