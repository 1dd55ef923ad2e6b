/* mean_squared_error.cu -- the GPU version of mean_squared_error.c, which says what is
 * computed. A block takes a sample. */
#include "kernels/space/device.cuh"

static __global__ void losses(size_t n, float weight, const float *x, const float *target,
                              float *y)
{
    float sum = 0;
    for (size_t i = blockIdx.x * n + threadIdx.x; i < (blockIdx.x + 1) * n; i += blockDim.x)
        sum += (x[i] - target[i]) * (x[i] - target[i]);
    sum = dts_sum_over_block(sum);
    if (threadIdx.x == 0)
        y[blockIdx.x] = weight * sum / n;
}

extern "C" void dts_mean_squared_error_forward_cuda(const struct dts_op_call *call,
                                                    const struct dts_arrays *a,
                                                    const struct dts_place *place)
{
    const size_t n = dts_dims_elements(&call->inputs[0]);
    losses<<<(unsigned)a->batch, dts_threads_for(n), 0, dts_stream(place)>>>(
        n, (float)dts_op_weight(call), (const float *)a->x[0], (const float *)a->target,
        (float *)a->y);
}

extern "C" void dts_mean_squared_error_backward_cuda(const struct dts_op_call *call,
                                                     const struct dts_arrays *a,
                                                     const struct dts_place *place)
{
    const size_t all = dts_dims_elements(&call->inputs[0]) * (size_t)a->batch;
    const float *x = (const float *)a->x[0], *target = (const float *)a->target;
    const float scale = 2 * (float)dts_op_weight(call) / (float)all;
    float *dx = (float *)a->dx[0];
    if (dx != NULL)
        dts_for_each(all, place,
                     [=] __device__(size_t i) { dx[i] = scale * (x[i] - target[i]); });
}
