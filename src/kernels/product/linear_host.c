/* linear_host.c -- the linear layer on a CPU: three products of matrices. The bias is where the
 * product starts from, its gradient a sum over rows that workers share by columns. */
#include <string.h>

#include "kernels/product/gemm.h"
#include "kernels/product/linear.h"

struct job {
    struct dts_linear_sizes sizes;
    const float *bias, *dy;
    float *y, *dbias;
};

static void start_from_bias(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    const size_t outputs = job->sizes.outputs;
    size_t first;
    const size_t count = dts_share_of(job->sizes.rows, worker, workers, &first);
    for (size_t r = first; r < first + count; r++)
        memcpy(job->y + r * outputs, job->bias, outputs * sizeof(float));
}

static void add_columns(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    size_t first;
    const size_t count = dts_share_of(job->sizes.outputs, worker, workers, &first);
    float *restrict sums = job->dbias + first;
    for (size_t r = 0; r < job->sizes.rows; r++) {
        const float *restrict row = job->dy + r * job->sizes.outputs + first;
        for (size_t o = 0; o < count; o++)
            sums[o] += row[o];
    }
}

void dts_linear_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                             const struct dts_place *place)
{
    struct job job = {.sizes = dts_linear_sizes(call, a->batch), .bias = a->w[1], .y = a->y};
    const struct dts_linear_sizes *s = &job.sizes;
    if (call->bias)
        dts_workers_run(place->workers, start_from_bias, &job);
    const struct dts_gemm product = {
        .transpose_b = true,
        .m = s->rows,
        .n = s->outputs,
        .k = s->features,
        .a = a->x[0],
        .lda = s->features,
        .b = a->w[0],
        .ldb = s->features,
        .c = a->y,
        .ldc = s->outputs,
        .beta = call->bias ? 1 : 0,
    };
    dts_gemm(&product, place->workers);
}

static void weights_backward(const struct dts_linear_sizes *s, const struct dts_arrays *a,
                             struct dts_workers *workers)
{
    const struct dts_gemm product = {
        .transpose_a = true,
        .m = s->outputs,
        .n = s->features,
        .k = s->rows,
        .a = a->dy,
        .lda = s->outputs,
        .b = a->x[0],
        .ldb = s->features,
        .c = a->dw[0],
        .ldc = s->features,
        .beta = 1,
    };
    dts_gemm(&product, workers);
}

static void data_backward(const struct dts_linear_sizes *s, const struct dts_arrays *a,
                          struct dts_workers *workers)
{
    const struct dts_gemm product = {
        .m = s->rows,
        .n = s->features,
        .k = s->outputs,
        .a = a->dy,
        .lda = s->outputs,
        .b = a->w[0],
        .ldb = s->features,
        .c = a->dx[0],
        .ldc = s->features,
    };
    dts_gemm(&product, workers);
}

void dts_linear_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                              const struct dts_place *place)
{
    struct job job = {
        .sizes = dts_linear_sizes(call, a->batch), .dy = a->dy, .dbias = a->dw[1]};
    if (a->dw[0] != NULL)
        weights_backward(&job.sizes, a, place->workers);
    if (a->dx[0] != NULL)
        data_backward(&job.sizes, a, place->workers);
    if (call->bias && a->dw[1] != NULL)
        dts_workers_run(place->workers, add_columns, &job);
}
