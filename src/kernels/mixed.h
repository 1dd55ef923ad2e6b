/* mixed.h -- an operation in mixed precision (Micikevicius et al. 2018, arXiv:1710.03740): the
 * same call on arrays of 16 bits.
 *
 *     in 16 bits   x, y, dy, dx: what is kept from forward to backward, and its gradients
 *     in 32 bits   weights and their gradients, what an operation keeps for itself (statistics
 *                  of normalizations), losses, targets; tokens and classes are int32
 *     rounded      the weights of an operation that multiplies matrices (op.h, `products`), on
 *                  their way into the product, which is summed in 32 bits
 *
 * A CPU without arithmetic of 16 bits widens what comes in, computes as the host's version does
 * and rounds what comes out once: the numbers that hardware has which multiplies 16 bits into
 * sums of 32. The widened arrays are scratch, of one call at a time. On a GPU (a place with
 * cuBLAS) the cuda version is called in the same way, and its products multiply 16 bits.
 */
#ifndef DTS_KERNELS_MIXED_H
#define DTS_KERNELS_MIXED_H

#include "kernels/call/half.h"
#include "kernels/embedding/sparse.h"
#include "kernels/op.h"

/* The format; the gradient of a loss is multiplied by loss_scale, so that small gradients of
 * fp16 do not become zero (loss_scale.h). */
struct dts_mixed {
    enum dts_half half;
    float loss_scale; // > 0
};

/* Bytes, that of the version itself among them. */
size_t dts_mixed_forward_scratch(const struct dts_operation *op, const struct dts_op_call *call,
                                 int batch, const struct dts_place *place);
size_t dts_mixed_backward_scratch(const struct dts_operation *op,
                                  const struct dts_op_call *call, int batch,
                                  const struct dts_place *place);

/* As forward and backward of op->host, or of op->cuda. */
void dts_mixed_forward(const struct dts_operation *op, const struct dts_mixed *mixed,
                       const struct dts_op_call *call, const struct dts_arrays *arrays,
                       const struct dts_place *place);
void dts_mixed_backward(const struct dts_operation *op, const struct dts_mixed *mixed,
                        const struct dts_op_call *call, const struct dts_arrays *arrays,
                        const struct dts_place *place);

/* The gradient of a table as a list of rows in 32 bits (sparse.h), on a CPU. */
void dts_mixed_rows(struct dts_sparse *list, const struct dts_operation *op, enum dts_half half,
                    const struct dts_op_call *call, const struct dts_arrays *arrays,
                    const struct dts_place *place);

#endif
