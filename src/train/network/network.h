/* network.h -- a network that computes: weights, gradients, forward and backward calls.
 *
 *     dts_network_make(&network, &model, &options, &err)
 *     for each step:
 *         copy a batch into dts_network_input(), dts_network_target()
 *         dts_network_begin(network, &step)
 *         forward(0) .. forward(n - 1), backward(n - 1) .. backward(0)
 *         the optimizer changes weights by gradients (train/network/optimizer.h)
 *
 * Layer numbers are those of the model, so a plan's calls can be carried out one by one. A
 * layer without a call of its own (train/model/calls.h) does nothing.
 *
 * Weights and gradients are one array each, all parameter tensors behind one another in the
 * order in which backward finishes them (train/network/layout.h).
 *
 * A network may be one stage of a pipeline: a range of the model's layers. Its weights, its
 * dropout and its sums are those of the whole model: stages that pass one another's outputs and
 * gradients on compute what one network computes. Between two stages lies a cut, over which one
 * tensor goes: its edges are the entry and the exit (enum dts_network_edge).
 *
 * Several microbatches may be in flight, one in each slot. What forward makes and backward
 * reads is there for each slot; what lives within one pass is there once. So a pass, all
 * forward or all backward calls of a slot, ends before the next one of the network begins.
 * Passes may come in any order: gradients are added in that of the backward passes.
 *
 * Layers may run again before backward (options.again): what they make is then not kept until
 * then. A call with `again` (struct dts_network_part) is that second forward call.
 *
 * In mixed precision what layers hand one another, and its gradients, have 16 bits; weights are
 * the fp32 ones that updates change, and gradients of weights are fp32, too.
 */
#ifndef DTS_TRAIN_NETWORK_NETWORK_H
#define DTS_TRAIN_NETWORK_NETWORK_H

#include <stdint.h>

#include "base/error.h"
#include "kernels/embedding/sparse.h"
#include "kernels/op.h"
#include "kernels/space/mirror.h"
#include "kernels/update/update.h"
#include "train/model/again.h"
#include "train/network/layout.h"

struct dts_network_options {
    int batch;               // samples at once, >= 1
    int threads;             // >= 1, of a CPU
    struct dts_space *space; // where it computes, the caller's; NULL: on this CPU
    bool unfused;            // each layer by a call of its own

    struct dts_layer_range range; // of the model; zeros: all layers
    int slots;                    // microbatches in flight; 0: 1

    /* Layers that run again before backward, of the range, none twice; the caller's, looked at
     * while the network is made. On a CPU alone. */
    const struct dts_again *again;
    int again_count;

    /* Gradients of sparse tables are lists of rows, except on a GPU; false: dense, to be
     * exchanged, as are those of layers in sparse_but: by layer, the caller's, for as long as
     * the network; NULL: none. */
    bool sparse;
    const bool *sparse_but;

    uint64_t seed; // of the first weights and of dropout

    /* fp32, or tf32, which CPUs do not have. bf16 and fp16 are mixed precision
     * (kernels/mixed.h): weights and gradients stay fp32. */
    enum dts_precision precision;
};

/* One step, or one microbatch of it. */
struct dts_network_step {
    uint64_t number;       // of the step: dropout differs from step to step
    uint64_t first_sample; // number of the first sample among those of all ranks
    bool training;         // statistics of the batch and dropout; else those of the past

    /* Add to the gradients: not the first microbatch. Else the forward call of a layer clears
     * the gradients of its parameters. */
    bool keep_gradients;

    double loss_scale; // gradients come out times that; 0: 1
};

struct dts_network;

/* Fails where a layer has no operation or the precision is fp64 (DTS_UNSUPPORTED), the memory
 * is not there, or more than one tensor goes over a cut at an end of the range
 * (DTS_UNSUPPORTED). The model must outlive it. */
bool dts_network_make(struct dts_network **network, const struct dts_model *model,
                      const struct dts_network_options *options, struct dts_error *err);
void dts_network_free(struct dts_network *network); // NULL: nothing

/* Where its parameter tensors lie, and which of them it has borrowed of earlier stages. */
const struct dts_layout *dts_network_layout(const struct dts_network *network);

size_t dts_network_parameters(const struct dts_network *network);
float *dts_network_weights(struct dts_network *network);
float *dts_network_gradients(struct dts_network *network);

/* Gradients go there from now on: as many as there are parameters, but for tables whose
 * gradients are lists; the caller's; dts_whole_pages() where the network computes elsewhere
 * than on this CPU. */
