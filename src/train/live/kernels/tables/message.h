/* message.h -- rows of a table in a message: each its number and its values, in the order of
 * numbers. Behind the last one stands the number -1, where there is room: messages are as long
 * as the plan says, whatever the rows in them.
 */
#ifndef DTS_TRAIN_LIVE_KERNELS_TABLES_MESSAGE_H
#define DTS_TRAIN_LIVE_KERNELS_TABLES_MESSAGE_H

#include "kernels/embedding/sparse.h"

/* How a row lies in a message: floats of its number, and in all. */
struct dts_live_row {
    size_t number, all;
};

struct dts_live_row dts_live_row_of(size_t width, int index_bytes);

/* The row at that place. */
void dts_live_row_put(const struct dts_live_row *row, float *message, size_t place,
                      int32_t number, const float *values);

/* There are `count` rows, and no more: the rest of the message of so many floats is cleared. */
void dts_live_rows_end(const struct dts_live_row *row, float *message, size_t floats,
                       size_t count);

/* The rows of the list that are numbered first .. end - 1, and no more; there is room. */
void dts_live_rows_put(const struct dts_live_row *row, float *message, size_t floats,
                       const struct dts_sparse *list, size_t first, size_t end);

/* The rows of a message as a list, to be freed. */
struct dts_sparse dts_live_rows_read(const struct dts_live_row *row, const float *message,
                                     size_t floats);

#endif
