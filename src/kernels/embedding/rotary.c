/* rotary.c -- rotary position embedding (Su et al. 2021, arXiv:2104.09864). In each head of n
 * values, value i of the first half and value i of the second are one pair, as in Llama's and
 * GPT-NeoX's published code. At position p a pair is turned by an angle:
 *
 *     t[p, i] = p base^(-2 i / n)
 *     y[i]         = x[i] cos t - x[i + n / 2] sin t
 *     y[i + n / 2] = x[i] sin t + x[i + n / 2] cos t
 *
 * Positions count from a.first, where other ranks have those before. Backward turns dy by -t.
 * Longer contexts by other wavelengths (YaRN, Llama 3.1) are not there: they change the angles,
 * not the work.
 */
#include <math.h>

#include "kernels/embedding/rotary.h"
#include "kernels/op_cost.h"

static void turn(const struct dts_op_call *call, const struct dts_arrays *a, const double *x,
                 double *y, double sign)
{
    const struct dts_rotary r = dts_rotary_of(call);
    const size_t rows = (size_t)a->batch * r.positions * r.heads;
    for (size_t k = 0; k < rows * r.pairs; k++) {
        const size_t row = k / r.pairs, i = k % r.pairs;
        const double position = (double)(a->first + row / r.heads % r.positions);
        const double angle = position * pow(call->base, -(double)i / (double)r.pairs);
        const double c = cos(angle), s = sign * sin(angle);
        const size_t one = row * 2 * r.pairs + i, two = one + r.pairs;
        const double low = x[one], high = x[two];
        y[one] = low * c - high * s;
        y[two] = low * s + high * c;
    }
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    turn(call, a, a->x[0], a->y, 1);
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    if (a->dx[0] != NULL)
        turn(call, a, a->dy, a->dx[0], -1);
}

const struct dts_operation dts_op_rotary = {
    .name = "rotary",
    .summary = "turns pairs of each head's values by angles that grow with the position",
    .in_place = true,
    .cost = dts_rotary_cost,
    .reference = {forward, backward},
    .host = {dts_rotary_forward_host, dts_rotary_backward_host, dts_rotary_scratch_host,
             dts_rotary_scratch_host},
    .cuda = DTS_CUDA({dts_rotary_forward_cuda, dts_rotary_backward_cuda}),
};
