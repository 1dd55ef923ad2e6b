/* permute.cu -- the GPU version of permute.c, which says what is computed. Where it is no
 * transpose, neighbours write side by side. */
#include "kernels/shape/transpose.cuh"

extern "C" {
#include "kernels/shape/permute.h"
}

static void move(const struct dts_op_call *call, const struct dts_arrays *a,
                 const struct dts_place *place, bool back)
{
    const struct dts_permutation p = dts_permutation_of(call, back);
    const float *from = (const float *)(back ? a->dy : a->x[0]);
    float *to = (float *)(back ? a->dx[0] : a->y);
    size_t rows, columns, count;
    if (dts_permutation_transposes(&p, &rows, &columns, &count)) {
        transpose_all(from, to, rows, columns, count * (size_t)a->batch, place);
        return;
    }
    dts_for_each_pixel((size_t)a->batch, p.values, place, [=] __device__(size_t b, size_t i) {
        size_t left = i, at = b * p.values;
        for (int k = p.count - 1; k >= 0; k--) {
            at += left % p.size[k] * p.stride[k];
            left /= p.size[k];
        }
        to[b * p.values + i] = from[at];
    });
}

extern "C" void dts_permute_forward_cuda(const struct dts_op_call *call,
                                         const struct dts_arrays *a,
                                         const struct dts_place *place)
{
    move(call, a, place, false);
}

extern "C" void dts_permute_backward_cuda(const struct dts_op_call *call,
                                          const struct dts_arrays *a,
                                          const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        move(call, a, place, true);
}
