/* batch_norm.cu -- the GPU version of batch_norm.c, which says what is computed, in three
 * kernels each way:
 *
 *     gather    blocks (channel, part) sum over some of the samples
 *     finish    adds the parts and finds what a channel comes down to: a line forward,
 *               y = scale x + shift, and backward dx = scale g + by_x x + shift
 *     apply     that, pixel by pixel
 *
 * Forward sums are of x - x0, x0 the channel's first value: large means cancel nothing. In two
 * halves (op.h) the first ends when `give` has added the parts, about 0 in double, and the
 * second begins with `finish`.
 */
#include "ops/device.cuh"

extern "C" {
#include "ops/batch_norm.h"
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

extern "C" size_t dts_batch_norm_scratch_cuda(const struct dts_op_call *call, int batch,
                                              int workers)
{
    (void)workers;
    const struct sizes s = sizes_of(call, batch, 1);
    return (size_t)s.channels * (s.parts * sizeof(float2) + sizeof(struct slope));
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

static __global__ void gather_forward(struct sizes s, const float *x, float2 *sums)
{
    const float origin = x[blockIdx.x * s.pixels];
    gather(s, sums, [=](size_t i) {
        const float d = x[i] - origin;
        return make_float2(d, d * d);
    });
}

/* Pointers of a channel's numbers. */
struct forward_arrays {
    const float *x, *w, *b;
    float *saved, *state;
    const double *given; // sums about 0 of all ranks; NULL: parts about the first value
    bool training;
};

static __device__ void keep_running(struct sizes s, float *state, int c, double mean,
                                    double squares)
{
    const double n = s.count;
    const double old = state[2 * s.channels] > 0 ? state[s.channels + c] : 1;
    const double unbiased = n > 1 ? squares / (n - 1) : squares;
    state[c] = (float)(state[c] + DTS_BATCH_NORM_MOMENTUM * (mean - state[c]));
    state[s.channels + c] = (float)(old + DTS_BATCH_NORM_MOMENTUM * (unbiased - old));
}

/* One block, so that the number of batches is counted after all have read it. */
static __global__ void finish_forward(struct sizes s, struct forward_arrays a,
                                      const float2 *sums, struct line *lines)
{
    const double n = s.count;
    for (int c = threadIdx.x; c < s.channels; c += blockDim.x) {
        double mean = a.state[c];
        double variance = a.state[2 * s.channels] > 0 ? a.state[s.channels + c] : 1;
        if (a.training) {
            const double2 all = take(s, a.given, sums, c);
            const double squares = fmax(0.0, all.y - all.x * all.x / n);
            mean = (a.given != NULL ? 0 : a.x[c * s.pixels]) + all.x / n;
            variance = squares / n;
            keep_running(s, a.state, c, mean, squares);
        }
        const float r = (float)(1 / sqrt(variance + s.epsilon));
        const float scale = a.w[c] * r;
        lines[c] = {scale, a.b[c] - (float)mean * scale};
        if (a.training) {
            a.saved[c] = (float)mean;
            a.saved[s.channels + c] = r;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0 && a.training)
        a.state[2 * s.channels]++;
}

extern "C" void dts_batch_norm_forward_cuda(const struct dts_op_call *call,
                                            const struct dts_arrays *a,
                                            const struct dts_place *place)
{
    const struct sizes s = sizes_here(call, a);
    const struct work work = work_of(s, a->scratch);
    const struct line *lines = work.lines;
    const float *x = (const float *)a->x[0];
    float *y = (float *)a->y;
    const struct forward_arrays arrays = {x,
                                          (const float *)a->w[0],
                                          (const float *)a->w[1],
                                          (float *)a->saved,
                                          (float *)a->state,
                                          given(a),
                                          a->training};
    if (a->training && a->part != DTS_OP_REST)
        gather_forward<<<dim3(s.channels, s.parts), block_of(s), 0, dts_stream(place)>>>(
            s, x, work.sums);
    if (a->part == DTS_OP_SUMS) {
        give<<<blocks_of(s), DTS_THREADS, 0, dts_stream(place)>>>(s, x, work.sums, a->sums);
        return;
    }
    finish_forward<<<1, DTS_THREADS, 0, dts_stream(place)>>>(s, arrays, work.sums, work.lines);
    const bool relu = call->relu;
    dts_for_each_pixel(
        (size_t)s.batch * s.channels, s.pixels, place, [=] __device__(size_t plane, size_t p) {
            const struct line line = lines[plane % s.channels];
            const float value = line.scale * x[plane * s.pixels + p] + line.shift;
            y[plane * s.pixels + p] = relu && !(value > 0) ? 0 : value;
        });
}

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
