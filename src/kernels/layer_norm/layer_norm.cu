/* layer_norm.cu -- the GPU version of layer_norm.c, which says what is computed.
 *
 * One warp takes one row. Neighbouring lanes read neighbouring features, so each pass over the
 * row is coalesced, and sums stay in registers: no shared memory, no block barrier. Sums over
 * rows (dw, db): a thread takes a feature and part of the rows, then another adds the parts.
 */
#include "kernels/space/device.cuh"

extern "C" {
#include "kernels/layer_norm/layer_norm.h"
}

enum { ROWS = 8 /* of a block */, MOST_PARTS = 64 };

struct sizes {
    size_t rows, features;
    bool centred;
    float epsilon;
};

static struct sizes sizes_of(const struct dts_op_call *call, int batch, bool centred)
{
    return {(size_t)batch * dts_dims_positions(&call->output), dts_dims_features(&call->output),
            centred, (float)dts_op_epsilon(call)};
}

static unsigned blocks_of(struct sizes s)
{
    return (unsigned)((s.rows + ROWS - 1) / ROWS);
}

static __global__ void normalize(struct sizes s, const float *x, const float *w, const float *b,
                                 float *y, float *saved)
{
    const size_t row = (size_t)blockIdx.x * ROWS + threadIdx.y;
    if (row >= s.rows)
        return;
    const float *xr = x + row * s.features;
    float *yr = y + row * s.features;

    float sum = 0;
    for (size_t i = threadIdx.x; i < s.features && s.centred; i += DTS_WARP)
        sum += xr[i];
    const float mean = dts_sum_over_warp(sum) / s.features;

    float squares = 0;
    for (size_t i = threadIdx.x; i < s.features; i += DTS_WARP)
        squares += (xr[i] - mean) * (xr[i] - mean);
    const float variance = dts_sum_over_warp(squares) / s.features;
    const float r = 1 / sqrtf(variance + s.epsilon);

    for (size_t i = threadIdx.x; i < s.features; i += DTS_WARP)
        yr[i] = w[i] * ((xr[i] - mean) * r) + (s.centred ? b[i] : 0);
    if (threadIdx.x == 0) {
        saved[row] = r;
        if (s.centred)
            saved[s.rows + row] = mean;
    }
}

static __global__ void data_backward(struct sizes s, const float *x, const float *dy,
                                     const float *w, const float *saved, float *dx)
{
    const size_t row = (size_t)blockIdx.x * ROWS + threadIdx.y;
    if (row >= s.rows)
        return;
    const float *xr = x + row * s.features, *dyr = dy + row * s.features;
    const float r = saved[row], mean = s.centred ? saved[s.rows + row] : 0;

    float sum = 0, products = 0;
    for (size_t i = threadIdx.x; i < s.features; i += DTS_WARP) {
        const float g = w[i] * dyr[i];
        sum += s.centred ? g : 0;
        products += g * (xr[i] - mean) * r;
    }
    sum = dts_sum_over_warp(sum) / s.features;
    products = dts_sum_over_warp(products) / s.features;

    for (size_t i = threadIdx.x; i < s.features; i += DTS_WARP)
        dx[row * s.features + i] = r * (w[i] * dyr[i] - sum - (xr[i] - mean) * r * products);
}

static int parts_of(struct sizes s)
{
    const size_t parts = (s.rows + ROWS - 1) / ROWS;
    return (int)(parts < MOST_PARTS ? parts : MOST_PARTS);
}

extern "C" size_t dts_layer_norm_scratch_cuda(const struct dts_op_call *call, int batch,
                                              int workers)
{
    (void)workers;
    const struct sizes s = sizes_of(call, batch, true);
    return parts_of(s) * s.features * sizeof(float2);
}

/* sums[part][feature]: of dy h and of dy, over the rows part, part + parts, ... */
static __global__ void gather(struct sizes s, const float *x, const float *dy,
                              const float *saved, float2 *sums)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= s.features)
        return;
    float2 sum = {0, 0};
    for (size_t row = blockIdx.y; row < s.rows; row += gridDim.y) {
        const float d = dy[row * s.features + i], mean = s.centred ? saved[s.rows + row] : 0;
        sum.x += d * (x[row * s.features + i] - mean) * saved[row];
        sum.y += d;
    }
    sums[blockIdx.y * s.features + i] = sum;
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place, bool centred)
{
    const struct sizes s = sizes_of(call, a->batch, centred);
    normalize<<<blocks_of(s), dim3(DTS_WARP, ROWS), 0, dts_stream(place)>>>(
        s, (const float *)a->x[0], (const float *)a->w[0], (const float *)a->w[1],
        (float *)a->y, (float *)a->saved);
}

static void weights_backward(struct sizes s, const struct dts_arrays *a,
                             const struct dts_place *place)
{
    const int parts = parts_of(s);
    const unsigned threads = dts_threads_for(s.features);
    const dim3 blocks((unsigned)((s.features + threads - 1) / threads), parts);
    float2 *sums = (float2 *)a->scratch;
    gather<<<blocks, threads, 0, dts_stream(place)>>>(
        s, (const float *)a->x[0], (const float *)a->dy, (const float *)a->saved, sums);
    float *dw = (float *)a->dw[0], *db = s.centred ? (float *)a->dw[1] : NULL;
    dts_for_each(s.features, place, [=] __device__(size_t i) {
        float2 all = {0, 0};
        for (int k = 0; k < parts; k++) {
            all.x += sums[k * s.features + i].x;
            all.y += sums[k * s.features + i].y;
        }
        if (dw != NULL)
            dw[i] += all.x;
        if (db != NULL)
            db[i] += all.y;
    });
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place, bool centred)
{
    const struct sizes s = sizes_of(call, a->batch, centred);
    if (a->dx[0] != NULL)
        data_backward<<<blocks_of(s), dim3(DTS_WARP, ROWS), 0, dts_stream(place)>>>(
            s, (const float *)a->x[0], (const float *)a->dy, (const float *)a->w[0],
            (const float *)a->saved, (float *)a->dx[0]);
    weights_backward(s, a, place);
}

extern "C" void dts_layer_norm_forward_cuda(const struct dts_op_call *call,
                                            const struct dts_arrays *a,
                                            const struct dts_place *place)
{
    forward(call, a, place, true);
}

extern "C" void dts_layer_norm_backward_cuda(const struct dts_op_call *call,
                                             const struct dts_arrays *a,
                                             const struct dts_place *place)
{
    backward(call, a, place, true);
}

extern "C" void dts_rms_norm_forward_cuda(const struct dts_op_call *call,
                                          const struct dts_arrays *a,
                                          const struct dts_place *place)
{
    forward(call, a, place, false);
}

extern "C" void dts_rms_norm_backward_cuda(const struct dts_op_call *call,
                                           const struct dts_arrays *a,
                                           const struct dts_place *place)
{
    backward(call, a, place, false);
}
