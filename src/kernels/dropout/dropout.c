/* dropout.c -- zeroes values at random (Srivastava et al. 2014, JMLR 15):
 *
 *     y = keep x / (1 - rate),  dx = keep dy / (1 - rate);  y = x when it does not train
 *
 * `keep` is drawn by Philox from (seed; step, block, sample), so that it is the same wherever
 * the sample is computed; 16 bits decide, hence the rate is a multiple of 2^-16. saved: keep, a
 * byte for each value.
 */
#include <math.h>
#include <string.h>

#include "base/philox.h"
#include "kernels/dropout/dropout.h"
#include "kernels/op_cost.h"

uint32_t dts_dropout_threshold(const struct dts_op_call *call)
{
    return (uint32_t)lround(call->rate * 0x1p16);
}

double dts_dropout_scale(const struct dts_op_call *call)
{
    return 0x1p16 / (0x1p16 - dts_dropout_threshold(call));
}

static bool keeps(const struct dts_op_call *call, const struct dts_arrays *a, size_t sample,
                  size_t position)
{
    const size_t piece = position / DTS_DROPOUT_PIECE, in_piece = position % DTS_DROPOUT_PIECE;
    const size_t block = piece * DTS_DROPOUT_BLOCKS + in_piece % DTS_DROPOUT_BLOCKS;
    const size_t part = in_piece / DTS_DROPOUT_BLOCKS;
    const uint64_t number = a->first_sample + sample;
    uint32_t x[4] = {(uint32_t)block, (uint32_t)a->step, (uint32_t)number,
                     (uint32_t)(number >> 32)};
    dts_philox(x, a->seed);
    return (x[part / 2] >> (16 * (part % 2)) & 0xffff) >= dts_dropout_threshold(call);
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    const size_t n = dts_dims_elements(&call->output);
    const double scale = dts_dropout_scale(call);
    for (size_t i = 0; i < (size_t)a->batch * n; i++) {
        const double x = ((const double *)a->x[0])[i];
        const bool keep =
            !a->training || keeps(call, a, i / n, dts_op_place(&a->places, i % n));
        ((uint8_t *)a->saved)[i] = keep;
        ((double *)a->y)[i] = !a->training ? x : keep ? scale * x : 0;
    }
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    const double scale = dts_dropout_scale(call);
    const size_t n = (size_t)a->batch * dts_dims_elements(&call->output);
    for (size_t i = 0; i < n && a->dx[0] != NULL; i++)
        ((double *)a->dx[0])[i] =
            ((const uint8_t *)a->saved)[i] ? scale * ((const double *)a->dy)[i] : 0;
}

static size_t saved_bytes(const struct dts_op_call *call, int batch, size_t real)
{
    (void)real;
    return (size_t)batch * dts_dims_elements(&call->output);
}

const struct dts_operation dts_op_dropout = {
    .name = "dropout",
    .summary = "zero values at random",
    .in_place = true,
    .saved_bytes = saved_bytes,
    .cost = dts_dropout_cost,
    .reference = {forward, backward},
    .host = {dts_dropout_forward_host, dts_dropout_backward_host},
    .cuda = DTS_CUDA({dts_dropout_forward_cuda, dts_dropout_backward_cuda}),
};
