/* table_rows.cu -- a block of threads takes a row at a time: it looks at the whole gradient,
 * and copies. */
#include "kernels/space/device.cuh"

extern "C" {
#include "kernels/embedding/table_rows.h"
}

static __global__ void copy_rows(struct dts_table_rows t)
{
    for (size_t r = blockIdx.x; r < t.rows; r += gridDim.x) {
        const size_t begin = r * t.row;
        int any = 0;
        for (size_t i = threadIdx.x; i < t.row; i += blockDim.x)
            any |= !(t.gradient[begin + i] == 0); // not a number is not zero
        if (!__syncthreads_or(any))
            continue;
        for (size_t i = threadIdx.x; i < t.row; i += blockDim.x)
            t.to[begin + i] = t.from[begin + i];
    }
}

extern "C" void dts_table_rows_copy_cuda(const struct dts_table_rows *rows,
                                         const struct dts_place *place)
{
    const size_t most = 1 << 16; // blocks; beyond, one takes several rows
    const size_t blocks = rows->rows < most ? rows->rows : most;
    if (blocks > 0)
        copy_rows<<<(unsigned)blocks, dts_threads_for(rows->row), 0, dts_stream(place)>>>(
            *rows);
}
