/* group_norm.cu -- the GPU version of group_norm.c, which says what is computed. A block takes
 * a group of a sample; backward, first a channel of a sample, for the sums that dw, db and the
 * group need. Sums over the batch are in its order: no atomics.
 */
#include "kernels/space/device.cuh"

extern "C" {
#include "kernels/layer_norm/group_norm.h"
}

static __global__ void normalize(struct dts_group_norm s, float epsilon, const float *x,
                                 const float *w, const float *b, float *y, float *saved)
{
    const size_t k = blockIdx.x, first = k * s.values;
    float sum = 0, squares = 0;
    for (size_t i = threadIdx.x; i < s.values; i += blockDim.x)
        sum += x[first + i];
    const float mean = dts_sum_over_block(sum) / s.values;
    for (size_t i = threadIdx.x; i < s.values; i += blockDim.x)
        squares += (x[first + i] - mean) * (x[first + i] - mean);
    const float r = 1 / sqrtf(dts_sum_over_block(squares) / s.values + epsilon);
    for (size_t i = threadIdx.x; i < s.values; i += blockDim.x) {
        const size_t c = (k * s.of_group + i / s.pixels) % s.channels;
        y[first + i] =
            (w != NULL ? w[c] : 1) * ((x[first + i] - mean) * r) + (b != NULL ? b[c] : 0);
    }
    if (threadIdx.x == 0) {
        saved[k] = r;
        saved[s.count + k] = mean;
    }
}

/* sums[sample and channel]: of dy, and of dy h. */
static __global__ void gather(struct dts_group_norm s, const float *x, const float *dy,
                              const float *saved, float2 *sums)
{
    const size_t first = (size_t)blockIdx.x * s.pixels, k = blockIdx.x / s.of_group;
    const float r = saved[k], mean = saved[s.count + k];
    float sum = 0, products = 0;
    for (size_t i = threadIdx.x; i < s.pixels; i += blockDim.x) {
        sum += dy[first + i];
        products += dy[first + i] * ((x[first + i] - mean) * r);
    }
    sum = dts_sum_over_block(sum);
    products = dts_sum_over_block(products);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = make_float2(sum, products);
}

static __global__ void data_backward(struct dts_group_norm s, const float *x, const float *dy,
                                     const float *w, const float *saved, const float2 *sums,
                                     float *dx)
{
    const size_t k = blockIdx.x, first = k * s.values;
    const float r = saved[k], mean = saved[s.count + k];
    float sum = 0, products = 0;
    for (size_t i = threadIdx.x; i < s.of_group; i += blockDim.x) {
        const size_t at = k * s.of_group + i;
        const float g = w != NULL ? w[at % s.channels] : 1;
        sum += g * sums[at].x;
        products += g * sums[at].y;
    }
    sum = dts_sum_over_block(sum) / s.values;
    products = dts_sum_over_block(products) / s.values;
    for (size_t i = threadIdx.x; i < s.values; i += blockDim.x) {
        const size_t c = (k * s.of_group + i / s.pixels) % s.channels;
        const float g = (w != NULL ? w[c] : 1) * dy[first + i];
        dx[first + i] = r * (g - sum - (x[first + i] - mean) * r * products);
    }
}

extern "C" void dts_group_norm_forward_cuda(const struct dts_op_call *call,
                                            const struct dts_arrays *a,
                                            const struct dts_place *place)
{
    const struct dts_group_norm s = dts_group_norm_of(call, a->batch);
    normalize<<<(unsigned)s.count, dts_threads_for(s.values), 0, dts_stream(place)>>>(
        s, (float)dts_op_epsilon(call), (const float *)a->x[0], (const float *)a->w[0],
        (const float *)a->w[1], (float *)a->y, (float *)a->saved);
}

extern "C" void dts_group_norm_backward_cuda(const struct dts_op_call *call,
                                             const struct dts_arrays *a,
                                             const struct dts_place *place)
{
    const struct dts_group_norm s = dts_group_norm_of(call, a->batch);
    const float *x = (const float *)a->x[0], *dy = (const float *)a->dy;
    const float *saved = (const float *)a->saved;
    float2 *sums = (float2 *)a->scratch;
    gather<<<(unsigned)(s.batch * s.channels), dts_threads_for(s.pixels), 0,
             dts_stream(place)>>>(s, x, dy, saved, sums);
    if (a->dx[0] != NULL)
        data_backward<<<(unsigned)s.count, dts_threads_for(s.values), 0, dts_stream(place)>>>(
            s, x, dy, (const float *)a->w[0], saved, sums, (float *)a->dx[0]);
    float *dw = (float *)a->dw[0], *db = (float *)a->dw[1];
    if (dw == NULL && db == NULL)
        return;
    dts_for_each(s.channels, place, [=] __device__(size_t c) {
        float2 all = {0, 0};
        for (size_t b = 0; b < s.batch; b++) {
            all.x += sums[b * s.channels + c].x;
            all.y += sums[b * s.channels + c].y;
        }
        if (dw != NULL)
            dw[c] += all.y;
        if (db != NULL)
            db[c] += all.x;
    });
}
