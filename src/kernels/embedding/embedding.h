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

static inline size_t dts_embedding_tokens(const struct dts_op_call *call, int batch)
{
    return (size_t)batch * dts_dims_elements(&call->inputs[0]);
}

#endif
