/* activation.cuh -- loops of functions of one value on a GPU: one thread a value. */
#ifndef DTS_KERNELS_ACTIVATION_ACTIVATION_CUH
#define DTS_KERNELS_ACTIVATION_ACTIVATION_CUH

#include "kernels/space/device.cuh"

extern "C" {
#include "kernels/activation/activation.h"
}

/* y = f(x) */
template <typename Function>
static void map(const struct dts_op_call *call, const struct dts_arrays *a,
                const struct dts_place *place, Function f)
{
    const float *x = (const float *)a->x[0];
    float *y = (float *)a->y;
    dts_for_each(dts_values(call, a), place, [=] __device__(size_t i) { y[i] = f(x[i]); });
}

/* dx = f'(source) dy, the source being x or y */
template <typename Function>
static void map_back(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place, const void *source, Function slope)
{
    const float *from = (const float *)source, *dy = (const float *)a->dy;
    float *dx = (float *)a->dx[0];
    if (dx != NULL)
        dts_for_each(dts_values(call, a), place,
                     [=] __device__(size_t i) { dx[i] = dy[i] * slope(from[i]); });
}

#endif
