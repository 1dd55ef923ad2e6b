/* conv.cu -- the GPU version of conv.c, which says what is computed.
 *
 * Windows are laid out as columns, as in conv_host.c, for as many samples at once as
 * COLUMN_BYTES hold; convolutions are then products by cuBLAS. Forward and data gradient: one
 * product for each sample, in one call. Weight gradient: one product over all samples and
 * pixels, for which dy is laid out by channels, too. Nothing is added by atomics.
 */
#include "kernels/product/products.cuh"

extern "C" {
#include "kernels/conv/conv.h"
}

static const size_t COLUMN_BYTES = (size_t)1 << 28;

enum { AXES = DTS_OP_AXES };

/* One group of a convolution over three axes; those that are not used come first and have one
 * value. */
struct conv {
    size_t groups, ins, outs, taps; // channels of a group, values of a window in one channel
    size_t in_pixels, out_pixels, batch;
    int in[AXES], out[AXES], kernel[AXES], stride[AXES], dilation[AXES], before[AXES];
    bool pointwise; // needs no columns
};

static struct conv conv_of(const struct dts_op_call *call, int batch)
{
    const int axes = call->output.count - 1, skipped = AXES - axes;
    struct conv c = {};
    c.groups = (size_t)call->groups;
    c.ins = call->inputs[0].size[0] / c.groups, c.outs = call->output.size[0] / c.groups;
    c.taps = c.in_pixels = c.out_pixels = 1;
    c.batch = (size_t)batch;
    c.pointwise = true;
    for (int i = 0; i < AXES; i++) {
        const int from = i - skipped;
        c.in[i] = from < 0 ? 1 : (int)call->inputs[0].size[from + 1];
        c.out[i] = from < 0 ? 1 : (int)call->output.size[from + 1];
        c.kernel[i] = from < 0 ? 1 : call->window.kernel[from];
        c.stride[i] = from < 0 ? 1 : call->window.stride[from];
        c.dilation[i] = from < 0 ? 1 : call->window.dilation[from];
        c.before[i] = from < 0 ? 0 : call->window.before[from];
        c.taps *= (size_t)c.kernel[i];
        c.in_pixels *= (size_t)c.in[i];
        c.out_pixels *= (size_t)c.out[i];
        c.pointwise = c.pointwise && c.kernel[i] == 1 && c.stride[i] == 1 && c.before[i] == 0 &&
                      c.in[i] == c.out[i];
    }
    return c;
}

/* Samples at once. */
static size_t chunk_of(const struct conv &c, size_t bytes_of_one)
{
    const size_t most = bytes_of_one > 0 ? COLUMN_BYTES / bytes_of_one : c.batch;
    return most < 1 ? 1 : most < c.batch ? most : c.batch;
}

static size_t column_bytes(const struct conv &c)
{
    return c.ins * c.taps * c.out_pixels * sizeof(float);
}

extern "C" size_t dts_conv_forward_scratch_cuda(const struct dts_op_call *call, int batch,
                                                int workers)
{
    (void)workers;
    const struct conv c = conv_of(call, batch);
    return c.pointwise ? 0 : chunk_of(c, column_bytes(c)) * column_bytes(c);
}

static size_t backward_bytes_of_one(const struct conv &c)
{
    return column_bytes(c) + c.outs * c.out_pixels * sizeof(float);
}

extern "C" size_t dts_conv_backward_scratch_cuda(const struct dts_op_call *call, int batch,
                                                 int workers)
{
    (void)workers;
    const struct conv c = conv_of(call, batch);
    return chunk_of(c, backward_bytes_of_one(c)) * backward_bytes_of_one(c);
}

/* The pixel of the input that a tap sees at an output pixel, -1: outside. */
static __device__ long pixel_of(const struct conv &c, size_t out_pixel, size_t tap)
{
    long result = 0, scale = 1;
    for (int i = AXES - 1; i >= 0; i--) {
        const int at = (int)(out_pixel % c.out[i]) * c.stride[i] +
                       (int)(tap % c.kernel[i]) * c.dilation[i] - c.before[i];
        if (at < 0 || at >= c.in[i])
            return -1;
        result += at * scale;
        scale *= c.in[i];
        out_pixel /= c.out[i];
        tap /= c.kernel[i];
    }
    return result;
}

