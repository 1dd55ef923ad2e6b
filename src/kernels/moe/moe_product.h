/* moe_product.h -- products of rows that go to one expert by its matrices, on a CPU. */
#ifndef DTS_KERNELS_MOE_MOE_PRODUCT_H
#define DTS_KERNELS_MOE_MOE_PRODUCT_H

#include "kernels/op.h"

/* Rows of one expert. Everything is borrowed. */
struct dts_moe_rows {
    const struct dts_arrays *a; // of the call: weights of all experts, one behind another
    struct dts_workers *workers;
    size_t expert, count;
};

/* Floats of a part of the scratch, so that the next one is aligned. */
size_t dts_moe_rounded(size_t floats);

/* c [count, columns] = a [count, inner] by the expert's matrix, stored [columns, inner] or,
 * where not turned, [inner, columns]; beta c is added. */
void dts_moe_multiply(const struct dts_moe_rows *rows, const float *a, int param, bool turned,
                      size_t inner, size_t columns, float *c, float beta);

/* The expert's gradient [m, n] += a^T [m, count] b [count, n], where it is wanted. */
void dts_moe_add_weights(const struct dts_moe_rows *rows, int param, const float *a, size_t m,
                         const float *b, size_t n);

#endif
