/* shape.cu -- the GPU version of shape.c, which says what is computed. Parts of samples are
 * copied by the copy engine's 2D copies; transposing goes through shared memory, so that both
 * sides are read and written by neighbours side by side.
 */
#include "kernels/space/device.cuh"

enum { TILE = DTS_WARP, TILE_ROWS = 8 };

/* Copy `bytes` of each sample; pitches are the bytes of a whole sample. */
static void copy(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t bytes,
                 int batch, const struct dts_place *place)
{
    cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, bytes, (size_t)batch,
                      cudaMemcpyDeviceToDevice, dts_stream(place));
}

static size_t bytes_of(const struct dts_dims *dims)
{
    return dts_dims_elements(dims) * sizeof(float);
}

extern "C" void dts_concat_forward_cuda(const struct dts_op_call *call,
                                        const struct dts_arrays *a,
                                        const struct dts_place *place)
{
    size_t at = 0;
    for (int k = 0; k < call->input_count; k++) {
        const size_t bytes = bytes_of(&call->inputs[k]);
        copy((char *)a->y + at, bytes_of(&call->output), a->x[k], bytes, bytes, a->batch,
             place);
        at += bytes;
    }
}

extern "C" void dts_concat_backward_cuda(const struct dts_op_call *call,
                                         const struct dts_arrays *a,
                                         const struct dts_place *place)
{
    size_t at = 0;
    for (int k = 0; k < call->input_count; k++) {
        const size_t bytes = bytes_of(&call->inputs[k]);
        if (a->dx[k] != NULL)
            copy(a->dx[k], bytes, (const char *)a->dy + at, bytes_of(&call->output), bytes,
                 a->batch, place);
        at += bytes;
    }
}

extern "C" void dts_select_forward_cuda(const struct dts_op_call *call,
                                        const struct dts_arrays *a,
                                        const struct dts_place *place)
{
    const size_t out = bytes_of(&call->output);
    copy(a->y, out, a->x[0], bytes_of(&call->inputs[0]), out, a->batch, place);
}

extern "C" void dts_select_backward_cuda(const struct dts_op_call *call,
                                         const struct dts_arrays *a,
                                         const struct dts_place *place)
{
    const size_t in = bytes_of(&call->inputs[0]), out = bytes_of(&call->output);
    if (a->dx[0] == NULL)
        return;
    copy(a->dx[0], in, a->dy, out, out, a->batch, place);
    if (in > out)
        cudaMemset2DAsync((char *)a->dx[0] + out, in, 0, in - out, (size_t)a->batch,
                          dts_stream(place));
}

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

static void transpose_all(const float *from, float *to, size_t rows, size_t columns, int batch,
                          const struct dts_place *place)
{
    const unsigned row_tiles = (unsigned)((rows + TILE - 1) / TILE);
    const unsigned column_tiles = (unsigned)((columns + TILE - 1) / TILE);
    transpose<<<dim3(row_tiles * (unsigned)batch, column_tiles), dim3(TILE, TILE_ROWS), 0,
                dts_stream(place)>>>(from, to, rows, columns, row_tiles);
}

extern "C" void dts_sequence_forward_cuda(const struct dts_op_call *call,
                                          const struct dts_arrays *a,
                                          const struct dts_place *place)
{
    transpose_all((const float *)a->x[0], (float *)a->y, call->output.size[1],
                  call->output.size[0], a->batch, place);
}

extern "C" void dts_sequence_backward_cuda(const struct dts_op_call *call,
                                           const struct dts_arrays *a,
                                           const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        transpose_all((const float *)a->dy, (float *)a->dx[0], call->output.size[0],
                      call->output.size[1], a->batch, place);
}
