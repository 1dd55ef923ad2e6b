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
#include "kernels/batch_norm/batch_norm.cuh"

extern "C" size_t dts_batch_norm_scratch_cuda(const struct dts_op_call *call, int batch,
                                              int workers)
{
    (void)workers;
    const struct sizes s = sizes_of(call, batch, 1);
    return (size_t)s.channels * (s.parts * sizeof(float2) + sizeof(struct slope));
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
            y[plane * s.pixels + p] = relu && value < 0 ? 0 : value;
        });
}
