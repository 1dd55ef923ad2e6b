/* table_rows.h -- the rows of a table that have a gradient.
 *
 * Rules with state leave alone the rows of a sparse table whose gradient is all zeros
 * (train/network/optimizer_rows.h). Where nothing can ask on the host which rows these are,
 * they are copied out of the table, updated beside it and copied back.
 */
#ifndef DTS_KERNELS_EMBEDDING_TABLE_ROWS_H
#define DTS_KERNELS_EMBEDDING_TABLE_ROWS_H

#include "kernels/op.h"

/* Not all zeros; NaN is not zero. On the host. */
bool dts_row_has_gradient(const float *gradient, size_t count);

/* [rows, row] each, in the place's memory. */
struct dts_table_rows {
    size_t rows, row; // values of one
    const float *gradient;
    const float *from;
    float *to;
};

/* to[row] = from[row] for each row that has a gradient. Other rows of `to` stay. On a GPU it is
 * queued on the place's stream. */
void dts_table_rows_copy(const struct dts_table_rows *rows, const struct dts_place *place);

typedef void dts_table_rows_fn(const struct dts_table_rows *rows,
                               const struct dts_place *place);
dts_table_rows_fn dts_table_rows_copy_cuda; // table_rows.cu

#endif
