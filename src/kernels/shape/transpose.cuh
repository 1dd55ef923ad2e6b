/* transpose.cuh -- matrices transposed through shared memory, so that both sides are read and
 * written by neighbours side by side. */
#ifndef DTS_KERNELS_SHAPE_TRANSPOSE_CUH
#define DTS_KERNELS_SHAPE_TRANSPOSE_CUH

#include "kernels/space/device.cuh"

enum { TILE = DTS_WARP, TILE_ROWS = 8 };

/* Of each sample, from[rows][columns] into to[columns][rows]. Blocks are (tile of columns, tile
 * of rows and sample). */
static __global__ void transpose(const float *from, float *to, size_t rows, size_t columns,
                                 unsigned row_tiles)
{
    __shared__ float tile[TILE][TILE + 1]; // one more: no two lanes in one bank
    const size_t sample = blockIdx.x / row_tiles * rows * columns;
    const size_t row = (size_t)(blockIdx.x % row_tiles) * TILE;
    const size_t column = (size_t)blockIdx.y * TILE;
    for (unsigned i = threadIdx.y; i < TILE; i += TILE_ROWS)
        if (row + i < rows && column + threadIdx.x < columns)
            tile[i][threadIdx.x] = from[sample + (row + i) * columns + column + threadIdx.x];
    __syncthreads();
    for (unsigned i = threadIdx.y; i < TILE; i += TILE_ROWS)
        if (column + i < columns && row + threadIdx.x < rows)
            to[sample + (column + i) * rows + row + threadIdx.x] = tile[threadIdx.x][i];
}

static void transpose_all(const float *from, float *to, size_t rows, size_t columns,
                          size_t batch, const struct dts_place *place)
{
    const unsigned row_tiles = (unsigned)((rows + TILE - 1) / TILE);
    const unsigned column_tiles = (unsigned)((columns + TILE - 1) / TILE);
    transpose<<<dim3(row_tiles * (unsigned)batch, column_tiles), dim3(TILE, TILE_ROWS), 0,
                dts_stream(place)>>>(from, to, rows, columns, row_tiles);
}

#endif
