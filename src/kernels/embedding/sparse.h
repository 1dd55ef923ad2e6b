/* sparse.h -- the gradient of an embedding as the rows that occur: a list of row numbers,
 * ascending and each once, and their values.
 *
 * Ranks whose tokens differ exchange lists and merge them, instead of summing whole tables; the
 * update then touches only those rows. Sums are in the order of the tokens, those of merged
 * lists in the order of the merges: workers share the rows, and nothing depends on their
 * number.
 */
#ifndef DTS_KERNELS_EMBEDDING_SPARSE_H
#define DTS_KERNELS_EMBEDDING_SPARSE_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/op.h"
#include "kernels/space/space.h"

struct dts_sparse {
    size_t count, features;
    int32_t *rows; // owned; count of them
    float *values; // owned; count x features
    size_t row_room, value_room;
};

/* Whether gradients of sparse tables are made as lists there: in the host's memory. */
static inline bool dts_sparse_has_lists(const struct dts_space *space)
{
    return !dts_space_is_apart(space);
}

/* A list starts as (struct dts_sparse){0} and is used again and again. */
void dts_sparse_free(struct dts_sparse *list);

size_t dts_sparse_bytes(const struct dts_sparse *list); // that it holds

/* The gradient that a call of `embedding` would add to its table (arrays: x[0] and dy). */
void dts_sparse_gradient(struct dts_sparse *list, const struct dts_op_call *call,
                         const struct dts_arrays *arrays, struct dts_workers *workers);

/* out = a + b; no two of them the same. */
void dts_sparse_merge(struct dts_sparse *out, const struct dts_sparse *a,
                      const struct dts_sparse *b, struct dts_workers *workers);

/* values *= factor */
void dts_sparse_scale(struct dts_sparse *list, float factor, struct dts_workers *workers);

/* Whether no value is infinite or NaN. */
bool dts_sparse_finite(const struct dts_sparse *list, struct dts_workers *workers);

/* table[row] += factor x value, for all rows of the list: a gradient made dense with 1, SGD
 * with minus the learning rate. */
void dts_sparse_add_to(const struct dts_sparse *list, float *table, float factor,
                       struct dts_workers *workers);

#endif
