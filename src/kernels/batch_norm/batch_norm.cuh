/* batch_norm.cuh -- what forward and backward of batch normalization on a GPU share: the sums
 * of each channel, in parts and together.
 */
#ifndef DTS_KERNELS_BATCH_NORM_BATCH_NORM_CUH
#define DTS_KERNELS_BATCH_NORM_BATCH_NORM_CUH

#include "kernels/space/device.cuh"

extern "C" {
#include "kernels/batch_norm/batch_norm.h"
}

enum { MOST_PARTS = 32 };

struct sizes {
    int batch, channels, parts;
    size_t pixels;
    double epsilon;
    double count; // values of a channel that count together: of `ranks` ranks
};

static struct sizes sizes_of(const struct dts_op_call *call, int batch, int ranks)
{
    const struct dts_dims *x = &call->inputs[0];
    const size_t pixels = dts_dims_elements(x) / x->size[0];
    return {batch,  (int)x->size[0],      batch < MOST_PARTS ? batch : MOST_PARTS,
            pixels, dts_op_epsilon(call), (double)batch * (double)pixels * ranks};
}

static struct sizes sizes_here(const struct dts_op_call *call, const struct dts_arrays *a)
{
    return sizes_of(call, a->batch, a->part == DTS_OP_REST ? a->ranks : 1);
}

/* The sums of all ranks, where they are given. */
static const double *given(const struct dts_arrays *a)
{
    return a->part == DTS_OP_REST ? a->sums : NULL;
}

struct line {
    float scale, shift;
};

/* How backward runs: what `finish` found. */
struct slope {
    float scale, by_x, shift;
};

/* Scratch: two sums of each channel and part, then a line or a slope of each channel. */
struct work {
    float2 *sums;
    struct slope *slopes;
    struct line *lines;
};

static struct work work_of(struct sizes s, void *scratch)
{
    float2 *sums = (float2 *)scratch;
    void *behind = sums + (size_t)s.channels * s.parts;
    return {sums, (struct slope *)behind, (struct line *)behind};
}

/* Add value(k) over the pixels of this block's channel and samples; store the block's sums. */
template <typename Value>
static __device__ void gather(struct sizes s, float2 *sums, Value value)
{
    const int channel = blockIdx.x, part = blockIdx.y;
    float2 sum = {0, 0};
    for (int n = part + s.parts * threadIdx.y; n < s.batch; n += s.parts * blockDim.y) {
        const size_t plane = ((size_t)n * s.channels + channel) * s.pixels;
        for (size_t p = threadIdx.x; p < s.pixels; p += blockDim.x) {
            const float2 v = value(plane + p);
            sum.x += v.x;
            sum.y += v.y;
        }
    }
    sum.x = dts_sum_over_block(sum.x);
    sum.y = dts_sum_over_block(sum.y);
    if (threadIdx.x == 0 && threadIdx.y == 0)
        sums[(size_t)channel * s.parts + part] = sum;
}

/* Threads side by side along pixels, where there are few also along samples. */
static dim3 block_of(struct sizes s)
{
    unsigned width = 1;
    while (width < s.pixels && width < DTS_THREADS)
        width *= 2;
    return dim3(width, DTS_THREADS / width);
}

static __device__ double2 add_parts(struct sizes s, const float2 *sums, int channel)
{
    double2 all = {0, 0};
    for (int i = 0; i < s.parts; i++) {
        all.x += sums[(size_t)channel * s.parts + i].x;
        all.y += sums[(size_t)channel * s.parts + i].y;
    }
    return all;
}

/* What ranks add up: sums of x and x^2 from those about the first value; x NULL: as they are.
 */
static __global__ void give(struct sizes s, const float *x, const float2 *sums, double *out)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= s.channels)
        return;
    const double2 all = add_parts(s, sums, c);
    const double origin = x != NULL ? x[c * s.pixels] : 0;
    out[c] = all.x + s.count * origin;
    out[s.channels + c] = all.y + 2 * origin * all.x + s.count * origin * origin;
}

/* Sums of a channel: of all ranks, or of the parts. */
static __device__ double2 take(struct sizes s, const double *given, const float2 *sums, int c)
{
    return given != NULL ? make_double2(given[c], given[s.channels + c])
                         : add_parts(s, sums, c);
}

static int blocks_of(struct sizes s)
{
    return (s.channels + DTS_THREADS - 1) / DTS_THREADS;
}

#endif
