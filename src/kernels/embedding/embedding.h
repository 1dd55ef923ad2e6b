/* embedding.h -- what the files of embeddings tell one another. */
#ifndef DTS_KERNELS_EMBEDDING_EMBEDDING_H
#define DTS_KERNELS_EMBEDDING_EMBEDDING_H

#include "kernels/op.h"

/* The row of a token. One beyond the table takes the row of its remainder (hashing; Weinberger
 * et al. 2009, arXiv:0902.2206). */
static inline size_t dts_embedding_row(const struct dts_op_call *call, int32_t token)
{
    const size_t vocabulary = call->params[0] / dts_dims_features(&call->output);
    return (size_t)(uint32_t)token % vocabulary;
}

/* The same where ranks have parts of the table: false: it is not here. */
static inline bool dts_embedding_here(const struct dts_op_call *call,
                                      const struct dts_arrays *a, int32_t token, size_t *row)
{
    const size_t here = call->params[0] / dts_dims_features(&call->output);
    const size_t number = (size_t)(uint32_t)token % (a->all > 0 ? a->all : here);
    *row = number - a->first;
    return number >= a->first && *row < here;
}

static inline size_t dts_embedding_tokens(const struct dts_op_call *call, int batch)
{
    return (size_t)batch * dts_dims_elements(&call->inputs[0]);
}

#endif
