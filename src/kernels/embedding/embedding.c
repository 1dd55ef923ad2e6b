/* embedding.c -- a row of a table for each token:
 *
 *     y[i]           = w[x[i]]
 *     dw[x[i]]      += dy[i]
 *
 * Where ranks have parts of the table (op.h), y is zero for rows that are not here.
 *
 * On the host each row of the gradient belongs to one worker, which adds in the order of the
 * tokens. Gradients as a list of the rows that occur: sparse.h.
 */
#include <string.h>

#include "kernels/embedding/embedding.h"
#include "kernels/op_cost.h"
#include "kernels/ranges.h"

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    const size_t features = dts_dims_features(&call->output);
    const int32_t *tokens = a->x[0];
    for (size_t i = 0; i < dts_embedding_tokens(call, a->batch); i++) {
        size_t row;
        const bool here = dts_embedding_here(call, a, tokens[i], &row);
        for (size_t f = 0; f < features; f++)
            ((double *)a->y)[i * features + f] =
                here ? ((const double *)a->w[0])[row * features + f] : 0;
    }
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    const size_t features = dts_dims_features(&call->output);
    const int32_t *tokens = a->x[0];
    for (size_t i = 0; i < dts_embedding_tokens(call, a->batch) && a->dw[0] != NULL; i++) {
        size_t row;
        const bool here = dts_embedding_here(call, a, tokens[i], &row);
        for (size_t f = 0; f < features && here; f++)
            ((double *)a->dw[0])[row * features + f] +=
                ((const double *)a->dy)[i * features + f];
    }
}

static void copy_rows(const struct dts_op_call *call, const struct dts_arrays *a,
                      struct dts_range range)
{
    const size_t features = dts_dims_features(&call->output);
    const int32_t *tokens = a->x[0];
    const float *w = a->w[0];
    for (size_t i = range.first; i < range.first + range.count; i++) {
        size_t row;
        float *y = (float *)a->y + i * features;
        if (dts_embedding_here(call, a, tokens[i], &row))
            memcpy(y, w + row * features, features * sizeof(float));
        else
            memset(y, 0, features * sizeof(float));
    }
}

static void forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                         const struct dts_place *place)
{
    dts_ranges(copy_rows, dts_embedding_tokens(call, a->batch), call, a, place);
}

struct job {
    const struct dts_op_call *call;
    const struct dts_arrays *a;
};

static void add_rows(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    const size_t features = dts_dims_features(&job->call->output);
    const int32_t *tokens = job->a->x[0];
    for (size_t i = 0; i < dts_embedding_tokens(job->call, job->a->batch); i++) {
        size_t row;
        if (!dts_embedding_here(job->call, job->a, tokens[i], &row) ||
            row % (size_t)workers != (size_t)worker)
            continue;
        float *restrict dw = (float *)job->a->dw[0] + row * features;
        const float *restrict dy = (const float *)job->a->dy + i * features;
        for (size_t f = 0; f < features; f++)
            dw[f] += dy[f];
    }
}

static void backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    struct job job = {call, a};
    if (a->dw[0] != NULL)
        dts_workers_run(place->workers, add_rows, &job);
}

dts_op_fn dts_embedding_forward_cuda, dts_embedding_backward_cuda; // embedding.cu

const struct dts_operation dts_op_embedding = {
    .name = "embedding",
    .summary = "a row of a table for each token",
    .needs_x = true,
    .tokens = true,
    .divides = true,
    .cost = dts_embedding_cost,
    .reference = {forward, backward},
    .host = {forward_host, backward_host},
    .cuda = DTS_CUDA({dts_embedding_forward_cuda, dts_embedding_backward_cuda}),
};
