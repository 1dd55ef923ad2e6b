/* slice.cu -- the GPU version of slice.c, which says what is computed: 2D copies. */
#include "kernels/space/device.cuh"

extern "C" {
#include "kernels/shape/slice.h"
}

extern "C" void dts_slice_forward_cuda(const struct dts_op_call *call,
                                       const struct dts_arrays *a,
                                       const struct dts_place *place)
{
    const struct dts_slice s = dts_slice_of(call, a->batch);
    const size_t real = sizeof(float);
    cudaMemcpy2DAsync(a->y, s.out * real, (const float *)a->x[0] + s.before, s.in * real,
                      s.out * real, s.rows, cudaMemcpyDeviceToDevice, dts_stream(place));
}

extern "C" void dts_slice_backward_cuda(const struct dts_op_call *call,
                                        const struct dts_arrays *a,
                                        const struct dts_place *place)
{
    const struct dts_slice s = dts_slice_of(call, a->batch);
    const size_t real = sizeof(float);
    float *dx = (float *)a->dx[0];
    if (dx == NULL)
        return;
    cudaMemsetAsync(dx, 0, s.rows * s.in * real, dts_stream(place));
    cudaMemcpy2DAsync(dx + s.before, s.in * real, a->dy, s.out * real, s.out * real, s.rows,
                      cudaMemcpyDeviceToDevice, dts_stream(place));
}
