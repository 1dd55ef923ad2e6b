/* layer.h -- kinds of layer: how the shape of one follows from its input, which parameters it
 * has, and which call carries it out. One file and one row each; docs/models.md tells a person
 * what they mean. What one costs stands beside the operation (kernels/op_cost.h).
 */
#ifndef DTS_TRAIN_MODEL_LAYER_LAYER_H
#define DTS_TRAIN_MODEL_LAYER_LAYER_H

#include "base/json/cfg.h"
#include "kernels/call/op_call.h"
#include "kernels/op_cost.h"

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
    bool per_channel; // a bias, a factor of a normalization or of its own: some optimizers
                      // treat them apart

    /* Values of a row, if only the rows that occur have a gradient; 0: all rows have one. */
    size_t sparse_row;
    double zipf;    // such a table's: row r occurs in proportion to r^-zipf
    double drawn;   // rows that a device draws beside them, each once, by the same law
    double density; // and the share of rows that a device's samples touch; 0: as zipf says
};

/* What `infer` is given and what it finds. Outputs are zero before. */
struct dts_layer_facts {
    const struct dts_dims *inputs; // 1 to DTS_LAYER_INPUTS
    int input_count;
    struct dts_dims output;
    struct dts_param params[DTS_LAYER_PARAMS];
    int param_count;
};

struct dts_layer_kind {
    const char *name, *summary;
    const struct dts_field *fields; // its JSON keys beside name, kind, input, tied
    size_t size;                    // of the struct that they fill; 0: no keys
    int inputs;                     // how many it takes; 0: one or more
    bool rectifies;                 // it is max(0, x), which
    bool takes_relu;                // a layer before it can do on the way, where it has this

    /* Output shape and parameters from the inputs' shapes. May complete `self`. The model
     * checks the size of the output. */
    bool (*infer)(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                  struct dts_error *err);

    /* Fill in the settings of the call that carries the layer out, its shapes are there; may
     * rename the operation, which is called like the kind. NULL: it has no settings. */
    void (*describe)(const void *self, struct dts_op_call *call);

    dts_op_cost_fn *cost; // of that call; NULL: there is none, the output is the input's memory
};

extern const struct dts_layer_kind *const dts_layer_kinds[]; // ended by NULL
const struct dts_layer_kind *dts_layer_kind_find(const char *name);
const char *dts_layer_kind_name(int i);

/* For `infer`: add a parameter tensor; refuses one above DTS_LAYER_MOST_VALUES. The count may
 * have overflowed any integer, hence double. */
bool dts_layer_param(struct dts_layer_facts *facts, const char *name, double count,
                     const struct dts_cfg *at, struct dts_error *err);

/* How the parameter added last begins; zeros if nothing is said. */
void dts_layer_begin(struct dts_layer_facts *facts, double mean, double spread, bool uniform);

/* Of a convolution's or linear layer's parameter, the one added last: see struct dts_param. */
void dts_layer_fans(struct dts_layer_facts *facts, double fan_in, double fan_out);

/* The parameter added last is a table of rows of so many values, whose gradient is sparse; how
 * often its rows occur, as struct dts_param says. */
void dts_layer_sparse(struct dts_layer_facts *facts, size_t row, double zipf, double density);

/* The parameter added last is one value for each channel or feature. */
void dts_layer_per_channel(struct dts_layer_facts *facts);

#endif