/* The output pixel where a tap sees that pixel of the input, -1: none. */
static __device__ long output_of(const struct conv &c, size_t in_pixel, size_t tap)
{
    long result = 0, scale = 1;
    for (int i = AXES - 1; i >= 0; i--) {
        const int at =
            (int)(in_pixel % c.in[i]) + c.before[i] - (int)(tap % c.kernel[i]) * c.dilation[i];
        const int pixel = at / c.stride[i];
        if (at < 0 || at % c.stride[i] != 0 || pixel >= c.out[i])
            return -1;
        result += pixel * scale;
        scale *= c.out[i];
        in_pixel /= c.in[i];
        tap /= c.kernel[i];
    }
    return result;
}

/* columns[(channel, tap) row + sample each + pixel] of `count` samples of a group. */
static void lay_out(const struct conv &c, const float *x, size_t count, size_t row, size_t each,
                    float *columns, const struct dts_place *place)
{
    const size_t sample = c.groups * c.ins * c.in_pixels;
    dts_for_each(count * c.ins * c.out_pixels, place, [=] __device__(size_t i) {
        const size_t pixel = i % c.out_pixels, channel = i / c.out_pixels % c.ins;
        const size_t b = i / c.out_pixels / c.ins;
        const float *from = x + b * sample + channel * c.in_pixels;
        for (size_t tap = 0; tap < c.taps; tap++) {
            const long at = pixel_of(c, pixel, tap);
            columns[(channel * c.taps + tap) * row + b * each + pixel] = at < 0 ? 0 : from[at];
        }
    });
}

static void add_back(const struct conv &c, const float *columns, size_t count, float *dx,
                     const struct dts_place *place)
{
    const size_t sample = c.groups * c.ins * c.in_pixels;
    dts_for_each(count * c.ins * c.in_pixels, place, [=] __device__(size_t i) {
        const size_t pixel = i % c.in_pixels, channel = i / c.in_pixels % c.ins;
        const size_t b = i / c.in_pixels / c.ins;
        const float *from = columns + (b * c.ins + channel) * c.taps * c.out_pixels;
        float sum = 0;
        for (size_t tap = 0; tap < c.taps; tap++) {
            const long at = output_of(c, pixel, tap);
            sum += at < 0 ? 0 : from[tap * c.out_pixels + at];
        }
        dx[b * sample + channel * c.in_pixels + pixel] = sum;
    });
}

/* Samples from `first` on, of a group: where they begin in x, dx and in y, dy. */
static size_t input_at(const struct conv &c, size_t first, size_t group)
{
    return (first * c.groups + group) * c.ins * c.in_pixels;
}

static size_t output_at(const struct conv &c, size_t first, size_t group)
{
    return (first * c.groups + group) * c.outs * c.out_pixels;
}

static void forward_chunk(const struct conv &c, const struct dts_arrays *a, size_t first,
                          size_t count, size_t group, float beta, const struct dts_place *place)
{
    const size_t sums = c.ins * c.taps;
    const float *x = (const float *)a->x[0] + input_at(c, first, group);
    float *columns = (float *)a->scratch;
    if (!c.pointwise)
        lay_out(c, x, count, c.out_pixels, sums * c.out_pixels, columns, place);
    struct dts_gemm product = {};
    product.m = c.outs, product.n = c.out_pixels, product.k = sums;
    product.a = (const float *)a->w[0] + group * c.outs * sums, product.lda = sums;
    product.b = c.pointwise ? x : columns, product.ldb = c.out_pixels;
    product.c = (float *)a->y + output_at(c, first, group), product.ldc = c.out_pixels;
    product.beta = beta;
    struct dts_gemm_batch batch = {count, 0, sums * c.out_pixels,
                                   c.groups * c.outs * c.out_pixels};
    if (c.pointwise)
        batch.b = c.groups * c.ins * c.in_pixels;
    dts_gemm_batch_cuda(product, batch, place);
}

extern "C" void dts_conv_forward_cuda(const struct dts_op_call *call,
                                      const struct dts_arrays *a, const struct dts_place *place)
{
    const struct conv c = conv_of(call, a->batch);
    const size_t chunk = c.pointwise ? c.batch : chunk_of(c, column_bytes(c));
    const float *bias = (const float *)a->w[1];
    float *y = (float *)a->y;
    const size_t channels = c.groups * c.outs, pixels = c.out_pixels;
    if (call->bias)
        dts_for_each(c.batch * channels * pixels, place,
                     [=] __device__(size_t i) { y[i] = bias[i / pixels % channels]; });
    for (size_t first = 0; first < c.batch; first += chunk)
        for (size_t group = 0; group < c.groups; group++)
            forward_chunk(c, a, first, first + chunk < c.batch ? chunk : c.batch - first, group,
                          call->bias ? 1 : 0, place);
}

