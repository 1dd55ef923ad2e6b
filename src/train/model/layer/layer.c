/* layer.c -- the table of layer kinds, and what they share. */
#include <string.h>

#include "train/model/layer/layer.h"

extern const struct dts_layer_kind dts_layer_conv2d;
extern const struct dts_layer_kind dts_layer_conv3d;
extern const struct dts_layer_kind dts_layer_conv1d;
extern const struct dts_layer_kind dts_layer_conv_transpose1d;
extern const struct dts_layer_kind dts_layer_conv_transpose2d;
extern const struct dts_layer_kind dts_layer_conv_transpose3d;
extern const struct dts_layer_kind dts_layer_linear;
extern const struct dts_layer_kind dts_layer_max_pool;
extern const struct dts_layer_kind dts_layer_avg_pool;
extern const struct dts_layer_kind dts_layer_global_pool;
extern const struct dts_layer_kind dts_layer_adaptive_pool;
extern const struct dts_layer_kind dts_layer_mean;
extern const struct dts_layer_kind dts_layer_batch_norm;
extern const struct dts_layer_kind dts_layer_group_norm;
extern const struct dts_layer_kind dts_layer_layer_norm;
extern const struct dts_layer_kind dts_layer_rms_norm;
extern const struct dts_layer_kind dts_layer_relu;
extern const struct dts_layer_kind dts_layer_relu6;
extern const struct dts_layer_kind dts_layer_leaky_relu;
extern const struct dts_layer_kind dts_layer_gelu;
extern const struct dts_layer_kind dts_layer_silu;
extern const struct dts_layer_kind dts_layer_sigmoid;
extern const struct dts_layer_kind dts_layer_tanh;
extern const struct dts_layer_kind dts_layer_hardsigmoid;
extern const struct dts_layer_kind dts_layer_hardswish;
extern const struct dts_layer_kind dts_layer_dropout;
extern const struct dts_layer_kind dts_layer_stochastic_depth;
extern const struct dts_layer_kind dts_layer_add;
extern const struct dts_layer_kind dts_layer_multiply;
extern const struct dts_layer_kind dts_layer_layer_scale;
extern const struct dts_layer_kind dts_layer_concat;
extern const struct dts_layer_kind dts_layer_flatten;
extern const struct dts_layer_kind dts_layer_reshape;
extern const struct dts_layer_kind dts_layer_sequence;
extern const struct dts_layer_kind dts_layer_permute;
extern const struct dts_layer_kind dts_layer_select;
extern const struct dts_layer_kind dts_layer_slice;
extern const struct dts_layer_kind dts_layer_upsample;
extern const struct dts_layer_kind dts_layer_upsample_nearest;
extern const struct dts_layer_kind dts_layer_embedding;
extern const struct dts_layer_kind dts_layer_positional_embedding;
extern const struct dts_layer_kind dts_layer_class_token;
extern const struct dts_layer_kind dts_layer_rotary;
extern const struct dts_layer_kind dts_layer_attention;
extern const struct dts_layer_kind dts_layer_moe;
extern const struct dts_layer_kind dts_layer_lstm;
extern const struct dts_layer_kind dts_layer_gru;
extern const struct dts_layer_kind dts_layer_softmax_cross_entropy;
extern const struct dts_layer_kind dts_layer_mean_squared_error;

const struct dts_layer_kind *const dts_layer_kinds[] = {
    &dts_layer_conv2d,
    &dts_layer_conv3d,
    &dts_layer_conv1d,
    &dts_layer_conv_transpose1d,
    &dts_layer_conv_transpose2d,
    &dts_layer_conv_transpose3d,
    &dts_layer_linear,
    &dts_layer_max_pool,
    &dts_layer_avg_pool,
    &dts_layer_global_pool,
    &dts_layer_adaptive_pool,
    &dts_layer_mean,
    &dts_layer_batch_norm,
    &dts_layer_group_norm,
    &dts_layer_layer_norm,
    &dts_layer_rms_norm,
    &dts_layer_relu,
    &dts_layer_relu6,
    &dts_layer_leaky_relu,
    &dts_layer_gelu,
    &dts_layer_silu,
    &dts_layer_sigmoid,
    &dts_layer_tanh,
    &dts_layer_hardsigmoid,
    &dts_layer_hardswish,
    &dts_layer_dropout,
    &dts_layer_stochastic_depth,
    &dts_layer_add,
    &dts_layer_multiply,
    &dts_layer_layer_scale,
    &dts_layer_concat,
    &dts_layer_flatten,
    &dts_layer_reshape,
    &dts_layer_sequence,
    &dts_layer_permute,
    &dts_layer_select,
    &dts_layer_slice,
    &dts_layer_upsample,
    &dts_layer_upsample_nearest,
    &dts_layer_embedding,
    &dts_layer_positional_embedding,
    &dts_layer_class_token,
    &dts_layer_rotary,
    &dts_layer_attention,
    &dts_layer_moe,
    &dts_layer_lstm,
    &dts_layer_gru,
    &dts_layer_softmax_cross_entropy,
    &dts_layer_mean_squared_error,
    NULL,
};

const struct dts_layer_kind *dts_layer_kind_find(const char *name)
{
    for (int i = 0; dts_layer_kinds[i] != NULL; i++)
        if (strcmp(dts_layer_kinds[i]->name, name) == 0)
            return dts_layer_kinds[i];
    return NULL;
}

const char *dts_layer_kind_name(int i)
{
    return dts_layer_kinds[i] != NULL ? dts_layer_kinds[i]->name : NULL;
}

bool dts_layer_param(struct dts_layer_facts *facts, const char *name, double count,
                     const struct dts_cfg *at, struct dts_error *err)
{
    if (count > DTS_LAYER_MOST_VALUES)
        return dts_cfg_fail(at, NULL, err, "%s must have <= %.0e values, got %.3g", name,
                            DTS_LAYER_MOST_VALUES, count);
    facts->params[facts->param_count++] =
        (struct dts_param){.name = name, .count = (size_t)count};
    return true;
}

void dts_layer_begin(struct dts_layer_facts *facts, double mean, double spread, bool uniform)
{
    struct dts_param *param = &facts->params[facts->param_count - 1];
    param->mean = mean;
    param->spread = spread;
    param->uniform = uniform;
}

void dts_layer_sparse(struct dts_layer_facts *facts, size_t row, double zipf, double density)
{
    struct dts_param *table = &facts->params[facts->param_count - 1];
    table->sparse_row = row;
    table->zipf = zipf;
    table->density = density;
}

void dts_layer_per_channel(struct dts_layer_facts *facts)
{
    facts->params[facts->param_count - 1].per_channel = true;
}

void dts_layer_fans(struct dts_layer_facts *facts, double fan_in, double fan_out)
{
    facts->params[facts->param_count - 1].fan_in = fan_in;
    facts->params[facts->param_count - 1].fan_out = fan_out;
}
