/* embedding.cu -- the GPU version of embedding.c, which says what is computed.
 *
 * Backward without atomics, so that sums have one order: a block takes a token. Where an
 * earlier one has the same row it has nothing to do; else it adds the gradients of all that
 * have that row, in their order. The search reads all tokens once for each, from the second
 * cache: less than the gradients themselves up to some ten thousand tokens.
 */
#include "kernels/space/device.cuh"

extern "C" {
#include "kernels/embedding/embedding.h"
}

/* Rows in all, the first that is here, and how many are. */
struct rows {
    size_t all, first, here;
};

static struct rows rows_of(const struct dts_op_call *call, const struct dts_arrays *a)
{
    const size_t here = call->params[0] / dts_dims_features(&call->output);
    return {a->all > 0 ? a->all : here, a->first, here};
}

/* Not below `here`: it is not here. */
static __device__ size_t row_of(int32_t token, struct rows rows)
{
    const size_t number = (size_t)(uint32_t)token % rows.all;
    return number >= rows.first ? number - rows.first : rows.here;
}

extern "C" void dts_embedding_forward_cuda(const struct dts_op_call *call,
                                           const struct dts_arrays *a,
                                           const struct dts_place *place)
{
    const size_t features = dts_dims_features(&call->output);
    const struct rows rows = rows_of(call, a);
    const int32_t *tokens = (const int32_t *)a->x[0];
    const float *w = (const float *)a->w[0];
    float *y = (float *)a->y;
    dts_for_each(dts_values(call, a), place, [=] __device__(size_t i) {
        const size_t row = row_of(tokens[i / features], rows);
        y[i] = row < rows.here ? w[row * features + i % features] : 0;
    });
}

static __global__ void add_rows(const int32_t *tokens, size_t count, struct rows rows,
                                size_t features, const float *dy, float *dw)
{
    const size_t mine = blockIdx.x, row = row_of(tokens[mine], rows);
    int earlier = row >= rows.here;
    for (size_t i = threadIdx.x; i < mine; i += blockDim.x)
        earlier |= row_of(tokens[i], rows) == row;
    if (__syncthreads_or(earlier))
        return;
    for (size_t f = threadIdx.x; f < features; f += blockDim.x) {
        float sum = 0;
        for (size_t i = mine; i < count; i++)
            if (row_of(tokens[i], rows) == row)
                sum += dy[i * features + f];
        dw[row * features + f] += sum;
    }
}

extern "C" void dts_embedding_backward_cuda(const struct dts_op_call *call,
                                            const struct dts_arrays *a,
                                            const struct dts_place *place)
{
    const size_t features = dts_dims_features(&call->output);
    const size_t count = dts_embedding_tokens(call, a->batch);
    if (a->dw[0] != NULL)
        add_rows<<<(unsigned)count, DTS_THREADS, 0, dts_stream(place)>>>(
            (const int32_t *)a->x[0], count, rows_of(call, a), features, (const float *)a->dy,
            (float *)a->dw[0]);
}
