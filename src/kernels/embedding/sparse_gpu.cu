/* sparse_gpu.cu -- lists of rows on a GPU. As in embedding.cu a block takes a token, and the
 * first token of its row does the work for all: it counts the rows below its own, which is its
 * place in the list, and adds the gradients of the tokens with its row, in their order. The
 * search reads all tokens twice for each, from the second cache.
 */
#include "kernels/space/device.cuh"

extern "C" {
#include "kernels/embedding/embedding.h"
#include "kernels/embedding/sparse_gpu.h"
}

struct tokens {
    const int32_t *token;
    size_t count, vocabulary;
};

static __device__ uint32_t row_of(const struct tokens &tokens, size_t i)
{
    return (uint32_t)((uint32_t)tokens.token[i] % tokens.vocabulary);
}

/* Whether no token before this one has its row; all threads of the block ask and get it. */
static __device__ bool is_first(const struct tokens &tokens, size_t mine)
{
    const uint32_t row = row_of(tokens, mine);
    int earlier = 0;
    for (size_t i = threadIdx.x; i < mine; i += blockDim.x)
        earlier |= row_of(tokens, i) == row;
    return !__syncthreads_or(earlier);
}

/* A one for each token that is the first of its row. */
static __global__ void mark_first(struct tokens tokens, uint32_t *first)
{
    const bool mine = is_first(tokens, blockIdx.x);
    if (threadIdx.x == 0)
        first[blockIdx.x] = mine;
}

/* The places of the first ones, in the order of rows; what is no first one has none. */
static __global__ void place_rows(struct tokens tokens, const uint32_t *first, int32_t *place,
                                  uint32_t *count)
{
    const size_t mine = blockIdx.x;
    const uint32_t row = row_of(tokens, mine);
    unsigned below = 0, all = 0;
    for (size_t i = threadIdx.x; i < tokens.count; i += blockDim.x) {
        below += first[i] != 0 && row_of(tokens, i) < row;
        all += first[i];
    }
    below = dts_sum_over_block(below);
    all = dts_sum_over_block(all);
    if (threadIdx.x != 0)
        return;
    place[mine] = first[mine] != 0 ? (int32_t)below : -1;
    if (mine == 0)
        *count = all;
}

static __global__ void gather_rows(struct tokens tokens, const int32_t *place, size_t features,
                                   const float *dy, int32_t *rows, float *values)
{
    const size_t mine = blockIdx.x;
    const uint32_t row = row_of(tokens, mine);
    const int32_t at = place[mine];
    if (at < 0)
        return;
    if (threadIdx.x == 0)
        rows[at] = (int32_t)row;
    for (size_t f = threadIdx.x; f < features; f += blockDim.x) {
        float sum = 0;
        for (size_t i = mine; i < tokens.count; i++)
            if (row_of(tokens, i) == row)
                sum += dy[i * features + f];
        values[(size_t)at * features + f] = sum;
    }
}

extern "C" void dts_sparse_gradient_cuda(const struct dts_sparse_gpu *list,
                                         const struct dts_op_call *call,
                                         const struct dts_arrays *arrays, void *stream)
{
    const size_t features = dts_dims_features(&call->output);
    const struct tokens tokens = {(const int32_t *)arrays->x[0],
                                  dts_embedding_tokens(call, arrays->batch),
                                  call->params[0] / features};
    const unsigned blocks = (unsigned)tokens.count;
    cudaStream_t queue = (cudaStream_t)stream;
    uint32_t *first = (uint32_t *)list->scratch;
    int32_t *place = (int32_t *)(first + tokens.count);
    if (blocks == 0) {
        cudaMemsetAsync(list->count, 0, sizeof(*list->count), queue);
        return;
    }
    mark_first<<<blocks, DTS_THREADS, 0, queue>>>(tokens, first);
    place_rows<<<blocks, DTS_THREADS, 0, queue>>>(tokens, first, place, list->count);
    gather_rows<<<blocks, DTS_THREADS, 0, queue>>>(
        tokens, place, features, (const float *)arrays->dy, list->rows, list->values);
}

extern "C" void dts_sparse_add_to_cuda(const struct dts_sparse_gpu *list, size_t most,
                                       size_t features, float *table, float factor,
                                       void *stream)
{
    struct dts_place there = {};
    const uint32_t *count = list->count;
    const int32_t *rows = list->rows;
    const float *values = list->values;
    there.stream = stream;
    dts_for_each(most * features, &there, [=] __device__(size_t i) {
        if (i / features < *count)
            table[(size_t)rows[i / features] * features + i % features] += factor * values[i];
    });
}
