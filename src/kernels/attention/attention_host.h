/* attention_host.h -- what forward and backward of attention on a CPU share: blocks of queries
 * of a head. */
#ifndef DTS_KERNELS_ATTENTION_ATTENTION_HOST_H
#define DTS_KERNELS_ATTENTION_ATTENTION_HOST_H

#include "kernels/attention/attention.h"
#include "kernels/product/gemm.h"
#include "kernels/ranges.h"

/* Scores of a block and 1024 keys have 256 KiB, part of a second cache. */
enum { DTS_ATTENTION_QUERIES = 64 };

struct dts_attention_block {
    size_t sample, head;
    size_t first, count; // queries
    size_t seen;         // keys that one of them sees
    size_t q, k, v, y;   // where their vectors begin
    size_t saved;
};

/* Blocks of a head. */
static inline size_t dts_attention_blocks(const struct dts_attention_sizes *s)
{
    return (s->queries + DTS_ATTENTION_QUERIES - 1) / DTS_ATTENTION_QUERIES;
}

/* Block `number` of all: those of a head are neighbours, then heads, then samples. */
struct dts_attention_block dts_attention_block(const struct dts_op_call *call,
                                               const struct dts_attention_sizes *s,
                                               size_t number);

/* scores[i, j] = q[i] . k[j], rows `seen` apart. */
void dts_attention_scores(const struct dts_attention_sizes *s, const struct dts_arrays *a,
                          const struct dts_attention_block *b, float *scores);

#endif
