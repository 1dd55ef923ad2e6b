/* transpose.h -- matrices transposed, a part at a time. */
#ifndef DTS_KERNELS_VECTOR_TRANSPOSE_H
#define DTS_KERNELS_VECTOR_TRANSPOSE_H

#include <stddef.h>

/* `count` matrices [rows, columns] behind one another, each to be [columns, rows]. */
struct dts_transpose {
    const float *from;
    float *to;
    size_t rows, columns, count;
};

/* Parts that can be done in any order; those that write the same lines follow one another. */
size_t dts_transpose_parts(const struct dts_transpose *all);

/* Parts first .. first + count - 1. */
void dts_transpose_some(const struct dts_transpose *all, size_t first, size_t count);

#endif
