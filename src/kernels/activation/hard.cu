/* hard.cu -- the GPU version of hard.c, which says what is computed. */
#include "kernels/activation/activation.cuh"

static __device__ float relu6(float x)
{
    return x < 0 ? 0 : x > 6 ? 6 : x;
}

extern "C" void dts_relu6_forward_cuda(const struct dts_op_call *call,
                                       const struct dts_arrays *a,
                                       const struct dts_place *place)
{
    map(call, a, place, [=] __device__(float x) -> float { return relu6(x); });
}

extern "C" void dts_relu6_backward_cuda(const struct dts_op_call *call,
                                        const struct dts_arrays *a,
                                        const struct dts_place *place)
{
    map_back(call, a, place, a->y,
             [=] __device__(float y) -> float { return y <= 0 || y >= 6 ? 0.0f : 1.0f; });
}

extern "C" void dts_hardsigmoid_forward_cuda(const struct dts_op_call *call,
                                             const struct dts_arrays *a,
                                             const struct dts_place *place)
{
    map(call, a, place, [=] __device__(float x) -> float { return relu6(x + 3) * (1.0f / 6); });
}

extern "C" void dts_hardsigmoid_backward_cuda(const struct dts_op_call *call,
                                              const struct dts_arrays *a,
                                              const struct dts_place *place)
{
    map_back(call, a, place, a->x[0],
             [=] __device__(float x) -> float { return x <= -3 || x >= 3 ? 0.0f : 1.0f / 6; });
}

extern "C" void dts_hardswish_forward_cuda(const struct dts_op_call *call,
                                           const struct dts_arrays *a,
                                           const struct dts_place *place)
{
    map(call, a, place,
        [=] __device__(float x) -> float { return x * relu6(x + 3) * (1.0f / 6); });
}

extern "C" void dts_hardswish_backward_cuda(const struct dts_op_call *call,
                                            const struct dts_arrays *a,
                                            const struct dts_place *place)
{
    map_back(call, a, place, a->x[0], [=] __device__(float x) -> float {
        return x <= -3 ? 0.0f : x >= 3 ? 1.0f : x * (1.0f / 3) + 0.5f;
    });
}
