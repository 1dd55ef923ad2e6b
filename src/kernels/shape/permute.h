/* permute.h -- what the files of permutations tell one another. */
#ifndef DTS_KERNELS_SHAPE_PERMUTE_H
#define DTS_KERNELS_SHAPE_PERMUTE_H

#include "kernels/op.h"

/* What is written, axis by axis: sizes, and how far apart what is read lies. Axes that stay
 * neighbours are one. `values`: of a sample. */
struct dts_permutation {
    int count;
    size_t size[DTS_DIMS], stride[DTS_DIMS], values;
};

/* Forward from x to y, backward from dy to dx. */
struct dts_permutation dts_permutation_of(const struct dts_op_call *call, bool back);

/* Whether it is matrices [rows, columns] that become [columns, rows]; of a sample so many. */
bool dts_permutation_transposes(const struct dts_permutation *p, size_t *rows, size_t *columns,
                                size_t *count);

dts_op_fn dts_permute_forward_cuda, dts_permute_backward_cuda;

#endif