void dts_network_use_gradients(struct dts_network *network, float *gradients);

/* The same for weights; what they are now is copied there. */
void dts_network_use_weights(struct dts_network *network, float *weights);

/* Weights and gradients lie among those of that layout, which has all tensors of this one: the
 * arrays of a rank with several networks, or with tensors that are apart. What weights are now
 * is copied there. The arrays are the caller's, of this CPU. */
void dts_network_lie_among(struct dts_network *network, const struct dts_layout *layout,
                           float *weights, float *gradients);

/* Weights, gradients, and what layers keep from step to step beside weights: running
 * statistics. Where the network computes elsewhere than on this CPU, functions of this header
 * give what is here: whoever reads it fetches it first, whoever changes it stores it then
 * (kernels/space/space.h). Input and targets are stored by dts_network_begin(). */
enum dts_network_array { DTS_NETWORK_WEIGHTS, DTS_NETWORK_GRADIENTS, DTS_NETWORK_STATES };
const struct dts_mirror *dts_network_mirror(const struct dts_network *network,
                                            enum dts_network_array array);

/* Between an array of this network and that of a network of the whole model with the same
 * batch, which is what files hold. `give` copies what is here to its place there, but for
 * copies of other stages' tensors; `take` copies it from there. Gradients: not where some are
 * lists. */
size_t dts_network_whole_bytes(const struct dts_network *network, enum dts_network_array array);
void dts_network_give(const struct dts_network *network, enum dts_network_array array,
                      void *whole);
void dts_network_take(struct dts_network *network, enum dts_network_array array,
                      const void *whole);

/* Where parameter tensor `number` of a layer lies in both, or among the gradients where
 * those of sparse tables are lists. */
size_t dts_network_offset(const struct dts_network *network, int layer, int number);
size_t dts_network_gradient_offset(const struct dts_network *network, int layer, int number);

/* The gradient of that layer's table after backward; NULL: it is no list. */
const struct dts_sparse *dts_network_rows(const struct dts_network *network, int layer);

/* The words that the samples of the selected slot look up in the layer's table, before any call
 * runs: `count` of them, of which some are beyond the table (kernels/embedding/embedding.c).
 * NULL: they are not the input. */
const int32_t *dts_network_words(const struct dts_network *network, int layer, size_t *count);

/* Another list takes its place, such as the sum over ranks; `list` is then what it was. */
void dts_network_swap_rows(struct dts_network *network, int layer, struct dts_sparse *list);

/* What follows here is of that slot, 0 .. slots - 1, from now on; of slot 0 in the beginning.
 */
void dts_network_select(struct dts_network *network, int slot);

/* What goes over the cuts at both ends of the range: the output that layers behind the cut
 * read, and its gradient. [batch, ...output of that layer] floats, in mixed precision 16-bit
 * values. Who receives writes ENTRY before the forward pass and EXIT_GRADIENT before the
 * backward pass, and leaves them and EXIT alone until the backward pass has ended, which adds
 * to EXIT_GRADIENT where layers of the range read the exit, too. ENTRY_GRADIENT is there when
 * the backward pass has ended. */
enum dts_network_edge {
    DTS_EDGE_ENTRY,
    DTS_EDGE_EXIT,
    DTS_EDGE_ENTRY_GRADIENT,
    DTS_EDGE_EXIT_GRADIENT,
    DTS_NETWORK_EDGES
};

/* NULL: the range ends with the model there, or the gradient is one that nobody needs. */
const struct dts_mirror *dts_network_edge(const struct dts_network *network,
                                          enum dts_network_edge edge, int slot);

/* It lies there from now on, without a copy: as many bytes as its mirror has, the caller's,
 * apart from all other arrays; dts_whole_pages() where the network computes elsewhere. */
void dts_network_bind(struct dts_network *network, enum dts_network_edge edge, int slot,
                      void *values);

/* The layer whose output goes over a cut before layer `cut` of the model: what an exchange
 * carries. DTS_CALL_ENTRY (train/model/calls.h): none does. Fails (DTS_UNSUPPORTED) where there
 * is more than one, and names them. */
bool dts_network_cut(const struct dts_model *model, int cut, int *layer, struct dts_error *err);

/* The arrays that a batch is copied into, all positions of each sample, also where the network
 * computes with a part of them. Input: int32 if it is tokens, else float, [batch,
 * ...model->input]; NULL: neither reads the range the model's input nor has it a loss, whose
 * targets may follow from the input. Targets of the loss layer `layer`: int32 classes or
 * floats, `count` for each sample; NULL where the layer is no loss. */
