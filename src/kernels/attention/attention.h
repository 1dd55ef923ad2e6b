/* attention.h -- what the files of attention tell one another. */
#ifndef DTS_KERNELS_ATTENTION_ATTENTION_H
#define DTS_KERNELS_ATTENTION_ATTENTION_H

#include "kernels/op.h"

/* Where a head's vectors lie: row r of them is `row` values behind the one before. */
struct dts_attention_sizes {
    size_t queries, keys;    // rows
    size_t before, all;      // queries of other ranks before them; all of a head
    size_t heads, key_heads; // heads / key_heads neighbours share keys and values
    size_t head;             // values of a head
    size_t query_row, key_row;
    size_t key_at, value_at;    // where keys and values begin in a row of their tensor
    int key_input, value_input; // which tensor that is
};
struct dts_attention_sizes dts_attention_sizes(const struct dts_op_call *call);

/* The first value of a head of a sample, in its tensor. */
size_t dts_attention_query(const struct dts_attention_sizes *s, size_t sample, size_t head);
size_t dts_attention_key(const struct dts_attention_sizes *s, size_t sample, size_t head);
size_t dts_attention_value(const struct dts_attention_sizes *s, size_t sample, size_t head);
size_t dts_attention_output(const struct dts_attention_sizes *s, size_t sample, size_t head);

/* Keys that a query sees, from the first. */
static inline size_t dts_attention_seen(const struct dts_op_call *call, size_t query,
                                        size_t keys)
{
    return call->causal && query + 1 < keys ? query + 1 : keys;
}

/* Random bits for the probabilities of a row (head x all queries + query) are drawn by pieces
 * of keys: DTS_ATTENTION_BLOCKS blocks of Philox, 8 values each. Key k is part k %
 * DTS_ATTENTION_PIECE / DTS_ATTENTION_BLOCKS (16 bits, the lowest first) of block k /
 * DTS_ATTENTION_PIECE * DTS_ATTENTION_BLOCKS + k % DTS_ATTENTION_BLOCKS. */
enum { DTS_ATTENTION_BLOCKS = 16, DTS_ATTENTION_PIECE = 8 * DTS_ATTENTION_BLOCKS };

/* keep[0 .. keys rounded up to a piece - 1] of a row: 1 or 0. */
void dts_attention_draw(const struct dts_arrays *a, size_t sample, size_t row, size_t keys,
                        uint32_t threshold, uint8_t *keep);

/* Positions on several ranks: attention_parts_host.c. Values that are kept; bytes of scratch
 * beside that of the work; values of the rows. */
size_t dts_attention_parts_saved(const struct dts_op_call *call, int batch);
size_t dts_attention_parts_scratch(const struct dts_op_call *call, int batch);
size_t dts_attention_row_values(const struct dts_op_call *call, int batch);

/* The same of ranks that gather: attention_gather_host.c. The work is that of a rank. */
struct dts_op_call dts_attention_gathered_work(const struct dts_op_call *call, int rank);
size_t dts_attention_gathered_scratch(const struct dts_op_call *call, int batch, bool backward);
size_t dts_attention_gathered_values(const struct dts_op_call *call, int batch);
dts_op_fn dts_attention_gathered_forward, dts_attention_gathered_backward;
dts_op_fn dts_attention_part_forward, dts_attention_part_backward;

dts_op_fn dts_attention_forward_host, dts_attention_backward_host;
size_t dts_attention_forward_scratch(const struct dts_op_call *call, int batch, int workers);
size_t dts_attention_backward_scratch(const struct dts_op_call *call, int batch, int workers);

dts_op_fn dts_attention_forward_cuda, dts_attention_backward_cuda;
size_t dts_attention_forward_scratch_cuda(const struct dts_op_call *call, int batch,
                                          int workers);
size_t dts_attention_backward_scratch_cuda(const struct dts_op_call *call, int batch,
                                           int workers);

#endif
