/* softmax_cross_entropy.h -- what the files of this loss tell one another. */
#ifndef DTS_KERNELS_LOSS_SOFTMAX_CROSS_ENTROPY_H
#define DTS_KERNELS_LOSS_SOFTMAX_CROSS_ENTROPY_H

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

dts_op_fn dts_softmax_cross_entropy_forward_host, dts_softmax_cross_entropy_backward_host;
dts_op_fn dts_softmax_cross_entropy_forward_cuda, dts_softmax_cross_entropy_backward_cuda;
size_t dts_softmax_cross_entropy_scratch_cuda(const struct dts_op_call *call, int batch,
                                              int workers);

#endif
