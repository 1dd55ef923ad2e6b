/* calls.h -- a network as the calls that carry it out: one for each layer, none for a layer
 * that only renames memory or that the layer before it does on its way.
 */
#ifndef DTS_TRAIN_MODEL_CALLS_H
#define DTS_TRAIN_MODEL_CALLS_H

#include "train/model/model.h"

enum { DTS_CALL_ENTRY = -1 }; // in place of a tensor: the model's input

/* How a layer is carried out. Tensors are named by the layer whose call writes them. */
struct dts_layer_call {
    struct dts_op_call call;          // call.op NULL: nothing runs
    int inputs[DTS_OP_INPUTS];        // tensors that it takes, or DTS_CALL_ENTRY
    int output;                       // the tensor that holds the layer's output
    int param_layers[DTS_OP_PARAMS];  // whose parameter tensor each of call.params is, and
    int param_numbers[DTS_OP_PARAMS]; // which one of that layer
    int last;                         // the last layer that the call carries out
    bool learns;                      // weights in it or before it: it has a backward call
    bool wants[DTS_OP_INPUTS];        // backward makes the gradient of that input,
    bool adds[DTS_OP_INPUTS];         // which is then added to that of a later taker

    /* Of a layer that ranks have parts of (train/model/part.h). `adds` of one that splits is of
     * others that do. What the ranks sum up behind the first one's backward call joins: it is
     * added to what a later taker that does not split has left. */
    bool splits, brings, gathers, joins;
};

/* The call of a layer by itself, whether or not it runs: not `first`, nothing fused. */
struct dts_op_call dts_model_call(const struct dts_model *model, int layer);

/* calls: model->layer_count of them, the caller's. fuse: max(0, x) is done by the call before
 * it where that can. */
void dts_model_calls(const struct dts_model *model, bool fuse, struct dts_layer_call *calls);

/* Find `wants` and `adds` again, where less learns than dts_model_calls() knew. The last taker
 * runs backward first and writes the gradient, the others write elsewhere. */
void dts_calls_gradients(const struct dts_model *model, struct dts_layer_call *calls);

/* Work of a step beside the layers' calls, as calls of their own for profiles. Before the
 * forward call of a layer the gradients of its own parameters are cleared, all at once:
 * `values` of them, 0 where they are lists of rows (those of sparse tables, where `lists`).
 * Behind a backward call the gradient of an input that others take, too, is added to theirs. */
#define DTS_CALL_GRADIENT_CLEAR "gradient_clear"
#define DTS_CALL_GRADIENT_SUM   "gradient_sum"
size_t dts_call_clears(const struct dts_model *model, int layer, bool lists);
struct dts_op_call dts_call_gradient_clear(size_t values);
struct dts_op_call dts_call_gradient_sum(const struct dts_dims *input);

#endif
