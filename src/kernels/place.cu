/* place.cu -- copies on a GPU. */
#include "kernels/space/device.cuh"

extern "C" {
#include "kernels/place.h"
}

/* What does not start is found by the next cudaGetLastError(), as of a kernel. */
extern "C" void dts_place_copy_cuda(void *to, const void *from, size_t bytes,
                                    const struct dts_place *place)
{
    (void)cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, dts_stream(place));
}
