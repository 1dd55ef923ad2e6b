/* rotary.cu -- the GPU version of rotary.c, which says what is computed. A thread finds the
 * angle of a pair and a position once, for all samples and heads. */
#include "kernels/space/device.cuh"

extern "C" {
#include "kernels/embedding/rotary.h"
}

static void turn(const struct dts_op_call *call, const struct dts_arrays *a, const void *from,
                 void *to, double sign, const struct dts_place *place)
{
    const struct dts_rotary r = dts_rotary_of(call);
    const size_t samples = (size_t)a->batch, row = r.heads * r.pairs * 2;
    const double base = call->base;
    const float *x = (const float *)from;
    float *y = (float *)to;
    dts_for_each(r.positions * r.pairs, place, [=] __device__(size_t k) {
        const size_t p = k / r.pairs, i = k % r.pairs;
        const double angle = (double)p * pow(base, -(double)i / (double)r.pairs);
        const float c = (float)cos(angle), s = (float)(sign * sin(angle));
        for (size_t b = 0; b < samples; b++)
            for (size_t head = 0; head < r.heads; head++) {
                const size_t at = (b * r.positions + p) * row + head * r.pairs * 2 + i;
                const float one = x[at], two = x[at + r.pairs];
                y[at] = one * c - two * s;
                y[at + r.pairs] = one * s + two * c;
            }
    });
}

extern "C" void dts_rotary_forward_cuda(const struct dts_op_call *call,
                                        const struct dts_arrays *a,
                                        const struct dts_place *place)
{
    turn(call, a, a->x[0], a->y, 1, place);
}

extern "C" void dts_rotary_backward_cuda(const struct dts_op_call *call,
                                         const struct dts_arrays *a,
                                         const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        turn(call, a, a->dy, a->dx[0], -1, place);
}
