/* softmax_cross_entropy.c -- loss where one class is right at each position of a sample:
 *
 *     l[p]    = log of sum over c of exp x[p, c]
 *     y       = w / n sum over p of (l[p] - x[p, target[p]])
 *     dx[p, c] = w (exp(x[p, c] - l[p]) - (c is target[p])) / (n batch)
 *
 * The sums are over the n positions of the sample that count: those whose target is not below
 * zero and not the class that the call says to ignore. Where none does, y and dx are zero. w
 * is the weight of the loss. Classes must be smaller than the last size of x. l is kept for
 * backward. Where ranks have parts of the classes, forward runs in halves (op.h): l follows
 * from what all ranks have. The fast version is softmax_cross_entropy_host.c.
 */
#include <math.h>

#include "kernels/loss/softmax_cross_entropy.h"
#include "kernels/op_cost.h"

/* The largest value, and the sum of exp(x - that). */
static double sum_of(const double *x, size_t classes, double *most)
{
    double sum = 0;
    *most = x[0];
    for (size_t c = 1; c < classes; c++)
        *most = x[c] > *most ? x[c] : *most;
    for (size_t c = 0; c < classes; c++)
        sum += exp(x[c] - *most);
    return sum;
}

/* The first half, where ranks have parts of the classes. */
static void give_sums(const struct dts_op_call *call, const struct dts_arrays *a)
{
    const size_t classes = dts_dims_features(&call->inputs[0]);
    const size_t count = (size_t)a->batch * dts_dims_positions(&call->inputs[0]);
    for (size_t i = 0; i < 3 * count * (size_t)a->ranks; i++)
        a->sums[i] = 0;
    for (size_t i = 0; i < count; i++) {
        const double *x = (const double *)a->x[0] + i * classes;
        double *sums = dts_class_sums(a, a->rank, count, i);
        size_t class;
        sums[1] = sum_of(x, classes, &sums[0]);
        if (dts_class_here(a, classes, ((const int32_t *)a->target)[i], &class))
            sums[2] = x[class];
    }
}

static double loss_at(const struct dts_op_call *call, const struct dts_arrays *a, size_t i)
{
    const size_t classes = dts_dims_features(&call->inputs[0]);
    const size_t count = (size_t)a->batch * dts_dims_positions(&call->inputs[0]);
    const double *x = (const double *)a->x[0] + i * classes;
    const int32_t target = ((const int32_t *)a->target)[i];
    double most, *l = &((double *)a->saved)[i];
    if (a->part == DTS_OP_REST) {
        *l = dts_class_log_sum(a, count, i);
        return *l - dts_class_target(a, count, i);
    }
    const double sum = sum_of(x, classes, &most);
    *l = most + log(sum);
    return target >= 0 ? *l - x[target] : 0;
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    const size_t positions = dts_dims_positions(&call->inputs[0]);
    if (a->part == DTS_OP_SUMS) {
        give_sums(call, a);
        return;
    }
    for (size_t b = 0; b < (size_t)a->batch; b++) {
        const int32_t *target = (const int32_t *)a->target + b * positions;
        const size_t count = dts_classes_count(call, target);
        double sum = 0;
        for (size_t p = 0; p < positions; p++) {
            const double loss = loss_at(call, a, b * positions + p);
            sum += dts_class_counts(call, target[p]) ? loss : 0;
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
            size_t class;
            const bool here = dts_class_here(a, classes, target[p], &class);
            for (size_t c = 0; c < classes; c++)
                dx[c] = dts_class_counts(call, target[p])
                            ? weight * (exp(x[c] - l) - (here && c == class)) /
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
    .divides = true,
    .saved_bytes = saved_bytes,
    .cost = dts_softmax_cross_entropy_cost,
    .reference = {forward, backward},
    .host = {dts_softmax_cross_entropy_forward_host, dts_softmax_cross_entropy_backward_host},
    .cuda = DTS_CUDA({dts_softmax_cross_entropy_forward_cuda,
                      dts_softmax_cross_entropy_backward_cuda, NULL,
                      dts_softmax_cross_entropy_scratch_cuda}),
};
