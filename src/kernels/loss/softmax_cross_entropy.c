/* softmax_cross_entropy.c -- loss where one class is right at each position of a sample:
 *
 *     l[p]    = log of sum over c of exp x[p, c]
 *     y       = w / n sum over p of (l[p] - x[p, target[p]])
 *     dx[p, c] = w (exp(x[p, c] - l[p]) - (c is target[p])) / (n batch)
 *
 * The sums are over the n positions of the sample that count: those whose target is not below
 * zero and not the class that the call says to ignore. Where none does, y and dx are zero. w
 * is the weight of the loss. Classes must be smaller than the last size of x. l is kept for
 * backward. The fast version is softmax_cross_entropy_host.c.
 */
#include <math.h>

#include "kernels/loss/softmax_cross_entropy.h"
#include "kernels/op_cost.h"

static double log_sum(const double *x, size_t classes)
{
    double most = x[0], sum = 0;
    for (size_t c = 1; c < classes; c++)
        most = x[c] > most ? x[c] : most;
    for (size_t c = 0; c < classes; c++)
        sum += exp(x[c] - most);
    return most + log(sum);
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    const size_t positions = dts_dims_positions(&call->inputs[0]);
    const size_t classes = dts_dims_features(&call->inputs[0]);
    for (size_t b = 0; b < (size_t)a->batch; b++) {
        const int32_t *target = (const int32_t *)a->target + b * positions;
        const size_t count = dts_classes_count(call, target);
        double sum = 0;
        for (size_t p = 0; p < positions; p++) {
            const double *x = (const double *)a->x[0] + (b * positions + p) * classes;
            const double l = log_sum(x, classes);
            ((double *)a->saved)[b * positions + p] = l;
            if (dts_class_counts(call, target[p]))
                sum += l - x[target[p]];
        }
        ((double *)a->y)[b] = count > 0 ? dts_op_weight(call) * sum / (double)count : 0;
    }
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    const size_t positions = dts_dims_positions(&call->inputs[0]);
    const size_t classes = dts_dims_features(&call->inputs[0]);
    const double weight = dts_op_weight(call);
    for (size_t b = 0; b < (size_t)a->batch && a->dx[0] != NULL; b++) {
        const int32_t *target = (const int32_t *)a->target + b * positions;
        const size_t count = dts_classes_count(call, target);
        for (size_t p = 0; p < positions; p++) {
            const double *x = (const double *)a->x[0] + (b * positions + p) * classes;
            double *dx = (double *)a->dx[0] + (b * positions + p) * classes;
            const double l = ((const double *)a->saved)[b * positions + p];
            for (size_t c = 0; c < classes; c++)
                dx[c] = dts_class_counts(call, target[p])
                            ? weight * (exp(x[c] - l) - (c == (size_t)target[p])) /
                                  ((double)count * a->batch)
                            : 0;
        }
    }
}

static size_t saved_bytes(const struct dts_op_call *call, int batch, size_t real)
{
    return (size_t)batch * dts_dims_positions(&call->inputs[0]) * real;
}

const struct dts_operation dts_op_softmax_cross_entropy = {
    .name = "softmax_cross_entropy",
    .summary = "loss: one class of the last size is right, at each position",
    .needs_x = true,
    .loss = true,
    .classes = true,
    .saved_bytes = saved_bytes,
    .cost = dts_softmax_cross_entropy_cost,
    .reference = {forward, backward},
    .host = {dts_softmax_cross_entropy_forward_host, dts_softmax_cross_entropy_backward_host},
    .cuda = DTS_CUDA({dts_softmax_cross_entropy_forward_cuda,
                      dts_softmax_cross_entropy_backward_cuda, NULL,
                      dts_softmax_cross_entropy_scratch_cuda}),
};
