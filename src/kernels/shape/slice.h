/* slice.h -- what the files of slices tell one another. */
#ifndef DTS_KERNELS_SHAPE_SLICE_H
#define DTS_KERNELS_SHAPE_SLICE_H

#include "kernels/op.h"

/* Rows, of all samples; values of one in the input, in the output, and before the first that
 * is kept. The axis is the first whose size the call changes. */
struct dts_slice {
    size_t rows, in, out, before;
};
struct dts_slice dts_slice_of(const struct dts_op_call *call, int batch);

dts_op_fn dts_slice_forward_cuda, dts_slice_backward_cuda;

#endif
