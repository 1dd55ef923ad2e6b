/* cut.h -- a network whose layers are divided over ranks.
 *
 * Tensor ranks divide layers as Megatron-LM does (Shoeybi et al. 2019, arXiv:1909.08053; with
 * the sequence divided, too: Korthikanti et al. 2022, arXiv:2205.05198). A linear layer that
 * reads a whole tensor makes a part of its outputs on each rank (its columns are divided) where
 * all that reads them works value by value or head by head until another linear layer, which
 * takes its part of the inputs (its rows are divided) and leaves a part of a sum: the ranks add
 * it up. Backward the same holds the other way round. An embedding divides its rows, and so
 * does the last linear layer before a cross entropy (the vocabulary). All other layers do the
 * same work on each rank; with the sequence divided each has its positions.
 *
 * Context ranks have a part of the positions in all layers. Attention alone needs the others'
 * (enum dts_cut_reach).
 *
 * Spatial ranks have a strip of the image, or volume, of each sample (Dryden et al. 2019,
 * arXiv:1903.06681): all that works place by place does so, and a window that reaches beyond
 * the strip needs the rows of a neighbour, its halo.
 *
 * Expert ranks have a part of the experts of each mixture, and positions of their own. These go
 * to where their experts are, and come back.
 */
#ifndef DTS_TRAIN_MODEL_CUT_CUT_H
#define DTS_TRAIN_MODEL_CUT_CUT_H

#include "plan/coll/coll.h"
#include "train/model/model.h"

enum dts_cut_way {
    DTS_CUT_NOT,      // the same work on each rank
    DTS_CUT_COLUMN,   // of a linear layer: a part of its outputs
    DTS_CUT_ROW,      // a part of its inputs
    DTS_CUT_VALUES,   // a part of what comes in: functions of a value, heads of attention
    DTS_CUT_TABLE,    // rows of an embedding
    DTS_CUT_SEQUENCE, // positions
    DTS_CUT_CLASSES,  // a loss over a part of the vocabulary
    DTS_CUT_EXPERTS,  // of a mixture: a part of the hidden values of each expert

    /* Of a convolution that reads a whole tensor and leaves one (Dryden et al. 2019,
     * "Channel and filter parallelism", doi:10.1145/3295500.3356207). */
    DTS_CUT_FILTER,  // a part of its outputs, which ranks gather
    DTS_CUT_CHANNEL, // a part of its inputs: its outputs are summed
};

/* What tensor ranks do of convolutions. */
enum dts_cut_convolutions {
    DTS_CUT_WHOLE,   // all the same
    DTS_CUT_FILTERS, // DTS_CUT_FILTER
    DTS_CUT_CHANNELS,

    /* DTS_CUT_COLUMN before DTS_CUT_ROW, where all that reads the first leads to the second;
     * else that of FILTER and CHANNEL that exchanges less. */
    DTS_CUT_ALTERNATING,
};

/* How attention sees the positions of other context ranks. */
enum dts_cut_reach {
    /* Keys and values go round, while a rank attends to those that it has: ring attention (Liu
     * et al. 2023, arXiv:2310.01889). */
    DTS_CUT_RING,

    /* Ranks exchange positions for heads before attention, and back behind it (Ulysses; Jacobs
     * et al. 2023, arXiv:2309.14509). */
    DTS_CUT_ALL_TO_ALL,

    /* All gather keys and values (Llama 3; Grattafiori et al. 2024, arXiv:2407.21783). */
    DTS_CUT_ALL_GATHER,
};

/* Where ranks exchange something around a layer's calls. */
enum dts_cut_moment {
    DTS_CUT_BEFORE_FORWARD,
    DTS_CUT_AFTER_FORWARD,
    DTS_CUT_BEFORE_BACKWARD,
    DTS_CUT_AFTER_BACKWARD,
    DTS_CUT_AMID_FORWARD, // between the halves of a call: sums of all ranks' samples
    DTS_CUT_AMID_BACKWARD,
    DTS_CUT_MOMENTS
};

/* Which ranks do. Neighbours along one axis of an image are among DTS_CUT_PLACES + axis. */
enum dts_cut_among {
    DTS_CUT_TENSOR,
    DTS_CUT_CONTEXT,
    DTS_CUT_EXPERT,
    DTS_CUT_SPATIAL,
    DTS_CUT_PLACES,
    DTS_CUT_AMONG = DTS_CUT_PLACES + DTS_OP_AXES
};

struct dts_cut_exchange {
    enum dts_cut_among among;
    enum dts_coll_kind kind;
    double values; // of one sample, as dts_coll_bus_factor() counts
    bool of_batch; // of all samples of a rank
};

enum { DTS_CUT_AT_ONCE = 2 * DTS_OP_AXES }; // exchanges of one moment, one after another

/* What a layer is on one rank. */
struct dts_cut_layer {
    enum dts_cut_way way;
    struct dts_op_call call;         // with the rank's shapes
    struct dts_op_cost cost;         // of the call alone
    struct dts_dims held;            // its output, behind what ranks exchange
    int places;                      // strips that its output is in; 1: all have all
    bool strips;                     // it reads strips; else all of what it reads
    size_t params[DTS_LAYER_PARAMS]; // values of the layer's own parameter tensors
    int expert_params;               // of these the first that experts have; -1: none
    int summed_params; // so many, the first ones, are whole and have a part of their
                       // gradients: tensor ranks add these up
    double forward_share, backward_share; // of the seconds of the whole layer
    double saved_values, saved_bytes;     // of one sample, kept for backward
    struct dts_cut_exchange exchange[DTS_CUT_MOMENTS][DTS_CUT_AT_ONCE];
    int exchange_count[DTS_CUT_MOMENTS];

    /* Of work on places that need the halo, the share of its seconds. */
    double forward_edge, backward_edge;

    /* Of attention whose keys and values go round: values of a sample that a rank hands on at
     * once; 0: they do not. */
    double ring_values;
};

/* How a network is to be divided. */
struct dts_cut_question {
    const struct dts_model *model;
    const struct dts_device *device; // its seconds are compared, at that batch
    enum dts_precision precision;
    double batch;
    int tensor, context, experts;           // ranks; 1: not so
    int grid[DTS_OP_AXES];                  // spatial ranks along each axis of an image
    enum dts_cut_convolutions convolutions; // what tensor ranks do of them
    bool sequence;                          // tensor ranks divide positions, too
    enum dts_cut_reach reach;

    /* Positions that the experts of the busiest rank get, over those of an even spread, >= 1.
     * Never more than their capacity lets them have. */
    double skew;
    bool padded; // experts get all the positions that they could take; skew has no effect then

    const char *path; // what asks, for messages
};

struct dts_cut {
    int ranks; // of the axis tensor
    bool sequence;
    int context, experts;
    enum dts_cut_reach reach;
    int grid[DTS_OP_AXES], spatial; // its product
    int whole_from; // first layer whose input spatial ranks gather or sum up; -1: none
    struct dts_cut_layer *layers; // owned
    double parameters;            // of one rank, tied ones once
};

/* The axes of an image: 0 of "depth", "height", "width". */
const char *dts_cut_axis_name(const struct dts_dims *image, int axis);

/* Divides the network. Refuses heads, features, positions, filters and experts that do not
 * divide, and a network in which nothing does. */
bool dts_cut_find(struct dts_cut *cut, const struct dts_cut_question *question,
                  struct dts_error *err);
void dts_cut_free(struct dts_cut *cut);

#endif
