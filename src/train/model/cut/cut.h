/* cut.h -- a network whose layers are divided over tensor ranks, as Megatron-LM divides them
 * (Shoeybi et al. 2019, arXiv:1909.08053; with the sequence divided, too: Korthikanti et al.
 * 2022, arXiv:2205.05198).
 *
 * A linear layer that reads a whole tensor makes a part of its outputs on each rank (its
 * columns are divided) where all that reads them works value by value or head by head until
 * another linear layer, which takes its part of the inputs (its rows are divided) and leaves a
 * part of a sum: the ranks add it up. Backward the same holds the other way round. An embedding
 * divides its rows, and so does the last linear layer before a cross entropy (the vocabulary).
 * All other layers do the same work on each rank; with the sequence divided each has its
 * positions.
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
};

/* Where tensor ranks exchange something around a layer's calls. */
enum dts_cut_moment {
    DTS_CUT_BEFORE_FORWARD,
    DTS_CUT_AFTER_FORWARD,
    DTS_CUT_BEFORE_BACKWARD,
    DTS_CUT_AFTER_BACKWARD,
    DTS_CUT_MOMENTS
};

struct dts_cut_exchange {
    enum dts_coll_kind kind;
    double values; // of one sample, as dts_coll_bus_factor() counts; 0: nothing is exchanged
};

/* What a layer is on one rank. */
struct dts_cut_layer {
    enum dts_cut_way way;
    struct dts_op_call call;              // with the rank's shapes
    struct dts_op_cost cost;              // of the call alone
    size_t params[DTS_LAYER_PARAMS];      // values of the layer's own parameter tensors
    double forward_share, backward_share; // of the seconds of the whole layer
    double saved_values, saved_bytes;     // of one sample, kept for backward
    struct dts_cut_exchange exchange[DTS_CUT_MOMENTS];
};

struct dts_cut {
    int ranks;
    bool sequence;
    struct dts_cut_layer *layers; // owned
    double parameters;            // of one rank, tied ones once
};

/* Divides the network over so many ranks; 1: nothing is divided. Seconds are those of the
 * device at that batch. Refuses heads, features and positions that do not divide, and a network
 * in which nothing does. `path` names what asked, for messages. */
bool dts_cut_find(struct dts_cut *cut, const struct dts_model *model,
                  const struct dts_device *device, enum dts_precision precision, int ranks,
                  bool sequence, double batch, const char *path, struct dts_error *err);
void dts_cut_free(struct dts_cut *cut);

#endif