void *dts_network_input(struct dts_network *network, bool *tokens);
void *dts_network_target(struct dts_network *network, int layer, size_t *count, bool *classes);

size_t dts_network_classes(const struct dts_network *network, int layer); // of that loss layer

/* A microbatch in the slot that is selected. Layers are of the range. */
void dts_network_begin(struct dts_network *network, const struct dts_network_step *step);
void dts_network_forward(struct dts_network *network, int layer);
void dts_network_backward(struct dts_network *network, int layer);

/* An optimizer for this network: its gradients are laid out as the network's are. */
struct dts_optimizer_run;
bool dts_network_optimizer(const struct dts_network *network,
                           const struct dts_optimizer *optimizer,
                           struct dts_optimizer_run **run, struct dts_error *err);

/* The same for some of its weights, which are whole tensors. */
struct dts_optimizer_part;
bool dts_network_optimizer_of(const struct dts_network *network,
                              const struct dts_optimizer *optimizer,
                              const struct dts_optimizer_part *part,
                              struct dts_optimizer_run **run, struct dts_error *err);

/* One update of all weights by the gradients, of which each is factor times what is there: the
 * mean of a sum. */
void dts_network_update(struct dts_network *network, struct dts_optimizer_run *optimizer,
                        const struct dts_update_settings *settings, float factor);

/* Are all gradients finite? */
bool dts_network_finite(struct dts_network *network, const struct dts_optimizer_run *optimizer);

/* Of a layer whose table or classes ranks have parts of (kernels/op.h, `divides`): the first
 * row or class that this network has, and how many all ranks have. Its model has as many as are
 * here; tokens and targets count all. */
void dts_network_divide(struct dts_network *network, int layer, size_t first, size_t all);

/* What ranks that have parts of a model combine between calls, in the selected slot, there:
 * where it comes from, and where what they made of it goes. Behind a call: its output, or
 * backward the gradient of its first input with what later layers made of it. Before a call:
 * its first input, or backward the gradient of its output. Both are one array where ranks add
 * up what all have; else (train/model/part.h) one has parts of sums, or the positions of all
 * ranks. from NULL: nobody needs it. */
struct dts_network_exchanged {
    const float *from;
    float *to;
    bool adds; // to what is there
};
struct dts_network_exchanged dts_network_exchanged(const struct dts_network *network, int layer,
                                                   bool backward, bool before);

/* Values of the rows that ranks exchange of a layer (kernels/op.h); 0: none. */
size_t dts_network_row_values(const struct dts_network *network, int layer);

/* How much of each call runs from now on, until dts_network_begin(): then all of it does. A
 * layer's operation must have halves (kernels/op.h, which says what the sums are). */
struct dts_network_part {
    enum dts_op_part part;
    double *sums; // there
    int ranks;
    int rank;    // of those, where a loss is divided: whose block of the sums is this network's
    float *rows; // that ranks exchange (kernels/op.h)
    bool again;  // forward: the second time
};
void dts_network_take_part(struct dts_network *network, const struct dts_network_part *part);

/* Of the slot's last whole forward pass: the sum over the loss layers of the mean over the
 * batch. */
double dts_network_loss(const struct dts_network *network);

/* Of a loss layer whose forward call was the last: sums over the first `samples` of the batch.
 */
struct dts_network_score {
    double loss;
    bool auxiliary;          // for training alone
    bool classes;            // it has them, and so the next two:
    double positions, right; // that count; where the largest value is the target's
};

/* At how many of these positions a class is the target, the answer, and both. */
struct dts_class_count {
    double targets, answers, both;
};

/* False: the layer is no loss. each: of all its classes; what is counted is added; NULL: not
 * wanted. */
bool dts_network_score(const struct dts_network *network, int layer, int samples,
                       struct dts_network_score *score, struct dts_class_count *each);

/* A network that tells a class for each of several positions of what is not text divides its
 * input into regions, whose overlap with the true ones is a score: the loss layer that does,
 * the last one if several do. -1: none does. */
int dts_network_regions(const struct dts_network *network);

void *dts_network_states(struct dts_network *network, size_t *bytes);

/* Memory that it holds, in bytes: weights, gradients, activations, edges. Lists are as long as
 * the longest was until now. */
size_t dts_network_bytes(const struct dts_network *network);

/* What of it each slot takes, where there are several; 0: there is one. */
size_t dts_network_slot_bytes(const struct dts_network *network);

/* Those of a CPU; NULL: it has none. */
struct dts_workers *dts_network_workers(struct dts_network *network);

#endif
