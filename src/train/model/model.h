/* model.h -- a network from its file: layers in the order in which they run forward.
 *
 * docs/models.md tells a person how to write one. A layer takes the output of the layer before
 * it, or of those that "input" names. Backward runs in the opposite order.
 */
#ifndef DTS_TRAIN_MODEL_MODEL_H
#define DTS_TRAIN_MODEL_MODEL_H

#include <stdio.h>

#include "base/json/keys.h"
#include "kernels/update/update_cost.h"
#include "train/model/layer/layer.h"
#include "train/model/part.h"
#include "train/model/table_rule.h"

struct dts_layer {
    const char *name; // unique; owned by the model
    const struct dts_layer_kind *kind;
    void *self;                                // what the kind's fields filled; owned
    int inputs[DTS_LAYER_INPUTS], input_count; // layers, -1: the model's input
    struct dts_dims output;
    struct dts_param params[DTS_LAYER_PARAMS]; // its own: without the weight that is tied
    int param_count;
    int tied_to; // an earlier layer whose weight it uses, -1: its own
    int shares;  // an earlier layer of which it uses all parameters, -1: it has its own

    /* Its call's in this network (model_costs.c): without gradients that nobody needs, with
     * forks, and with the tensors that it keeps among its saved values. */
    struct dts_op_cost cost;

    /* Gradients that backward adds because several layers read the output; one FLOP and three
     * values each. Part of `cost`. */
    double fork_values;

    bool view; // the output is the input's memory: never kept twice

    /* Its products may be in 8 bits: a linear layer but the last before the loss, a mixture.
     * What is kept of a sample is then so many bytes more: a tensor that such products alone
     * read has 1 byte a value in place of 2, one that others read, too, 1 byte beside it. */
    bool eight;
    double eight_bytes;

    const struct dts_layer_part *part; // of a model that is a part of another one; NULL: whole
};

/* Values of a parameter tensor, of all ranks together where they have parts. */
static inline size_t dts_layer_values(const struct dts_layer *layer, int param)
{
    return layer->part != NULL ? layer->part->whole[param] : layer->params[param].count;
}

struct dts_model {
    const char *name, *summary;
    const char *sample; // what a sample is: "image", "sequence"
    struct dts_dims input;
    struct dts_layer *layers; // owned
    int layer_count;
    double parameters;                    // in all, tied ones once
    double forward_flops, backward_flops; // per sample

    /* Per sample, as MFU and HFU count (op_cost.h); tokens: 0 where a sample is no sequence. */
    double product_flops, repeated_flops, tokens;
    double saved_values, saved_bytes; // per sample, kept for backward (op_cost.h)
    double eight_bytes;               // of all layers
    double eight_parameters;          // of layers whose products may be in 8 bits
    double working_values; // per sample: what backward needs beside them when it needs most
    char *own_name;        // owned: what name points to, where the file does not give it
    char *changed_from;  // owned: the name of the model that it was before changes; NULL: none
    struct dts_doc *doc; // owned

    /* Of a network by numbers that has a file: the layers that its family makes of them; owned.
     * Else NULL. */
    struct dts_doc *expanded;
};

/* What the products of a layer are in. */
static inline enum dts_precision dts_layer_precision(const struct dts_layer *layer,
                                                     enum dts_precision precision)
{
    return layer->eight ? precision : dts_precision_beside(precision);
}

bool dts_model_load(struct dts_model *model, const char *path, struct dts_error *err);

/* The same with all values that an object holds, "base" left out, in place of the file's. Where
 * one of them is another (dts_doc_changed() of model->doc) the model is then called
 * "gpt2 (changed)", unless they name it. */
bool dts_model_load_based(struct dts_model *model, const char *path,
                          const struct dts_cfg *changes, struct dts_error *err);

/* A network that stands in another document: {"family": "llama", "layers": 32, ...}. */
bool dts_model_read_at(struct dts_model *model, const struct dts_cfg *at,
                       struct dts_error *err);

/* The same from a string; `name` stands for the file in messages. */
bool dts_model_parse(struct dts_model *model, const char *name, const char *text,
                     struct dts_error *err);
void dts_model_free(struct dts_model *model);

/* Print every key of a model file, every family and every kind of layer, for `dtsim help
 * model`. */
void dts_model_keys(struct dts_keys *keys);

/* Memory of one device, in bytes (memory.c). The fp32 copy of the weights that fp16 and bf16
 * training needs is part of `weights`. */
struct dts_memory {
    double weights, gradients, optimizer, activations, total;
    double framework; // of the total: context, workspaces and copies of the software (stack.h)
    double unsharded; // of the total: what ranks divide, whole for a while (mesh/whole.h)
    double host;      // not of the total: of a node's host, by servers or what is offloaded
    const char *host_for; // what that is, in words; NULL: host is 0
    double first_stage;   // of a pipeline: the total of its first stage; 0: there is none
};

extern const struct dts_optimizer *const dts_optimizers[]; // ended by NULL
const struct dts_optimizer *dts_optimizer_find(const char *name);
const char *dts_optimizer_name(int i);

/* batch: samples that are on the device at once. sparse: gradients of sparse tables stay lists
 * of rows; false: they are made dense, to be exchanged. */
struct dts_memory dts_model_memory(const struct dts_model *model,
                                   const struct dts_optimizer *optimizer,
                                   enum dts_precision precision, double batch, bool sparse);

/* Of sparse tables, with that batch: values of the rows that can have a gradient, and how many
 * rows these are. dts_model_tables: all values of such tables. */
double dts_model_rows(const struct dts_model *model, double batch, double *values);
double dts_model_tables(const struct dts_model *model);

/* What a step computes with. */
struct dts_samples {
    double batch; // on the device at once
    double step;  // whose gradients an update has: of all microbatches and devices

    /* Gradients are exchanged between devices: those of sparse tables are dense, and cleared in
     * each step. */
    bool exchanged;
    struct dts_table_rule tables; // but for these
};

/* Values that an update changes: all but the rows of sparse tables that no sample names. Where
 * gradients are exchanged these rows are looked for among *searched values; a rule without
 * state then changes whole tables, and looks for nothing. */
double dts_model_updated(const struct dts_model *model, const struct dts_optimizer *optimizer,
                         const struct dts_samples *samples, double *searched);

/* Is there a layer that normalizes by batches? */
bool dts_model_batch_norm(const struct dts_model *model);

/* The first layer with a sparse table; NULL: there is none. */
const struct dts_layer *dts_model_sparse(const struct dts_model *model);

/* Seconds of each layer on a device, for a batch; forward[i], backward[i] belong to layer i and
 * are the caller's, as is update (the optimizer). */
struct dts_stack;
struct dts_anchor;
struct dts_model_seconds {
    double *forward, *backward;      // owned
    double update, fixed;            // of a step
    const struct dts_anchor *anchor; // what they rest on; NULL: the bare roofline
    char basis[256];                 // the same in words, for the report

    /* The batch, if it is beyond the published or measured ones, and which these are: "batch
     * 64, measured 8 to 16"; "": it is within them. */
    char outside[96];

    bool roofline;   // nobody published or measured them: the bare roofline
    char doubt[160]; // why they are hard to believe (seconds/peak.h); "": they are not
};

bool dts_model_seconds(const struct dts_model *model, const struct dts_device *device,
                       const struct dts_stack *stack, const struct dts_optimizer *optimizer,
                       enum dts_precision precision, const struct dts_samples *samples,
                       struct dts_model_seconds *out, struct dts_error *err);
void dts_model_seconds_free(struct dts_model_seconds *seconds);

#endif
