/* activation.cu -- the GPU version of activation.c, which says what is computed. One thread a
 * value, neighbours side by side: bound by memory. */
#include "kernels/activation/activation.cuh"

static __device__ float sigmoid(float x)
{
    return 1 / (1 + expf(-x));
}

static __device__ float gelu_argument(float x)
{
    return (float)(2 * DTS_GELU_SCALE) * (x + (float)DTS_GELU_CUBE * x * x * x);
}

extern "C" void dts_relu_forward_cuda(const struct dts_op_call *call,
                                      const struct dts_arrays *a, const struct dts_place *place)
{
    map(call, a, place, [=] __device__(float x) -> float { return x > 0 ? x : 0.0f; });
}

extern "C" void dts_relu_backward_cuda(const struct dts_op_call *call,
                                       const struct dts_arrays *a,
                                       const struct dts_place *place)
{
    map_back(call, a, place, a->y,
             [=] __device__(float y) -> float { return y > 0 ? 1.0f : 0.0f; });
}

extern "C" void dts_leaky_relu_forward_cuda(const struct dts_op_call *call,
                                            const struct dts_arrays *arrays,
                                            const struct dts_place *place)
{
    const float a = (float)call->slope;
    map(call, arrays, place, [=] __device__(float x) -> float { return x > 0 ? x : a * x; });
}

extern "C" void dts_leaky_relu_backward_cuda(const struct dts_op_call *call,
                                             const struct dts_arrays *arrays,
                                             const struct dts_place *place)
{
    const float a = (float)call->slope;
    map_back(call, arrays, place, arrays->x[0],
             [=] __device__(float x) -> float { return x > 0 ? 1.0f : a; });
}

extern "C" void dts_gelu_forward_cuda(const struct dts_op_call *call,
                                      const struct dts_arrays *a, const struct dts_place *place)
{
    map(call, a, place,
        [=] __device__(float x) -> float { return x * sigmoid(gelu_argument(x)); });
}

extern "C" void dts_gelu_backward_cuda(const struct dts_op_call *call,
                                       const struct dts_arrays *a,
                                       const struct dts_place *place)
{
    map_back(call, a, place, a->x[0], [=] __device__(float x) -> float {
        const float s = sigmoid(gelu_argument(x)), cube = (float)(3 * DTS_GELU_CUBE);
        const float slope = (float)(2 * DTS_GELU_SCALE) * (1 + cube * x * x);
        return s + x * s * (1 - s) * slope;
    });
}

extern "C" void dts_silu_forward_cuda(const struct dts_op_call *call,
                                      const struct dts_arrays *a, const struct dts_place *place)
{
    map(call, a, place, [=] __device__(float x) -> float { return x * sigmoid(x); });
}

extern "C" void dts_silu_backward_cuda(const struct dts_op_call *call,
                                       const struct dts_arrays *a,
                                       const struct dts_place *place)
{
    map_back(call, a, place, a->x[0], [=] __device__(float x) -> float {
        const float s = sigmoid(x);
        return s + x * s * (1 - s);
    });
}

extern "C" void dts_sigmoid_forward_cuda(const struct dts_op_call *call,
                                         const struct dts_arrays *a,
                                         const struct dts_place *place)
{
    map(call, a, place, [=] __device__(float x) -> float { return sigmoid(x); });
}

extern "C" void dts_sigmoid_backward_cuda(const struct dts_op_call *call,
                                          const struct dts_arrays *a,
                                          const struct dts_place *place)
{
    map_back(call, a, place, a->y, [=] __device__(float y) -> float { return y * (1 - y); });
}

extern "C" void dts_tanh_forward_cuda(const struct dts_op_call *call,
                                      const struct dts_arrays *a, const struct dts_place *place)
{
    map(call, a, place, [=] __device__(float x) -> float { return tanhf(x); });
}

extern "C" void dts_tanh_backward_cuda(const struct dts_op_call *call,
                                       const struct dts_arrays *a,
                                       const struct dts_place *place)
{
    map_back(call, a, place, a->y, [=] __device__(float y) -> float { return 1 - y * y; });
}
