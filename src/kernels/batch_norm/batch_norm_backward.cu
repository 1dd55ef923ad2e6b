/* batch_norm_backward.cu -- the GPU version of batch normalization backward; see batch_norm.cu.
 */
#include "kernels/batch_norm/batch_norm.cuh"

/* Pointers and settings of backward. */
struct backward_arrays {
    const float *x, *dy, *w, *b, *saved;
    const double *given; // sums of all ranks; NULL: parts
    float *dw, *db;      // NULL: not wanted, or not any more
    bool relu;
};

static __device__ struct line line_of(struct sizes s, const struct backward_arrays *a, int c)
{
    const float scale = a->w[c] * a->saved[s.channels + c];
    return {scale, a->b[c] - a->saved[c] * scale};
}

/* dy where y was above 0. */
static __device__ float gradient(const struct backward_arrays *a, struct line line, size_t i)
{
    return a->relu && !(line.scale * a->x[i] + line.shift > 0) ? 0 : a->dy[i];
}

static __global__ void gather_backward(struct sizes s, struct backward_arrays a, float2 *sums)
{
    const float mean = a.saved[blockIdx.x];
    const struct line line = line_of(s, &a, blockIdx.x);
    gather(s, sums, [=](size_t i) {
        const float g = gradient(&a, line, i);
        return make_float2(g, g * (a.x[i] - mean));
    });
}

/* The sums of the samples at hand are what the gradients of the parameters grow by. */
static __global__ void finish_backward(struct sizes s, struct backward_arrays a,
                                       const float2 *sums, struct slope *slopes)
{
    const double n = s.count;
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= s.channels)
        return;
    const double2 all = take(s, a.given, sums, c); // of g, of g (x - mean)
    const double mean = a.saved[c], r = a.saved[s.channels + c], scale = a.w[c] * r;
    const double by_x = -scale * r * r * all.y / n;
    slopes[c] = {(float)scale, (float)by_x, (float)(-scale * all.x / n - by_x * mean)};
    if (a.dw != NULL)
        a.dw[c] += (float)(all.y * r);
    if (a.db != NULL)
        a.db[c] += (float)all.x;
}

extern "C" void dts_batch_norm_backward_cuda(const struct dts_op_call *call,
                                             const struct dts_arrays *a,
                                             const struct dts_place *place)
{
    const struct sizes s = sizes_here(call, a);
    const struct work work = work_of(s, a->scratch);
    const struct slope *slopes = work.slopes;
    float *dx = (float *)a->dx[0];
    const bool rest = a->part == DTS_OP_REST; // dw and db grew in the first half
    const struct backward_arrays arrays = {(const float *)a->x[0],
                                           (const float *)a->dy,
                                           (const float *)a->w[0],
                                           (const float *)a->w[1],
                                           (const float *)a->saved,
                                           given(a),
                                           rest ? NULL : (float *)a->dw[0],
                                           rest ? NULL : (float *)a->dw[1],
                                           call->relu};
    if (!rest)
        gather_backward<<<dim3(s.channels, s.parts), block_of(s), 0, dts_stream(place)>>>(
            s, arrays, work.sums);
    if (a->part == DTS_OP_SUMS)
        give<<<blocks_of(s), DTS_THREADS, 0, dts_stream(place)>>>(s, NULL, work.sums, a->sums);
    finish_backward<<<blocks_of(s), DTS_THREADS, 0, dts_stream(place)>>>(s, arrays, work.sums,
                                                                         work.slopes);
    if (dx == NULL || a->part == DTS_OP_SUMS)
        return;
    dts_for_each_pixel((size_t)s.batch * s.channels, s.pixels, place,
                       [=] __device__(size_t plane, size_t p) {
                           const int c = plane % s.channels;
                           const size_t i = plane * s.pixels + p;
                           const struct slope slope = slopes[c];
                           const float g = gradient(&arrays, line_of(s, &arrays, c), i);
                           dx[i] = slope.scale * g + (slope.by_x * arrays.x[i] + slope.shift);
                       });
}
