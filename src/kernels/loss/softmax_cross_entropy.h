/* softmax_cross_entropy.h -- what the files of this loss tell one another. */
#ifndef DTS_KERNELS_LOSS_SOFTMAX_CROSS_ENTROPY_H
#define DTS_KERNELS_LOSS_SOFTMAX_CROSS_ENTROPY_H

#include <math.h>

#include "kernels/op.h"

/* Whether a position with this class counts. */
static inline bool dts_class_counts(const struct dts_op_call *call, int32_t target)
{
    return target >= 0 && (call->ignored == 0 || target != call->ignored);
}

/* Positions of a sample that count; `target` is the sample's. */
static inline size_t dts_classes_count(const struct dts_op_call *call, const int32_t *target)
{
    size_t count = 0;
    for (size_t p = 0; p < dts_dims_positions(&call->inputs[0]); p++)
        count += dts_class_counts(call, target[p]);
    return count;
}

/* Where ranks have parts of the classes: whether that one is here, and as which. */
static inline bool dts_class_here(const struct dts_arrays *a, size_t classes, int32_t target,
                                  size_t *mine)
{
    *mine = (size_t)target - a->first;
    return (size_t)target >= a->first && *mine < classes;
}

/* The sums of position i of all `count` of the batch (op.h): largest, sum, target. */
static inline double *dts_class_sums(const struct dts_arrays *a, int rank, size_t count,
                                     size_t i)
{
    return a->sums + 3 * ((size_t)rank * count + i);
}

/* From those of all ranks: the logarithm of the sum over all classes, and the target's value.
 */
static inline double dts_class_log_sum(const struct dts_arrays *a, size_t count, size_t i)
{
    double most = dts_class_sums(a, 0, count, i)[0], sum = 0;
    for (int r = 1; r < a->ranks; r++)
        most = fmax(most, dts_class_sums(a, r, count, i)[0]);
    for (int r = 0; r < a->ranks; r++)
        sum +=
            dts_class_sums(a, r, count, i)[1] * exp(dts_class_sums(a, r, count, i)[0] - most);
    return most + log(sum);
}

static inline double dts_class_target(const struct dts_arrays *a, size_t count, size_t i)
{
    double value = 0;
    for (int r = 0; r < a->ranks; r++)
        value += dts_class_sums(a, r, count, i)[2];
    return value;
}

dts_op_fn dts_softmax_cross_entropy_forward_host, dts_softmax_cross_entropy_backward_host;
dts_op_fn dts_softmax_cross_entropy_forward_cuda, dts_softmax_cross_entropy_backward_cuda;
size_t dts_softmax_cross_entropy_scratch_cuda(const struct dts_op_call *call, int batch,
                                              int workers);

#endif
