/* attention_cost.c -- what attention costs, by kernels that write their scores to memory, or by
 * one that never does (Dao et al. 2022, arXiv:2205.14135): that computes them again for the
 * backward pass, and skips the half that a causal mask hides.
 */
#include "kernels/op_cost.h"

/* Sizes in values; s queries, t keys. */
struct sizes {
    double query, keys, scores; // s f, t g, heads s t
    double statistics;          // heads s
    double product;             // flops of scores by all heads: 2 s t f
};

static struct sizes sizes_of(const struct dts_op_call *call)
{
    const bool one = call->input_count == 1; // q, k and v behind one another
    const struct dts_dims *keys = &call->inputs[one ? 0 : 1];
    const double s = (double)call->output.size[0], t = (double)keys->size[0];
    const double features = (double)call->output.size[1];
    return (struct sizes){
        .query = s * features,
        .keys = t * (one ? features : (double)keys->size[1]),
        .scores = call->heads * s * t,
        .statistics = call->heads * s,
        .product = 2 * s * t * features,
    };
}

static struct dts_op_cost plain_cost(const struct sizes *n, bool dropout)
{
    double drop = dropout ? n->scores : 0;
    double backward = 4 * n->product + 5 * n->scores + drop;
    double io = n->query + 2 * n->keys;
    /* Passes over the scores. Forward: product writes, softmax reads and writes, product reads.
     * Backward: dv reads p, dp is written, softmax reads p and dp and writes ds, dq and dk read
     * ds. Dropout reads and writes once more each way. */
    double backward_values = 7 * n->scores + 2 * drop + 2 * io + n->query;
    return (struct dts_op_cost){
        .class = DTS_WORK_MATMUL,
        .apart = true,
        .product_flops = 2 * n->product,

        /* Softmax: scale, max, subtract, exp, sum, divide. */
        .forward_flops = 2 * n->product + 6 * n->scores + 2 * drop,

        .backward_flops = backward, // dv, dp, dq, dk; softmax: dot 2, subtract, multiply, scale
        .input_flops = backward,
        .forward_values = 4 * n->scores + 2 * drop + io + n->query,
        .backward_values = backward_values,
        .input_values = backward_values,
        .saved_values = n->scores + drop, // p, and what dropout left of it
        .saved_bytes = drop,              // its mask
        .saves_input = true,
    };
}

static struct dts_op_cost fused_cost(const struct sizes *n, bool causal)
{
    double part = causal ? 0.5 : 1;
    double backward = part * (5 * n->product + 10 * n->scores); // the scores once more
    double io = n->query + 2 * n->keys;
    double backward_values = 2 * io + 2 * n->query; // read q, k, v, y, dy, write dq, dk, dv
    return (struct dts_op_cost){
        .class = DTS_WORK_MATMUL,
        .product_flops = 2 * n->product,
        .repeated_flops = n->product, // the scores
        .forward_flops = part * (2 * n->product + 6 * n->scores),
        .backward_flops = backward,
        .input_flops = backward,
        .forward_values = io + n->query,
        .backward_values = backward_values,
        .input_values = backward_values,
        .saved_bytes = 4 * n->statistics, // log of the sum of exponentials, fp32
        .saves_input = true,
        .saves_output = true,
    };
}

struct dts_op_cost dts_attention_cost(const struct dts_op_call *call)
{
    const struct sizes n = sizes_of(call);
    return call->fused ? fused_cost(&n, call->causal) : plain_cost(&n, call->rate > 0);
}
