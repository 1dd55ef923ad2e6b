/* op.c -- the table of operations. */
#include <string.h>

#include "kernels/op.h"

extern const struct dts_operation dts_op_attention;
extern const struct dts_operation dts_op_conv;
extern const struct dts_operation dts_op_conv_transpose;
extern const struct dts_operation dts_op_gru;
extern const struct dts_operation dts_op_linear;
extern const struct dts_operation dts_op_lstm;
extern const struct dts_operation dts_op_moe;

extern const struct dts_operation dts_op_adaptive_pool;
extern const struct dts_operation dts_op_avg_pool;
extern const struct dts_operation dts_op_global_pool;
extern const struct dts_operation dts_op_max_pool;
extern const struct dts_operation dts_op_mean;

extern const struct dts_operation dts_op_batch_norm;
extern const struct dts_operation dts_op_group_norm;
extern const struct dts_operation dts_op_layer_norm;
extern const struct dts_operation dts_op_rms_norm;

extern const struct dts_operation dts_op_gelu;
extern const struct dts_operation dts_op_hardsigmoid;
extern const struct dts_operation dts_op_hardswish;
extern const struct dts_operation dts_op_leaky_relu;
extern const struct dts_operation dts_op_relu;
extern const struct dts_operation dts_op_relu6;
extern const struct dts_operation dts_op_sigmoid;
extern const struct dts_operation dts_op_silu;
extern const struct dts_operation dts_op_tanh;

extern const struct dts_operation dts_op_add;
extern const struct dts_operation dts_op_concat;
extern const struct dts_operation dts_op_dropout;
extern const struct dts_operation dts_op_layer_scale;
extern const struct dts_operation dts_op_multiply;
extern const struct dts_operation dts_op_permute;
extern const struct dts_operation dts_op_select;
extern const struct dts_operation dts_op_sequence;
extern const struct dts_operation dts_op_slice;
extern const struct dts_operation dts_op_stochastic_depth;
extern const struct dts_operation dts_op_upsample;
extern const struct dts_operation dts_op_upsample_nearest;

extern const struct dts_operation dts_op_class_token;
extern const struct dts_operation dts_op_embedding;
extern const struct dts_operation dts_op_positional_embedding;
extern const struct dts_operation dts_op_rotary;

extern const struct dts_operation dts_op_mean_squared_error;
extern const struct dts_operation dts_op_softmax_cross_entropy;

const struct dts_operation *const dts_operations[] = {
    // products
    &dts_op_attention,
    &dts_op_conv,
    &dts_op_conv_transpose,
    &dts_op_gru,
    &dts_op_linear,
    &dts_op_lstm,
    &dts_op_moe,

    // pools
    &dts_op_adaptive_pool,
    &dts_op_avg_pool,
    &dts_op_global_pool,
    &dts_op_max_pool,
    &dts_op_mean,

    // normalizations
    &dts_op_batch_norm,
    &dts_op_group_norm,
    &dts_op_layer_norm,
    &dts_op_rms_norm,

    // functions of one value
    &dts_op_gelu,
    &dts_op_hardsigmoid,
    &dts_op_hardswish,
    &dts_op_leaky_relu,
    &dts_op_relu,
    &dts_op_relu6,
    &dts_op_sigmoid,
    &dts_op_silu,
    &dts_op_tanh,

    // sums, products, parts
    &dts_op_add,
    &dts_op_concat,
    &dts_op_dropout,
    &dts_op_layer_scale,
    &dts_op_multiply,
    &dts_op_permute,
    &dts_op_select,
    &dts_op_sequence,
    &dts_op_slice,
    &dts_op_stochastic_depth,
    &dts_op_upsample,
    &dts_op_upsample_nearest,

    // tables
    &dts_op_class_token,
    &dts_op_embedding,
    &dts_op_positional_embedding,
    &dts_op_rotary,

    // losses
    &dts_op_mean_squared_error,
    &dts_op_softmax_cross_entropy,
    NULL,
};

const struct dts_operation *dts_operation_find(const char *name)
{
    for (int i = 0; dts_operations[i] != NULL; i++)
        if (strcmp(dts_operations[i]->name, name) == 0)
            return dts_operations[i];
    return NULL;
}