static void weights_chunk(const struct conv &c, const struct dts_arrays *a, size_t first,
                          size_t count, size_t group, const struct dts_place *place)
{
    const size_t sums = c.ins * c.taps, row = count * c.out_pixels;
    const size_t sample = c.groups * c.outs * c.out_pixels, pixels = c.out_pixels;
    const float *dy = (const float *)a->dy + output_at(c, first, group);
    float *columns = (float *)a->scratch, *by_channel = columns + sums * row;
    lay_out(c, (const float *)a->x[0] + input_at(c, first, group), count, row, pixels, columns,
            place);
    dts_for_each(c.outs * row, place, [=] __device__(size_t i) {
        by_channel[i] = dy[i % row / pixels * sample + i / row * pixels + i % pixels];
    });
    struct dts_gemm product = {};
    product.transpose_b = true;
    product.m = c.outs, product.n = sums, product.k = row;
    product.a = by_channel, product.lda = row;
    product.b = columns, product.ldb = row;
    product.c = (float *)a->dw[0] + group * c.outs * sums, product.ldc = sums;
    product.beta = 1;
    dts_gemm_cuda(product, place);
}

static void data_chunk(const struct conv &c, const struct dts_arrays *a, size_t first,
                       size_t count, size_t group, const struct dts_place *place)
{
    const size_t sums = c.ins * c.taps;
    float *dx = (float *)a->dx[0] + input_at(c, first, group);
    float *columns = (float *)a->scratch;
    struct dts_gemm product = {};
    product.transpose_a = true;
    product.m = sums, product.n = c.out_pixels, product.k = c.outs;
    product.a = (const float *)a->w[0] + group * c.outs * sums, product.lda = sums;
    product.b = (const float *)a->dy + output_at(c, first, group), product.ldb = c.out_pixels;
    product.c = c.pointwise ? dx : columns, product.ldc = c.out_pixels;
    struct dts_gemm_batch batch = {count, 0, c.groups * c.outs * c.out_pixels,
                                   sums * c.out_pixels};
    if (c.pointwise)
        batch.c = c.groups * c.ins * c.in_pixels;
    dts_gemm_batch_cuda(product, batch, place);
    if (!c.pointwise)
        add_back(c, columns, count, dx, place);
}

/* A block takes a channel. */
static __global__ void add_bias(size_t batch, size_t channels, size_t pixels, const float *dy,
                                float *db)
{
    float sum = 0;
    for (size_t b = 0; b < batch; b++)
        for (size_t p = threadIdx.x; p < pixels; p += blockDim.x)
            sum += dy[(b * channels + blockIdx.x) * pixels + p];
    sum = dts_sum_over_block(sum);
    if (threadIdx.x == 0)
        db[blockIdx.x] += sum;
}

extern "C" void dts_conv_bias_backward_cuda(const struct dts_op_call *call,
                                            const struct dts_arrays *a,
                                            const struct dts_place *place)
{
    const size_t channels = call->output.size[0];
    if (call->bias && a->dw[1] != NULL)
        add_bias<<<(unsigned)channels, DTS_THREADS, 0, dts_stream(place)>>>(
            (size_t)a->batch, channels, dts_dims_elements(&call->output) / channels,
            (const float *)a->dy, (float *)a->dw[1]);
}

extern "C" void dts_conv_backward_cuda(const struct dts_op_call *call,
                                       const struct dts_arrays *a,
                                       const struct dts_place *place)
{
    const struct conv c = conv_of(call, a->batch);
    const size_t chunk = chunk_of(c, backward_bytes_of_one(c));
    for (size_t first = 0; first < c.batch; first += chunk)
        for (size_t group = 0; group < c.groups; group++) {
            const size_t count = first + chunk < c.batch ? chunk : c.batch - first;
            if (a->dw[0] != NULL)
                weights_chunk(c, a, first, count, group, place);
            if (a->dx[0] != NULL)
                data_chunk(c, a, first, count, group, place);
        }
    dts_conv_bias_backward_cuda(call, a, place);
}
