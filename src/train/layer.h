/* layer.h -- kinds of layer: what one costs, per sample, and how its shape follows from its
 * input. One file and one row each; docs/models.md tells a person what they mean.
 *
 * What is counted, everywhere:
 * - A multiply-add is two operations; exp, tanh, sqrt and division are one. A bias costs
 * nothing forward (the sum starts from it) and one addition per output value backward.
 * - Values are what a kernel must at least move: each input and output once, more where the
 *   computation needs two passes over all the data. Kernels are not fused with one another.
 * - Kept from forward to backward is what PyTorch keeps. A tensor that two layers keep is kept
 *   once (model_costs.c).
 */
#ifndef DTS_TRAIN_LAYER_H
#define DTS_TRAIN_LAYER_H

#include "base/cfg.h"
#include "kernels/device.h"
#include "kernels/op_call.h"

enum { DTS_LAYER_PARAMS = DTS_OP_PARAMS, DTS_LAYER_INPUTS = DTS_OP_INPUTS };

/* No tensor of a model is larger, so that sums over layers are exact in a double. */
#define DTS_LAYER_MOST_VALUES 1e12

/* One parameter tensor, and how it begins: mean + spread x a random number, normal or uniform
 * in (-1, 1). */
struct dts_param {
    const char *name; // "weight", "bias"
    size_t count;
    double mean, spread;
    bool uniform;
    double fan_in;    // values that are multiplied and added to one output; 0: none are
    double fan_out;   // outputs of all channels that one value is multiplied for, or would be
    bool per_channel; // a bias, a normalization's factor: some optimizers treat them apart
    size_t
        sparse_row; // values of a row, where only the rows that occur have a gradient; 0: all
};

/* What a layer needs for one sample. FLOPs count a multiply-add as two. */
struct dts_layer_cost {
    enum dts_work_class class;
    double forward_flops, backward_flops;   // backward: by data and by weights together
    double forward_values, backward_values; // activations read and written, in elements
    double saved_values;  // activations kept from forward to backward, in elements
    double saved_bytes;   // kept besides, in bytes whatever the precision: masks, indices
    double weight_values; // parameters read by a call, whatever the batch; backward reads them
                          // and writes as many gradients

    /* Of a layer that can normalize over the samples of all ranks: sums that they add up in a
     * pass, and values that move before these are there. 0: no such pass. */
    size_t sums;
    double forward_sum_values, backward_sum_values;

    double fork_values; // gradients added, of those backward (one FLOP, three values each):
                        // the output is taken in several times

    /* For model_costs.c, which turns them into the numbers above. */
    double input_flops, input_values; // the part of backward that makes the gradients of the
                                      // inputs: left out where nothing before them learns
    bool saves_input, saves_output;   // backward reads them
    bool view;                        // the output is the input's memory: never kept twice
};

/* What `infer` is given and what it finds. Outputs are zero before. */
struct dts_layer_facts {
    const struct dts_dims *inputs; // 1 to DTS_LAYER_INPUTS
    int input_count;
    struct dts_dims output;
    struct dts_param params[DTS_LAYER_PARAMS];
    int param_count;
    struct dts_layer_cost cost;
};

struct dts_layer_kind {
    const char *name, *summary;
    const struct dts_field *fields; // its JSON keys beside name, kind, input, tied
    size_t size;                    // of the struct that they fill; 0: no keys
    int inputs;                     // how many it takes; 0: one or more
    bool rectifies;                 // it is max(0, x), which
    bool takes_relu;                // a layer before it can do on the way, where it has this

    /* Output shape, parameters and cost from the inputs' shapes. May complete `self`. The
     * model checks the size of the output. */
    bool (*infer)(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                  struct dts_error *err);

    /* Fill in the settings of the call that carries the layer out, its shapes are there; may
     * rename the operation, which is called like the kind. NULL: it has no settings. */
    void (*describe)(const void *self, struct dts_op_call *call);
};

extern const struct dts_layer_kind *const dts_layer_kinds[]; // ended by NULL
const struct dts_layer_kind *dts_layer_kind_find(const char *name);
const char *dts_layer_kind_name(int i);

/* For `infer`: add a parameter tensor; refuses one above DTS_LAYER_MOST_VALUES. The count may
 * have overflowed any integer, hence double. Its values become part of weight_values. */
bool dts_layer_param(struct dts_layer_facts *facts, const char *name, double count,
                     const struct dts_cfg *at, struct dts_error *err);

/* How the parameter added last begins; zeros if nothing is said. */
void dts_layer_begin(struct dts_layer_facts *facts, double mean, double spread, bool uniform);

/* Of a convolution's or linear layer's parameter, the one added last: see struct dts_param. */
void dts_layer_fans(struct dts_layer_facts *facts, double fan_in, double fan_out);

/* The parameter added last is a table of rows of so many values, whose gradient is sparse. */
void dts_layer_sparse(struct dts_layer_facts *facts, size_t row);

/* The parameter added last is one value for each channel or feature. */
void dts_layer_per_channel(struct dts_layer_facts *facts);

#endif
