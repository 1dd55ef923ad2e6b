/* dropout.cu -- the GPU version of dropout.c, which says what is computed. A thread draws one
 * block of Philox, 8 values that lie DTS_DROPOUT_BLOCKS apart, so that neighbours draw and
 * write for neighbours. */
#include "kernels/dropout/dropout.cuh"

static void drop(const struct dts_op_call *call, const struct dts_arrays *a,
                 const struct dts_place *place)
{
    const struct draw draw = {a->seed, a->step, a->first_sample, dts_dropout_threshold(call)};
    const size_t n = dts_dims_elements(&call->output);
    const size_t blocks = (n + DTS_DROPOUT_PIECE - 1) / DTS_DROPOUT_PIECE * DTS_DROPOUT_BLOCKS;
    const float scale = (float)dts_dropout_scale(call), *x = (const float *)a->x[0];
    float *y = (float *)a->y;
    uint8_t *saved = (uint8_t *)a->saved;
    dts_for_each((size_t)a->batch * blocks, place, [=] __device__(size_t i) {
        const size_t sample = i / blocks, block = i % blocks;
        const uint4 bits = bits_of(draw, sample, block);
        const uint32_t words[4] = {bits.x, bits.y, bits.z, bits.w};
        const size_t first =
            block / DTS_DROPOUT_BLOCKS * DTS_DROPOUT_PIECE + block % DTS_DROPOUT_BLOCKS;
#pragma unroll
        for (int part = 0; part < 8; part++) {
            const size_t position = first + (size_t)part * DTS_DROPOUT_BLOCKS;
            const size_t at = sample * n + position;
            const bool keep = (words[part / 2] >> (16 * (part % 2)) & 0xffff) >= draw.threshold;
            if (position < n) {
                saved[at] = keep;
                y[at] = keep ? scale * x[at] : 0;
            }
        }
    });
}

extern "C" void dts_dropout_forward_cuda(const struct dts_op_call *call,
                                         const struct dts_arrays *a,
                                         const struct dts_place *place)
{
    if (a->training)
        drop(call, a, place);
    else if (a->y != a->x[0])
        cudaMemcpyAsync(a->y, a->x[0], dts_values(call, a) * sizeof(float),
                        cudaMemcpyDeviceToDevice, dts_stream(place));
}

extern "C" void dts_dropout_backward_cuda(const struct dts_op_call *call,
                                          const struct dts_arrays *a,
                                          const struct dts_place *place)
{
    const uint8_t *keep = (const uint8_t *)a->saved;
    const float *dy = (const float *)a->dy, scale = (float)dts_dropout_scale(call);
    float *dx = (float *)a->dx[0];
    if (dx != NULL)
        dts_for_each(dts_values(call, a), place,
                     [=] __device__(size_t i) { dx[i] = keep[i] ? scale * dy[i] : 0; });
}
