/* mean_squared_error.c -- loss: the mean over a sample's n values of their squared distance
 * from a target of the same shape:
 *
 *     y  = w / n sum over i of (x[i] - target[i])^2
 *     dx[i] = 2 w (x[i] - target[i]) / (n batch)
 *
 * w is the weight of the loss. The host's sums are in double, in their order, by one thread:
 * samples of this loss are small.
 */
#include "kernels/op.h"
#include "kernels/op_cost.h"

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    const size_t n = dts_dims_elements(&call->inputs[0]);
    const double *x = a->x[0], *target = a->target;
    for (size_t b = 0; b < (size_t)a->batch; b++) {
        double sum = 0;
        for (size_t i = b * n; i < (b + 1) * n; i++)
            sum += (x[i] - target[i]) * (x[i] - target[i]);
        ((double *)a->y)[b] = dts_op_weight(call) * sum / (double)n;
    }
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    const size_t n = dts_dims_elements(&call->inputs[0]), all = n * (size_t)a->batch;
    const double *x = a->x[0], *target = a->target, weight = dts_op_weight(call);
    double *dx = a->dx[0];
    for (size_t i = 0; i < all && dx != NULL; i++)
        dx[i] = 2 * weight * (x[i] - target[i]) / (double)all;
}

static void forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                         const struct dts_place *place)
{
    (void)place;
    const size_t n = dts_dims_elements(&call->inputs[0]);
    const float *x = a->x[0], *target = a->target;
    for (size_t b = 0; b < (size_t)a->batch; b++) {
        double sum = 0;
        for (size_t i = b * n; i < (b + 1) * n; i++)
            sum += (double)(x[i] - target[i]) * (double)(x[i] - target[i]);
        ((float *)a->y)[b] = (float)(dts_op_weight(call) * sum / (double)n);
    }
}

static void backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    (void)place;
    const size_t all = dts_dims_elements(&call->inputs[0]) * (size_t)a->batch;
    const float *x = a->x[0], *target = a->target;
    const float scale = 2 * (float)dts_op_weight(call) / (float)all;
    float *dx = a->dx[0];
    for (size_t i = 0; i < all && dx != NULL; i++)
        dx[i] = scale * (x[i] - target[i]);
}

dts_op_fn dts_mean_squared_error_forward_cuda; // mean_squared_error.cu
dts_op_fn dts_mean_squared_error_backward_cuda;

const struct dts_operation dts_op_mean_squared_error = {
    .name = "mean_squared_error",
    .summary = "loss: distance from a target of the input's shape",
    .needs_x = true,
    .loss = true,
    .cost = dts_mean_squared_error_cost,
    .reference = {forward, backward},
    .host = {forward_host, backward_host},
    .cuda =
        DTS_CUDA({dts_mean_squared_error_forward_cuda, dts_mean_squared_error_backward_cuda}),
};
