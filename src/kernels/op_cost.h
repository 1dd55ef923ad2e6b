/* op_cost.h -- what a call costs, for one sample: operations, values that move, what is kept.
 *
 * The costs of `<name>.c` stand beside it in `<name>_cost.c`, as functions of the call alone.
 * They are a library of their own, without threads and BLAS, for who predicts; the row of the
 * operation (op.h) and the kind of layer that calls it (train/model/layer/layer.h) name the
 * function.
 *
 * What is counted, everywhere:
 * - A multiply-add is two operations; exp, tanh, sqrt and division are one. A bias is free
 *   forward (the sum starts from it) and one addition per output value backward.
 * - Values are what a kernel must at least move: each input and output once, more where the
 *   computation needs two passes over all the data. Kernels are not fused with one another.
 * - Kept from forward to backward is what PyTorch keeps.
 */
#ifndef DTS_KERNELS_OP_COST_H
#define DTS_KERNELS_OP_COST_H

#include "device/device.h"
#include "kernels/call/op_call.h"

/* Backward is whole: it makes gradients of parameters and of inputs. */
struct dts_op_cost {
    enum dts_work_class class;
    double forward_flops, backward_flops;
    double forward_values, backward_values; // activations read and written, in elements

    /* Of forward the products of matrices alone, attention's of all pairs of positions, whether
     * or not they are hidden: what MFU counts (docs/model.md). Of these, what backward computes
     * once more. */
    double product_flops, repeated_flops;

    /* The part of backward that makes the gradients of the inputs. It is left out where nothing
     * before this call learns. */
    double input_flops, input_values;

    double saved_values; // kept from forward to backward beside inputs and output, in elements
    double saved_bytes;  // and in bytes, whatever the precision: masks, indices
    bool saves_input, saves_output; // backward reads them

    /* Parameters that a call reads, whatever the batch. Backward reads them and writes as many
     * gradients. */
    double weight_values;

    /* Of one product with weights: rows that each sample adds to it, and its columns, forward
     * and where the gradients of the inputs are made. They say how well the product fills a
     * device (device.h). 0: it is none, or many small ones. */
    double rows, columns, input_rows, input_columns;

    /* Kernels that compute and kernels that move values, one after another: their times add up.
     * Else one kernel does both at once. */
    bool apart;

    /* Of an operation that can normalize over the samples of all ranks: sums that they add up
     * in a pass, and values that move before these are there. 0: no such pass. */
    size_t sums;
    double forward_sum_values, backward_sum_values;
};

typedef struct dts_op_cost dts_op_cost_fn(const struct dts_op_call *call);

// products
dts_op_cost_fn dts_attention_cost;
dts_op_cost_fn dts_conv_cost;
dts_op_cost_fn dts_conv_transpose_cost;
dts_op_cost_fn dts_gru_cost;
dts_op_cost_fn dts_linear_cost;
dts_op_cost_fn dts_lstm_cost;
dts_op_cost_fn dts_moe_cost;

// pools
dts_op_cost_fn dts_avg_pool_cost;
dts_op_cost_fn dts_max_pool_cost;
dts_op_cost_fn dts_mean_cost;
dts_op_cost_fn dts_mean_pool_cost; // adaptive_pool, global_pool

// normalizations
dts_op_cost_fn dts_batch_norm_cost;
dts_op_cost_fn dts_group_norm_cost;
dts_op_cost_fn dts_layer_norm_cost;
dts_op_cost_fn dts_rms_norm_cost;

// functions of one value
dts_op_cost_fn dts_gelu_cost;
dts_op_cost_fn dts_hardsigmoid_cost;
dts_op_cost_fn dts_hardswish_cost;
dts_op_cost_fn dts_leaky_relu_cost;
dts_op_cost_fn dts_relu_cost;
dts_op_cost_fn dts_relu6_cost;
dts_op_cost_fn dts_sigmoid_cost;
dts_op_cost_fn dts_silu_cost;
dts_op_cost_fn dts_tanh_cost;

// sums, products, parts
dts_op_cost_fn dts_add_cost;
dts_op_cost_fn dts_concat_cost;
dts_op_cost_fn dts_dropout_cost;
dts_op_cost_fn dts_layer_scale_cost;
dts_op_cost_fn dts_multiply_cost;
dts_op_cost_fn dts_stochastic_depth_cost;
dts_op_cost_fn dts_upsample_cost;
dts_op_cost_fn dts_upsample_nearest_cost;
dts_op_cost_fn dts_part_cost; // permute, select, sequence, slice

// tables
dts_op_cost_fn dts_class_token_cost;
dts_op_cost_fn dts_embedding_cost;
dts_op_cost_fn dts_positional_embedding_cost;
dts_op_cost_fn dts_rotary_cost;

// losses
dts_op_cost_fn dts_mean_squared_error_cost;
dts_op_cost_fn dts_softmax_cross_entropy_cost;

/* Of several operations: a product of weights, each of which is multiplied once at so many
 * `places`; means of parts of the input, by so many operations. */
struct dts_op_cost dts_product_cost(const struct dts_op_call *call, enum dts_work_class class,
                                    double places);
struct dts_op_cost dts_means_cost(const struct dts_op_call *call, double flops);

/* Of a linear layer or a mixture: values of a sample that are cast before products in 8 bits,
 * of inputs, or of the gradients of outputs. Of each value of 2 bytes, 1 is written twice. */
double dts_op_cast_values(const struct dts_op_call *call, bool backward);
enum { DTS_CAST_BYTES = 4 };

/* Values of all parameters of a call. */
static inline double dts_op_call_weights(const struct dts_op_call *call)
{
    double values = 0;
    for (int i = 0; i < call->param_count; i++)
        values += (double)call->params[i];
    return values;
}

#endif
