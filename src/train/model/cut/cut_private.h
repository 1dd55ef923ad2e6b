/* cut_private.h -- what the files that divide a network tell one another. */
#ifndef DTS_TRAIN_MODEL_CUT_CUT_PRIVATE_H
#define DTS_TRAIN_MODEL_CUT_CUT_PRIVATE_H

#include "train/model/cut/cut.h"

/* All that is needed to divide one network. */
struct dts_cutter {
    struct dts_cut *cut;
    const struct dts_cut_question *question;
    const struct dts_model *model;
    struct dts_error *err;
};

bool dts_cut_is_kind(const struct dts_model *model, int layer, const char *kind);

/* Divides a size of a layer by so many ranks, or refuses: `which` and `what` are its words in
 * "layer h.0.attention: 8 tensor ranks do not divide its heads, 12". */
bool dts_cut_divide(const struct dts_cutter *cutter, int layer, const char *which, int ranks,
                    const char *what, size_t *size);

/* Adds an exchange behind those that the moment has. */
void dts_cut_add(struct dts_cut_layer *layer, enum dts_cut_moment moment,
                 enum dts_cut_among among, enum dts_coll_kind kind, double values);

/* Does backward need the gradient of the layer's first input? */
bool dts_cut_input_learns(const struct dts_cutter *cutter, int layer);

/* How many ranks would divide it, in words: "6", "no number". */
struct dts_cut_hint {
    char chars[32];
};
struct dts_cut_hint dts_cut_hint(int fits);

bool dts_cut_reads(const struct dts_model *model, int layer, int tensor);

/* Values of a layer's output, or of the model's input (-1), in the positions of a context rank
 * and in the strip of a spatial one.
 */
double dts_cut_values(const struct dts_cutter *cutter, int layer);

/* tensor.c: what way a layer goes, its call on one rank, and what the ranks exchange. */
enum dts_cut_way dts_cut_way_of(const struct dts_cutter *cutter, int layer);
bool dts_cut_tensor(const struct dts_cutter *cutter, int layer, enum dts_cut_way way,
                    struct dts_op_call *call);
void dts_cut_tensor_exchanges(const struct dts_cutter *cutter, int layer);

/* context.c: does a layer do the same at each position, with the others unseen? */
bool dts_cut_is_by_position(const struct dts_model *model, int layer);

/* The same of positions. Before tensor ranks divide the call; exchanges behind it.
 */
bool dts_cut_context(const struct dts_cutter *cutter, int layer, struct dts_op_call *call);
void dts_cut_context_exchanges(const struct dts_cutter *cutter, int layer);

/* channels.c: the same of the channels of convolutions, and of what lies between two of them.
 * Each returns false where it has nothing to say of a layer. */
bool dts_cut_channel_way(const struct dts_cutter *cutter, int layer, enum dts_cut_way *way);
bool dts_cut_is_convolution(const struct dts_model *model, int layer);
bool dts_cut_in_channels(const struct dts_cutter *cutter, int layer);
bool dts_cut_divide_channels(const struct dts_cutter *cutter, int layer, enum dts_cut_way way,
                             struct dts_op_call *call);
void dts_cut_channel_exchanges(const struct dts_cutter *cutter, int layer);

/* spatial.c: the same of places. The call is divided before all else, exchanges are added when
 * it is. */
bool dts_cut_spatial(const struct dts_cutter *cutter, int layer, struct dts_op_call *call);
void dts_cut_spatial_exchanges(const struct dts_cutter *cutter, int layer);

/* edges.c: rows beyond a rank's own. */
struct dts_cut_edges {
    size_t above, below; // that the member before has, and the member behind
};

/* How a layer's windows lie on strips. */
struct dts_cut_windows {
    struct dts_cut_edges in;  // rows of the input that outputs of the strip need
    struct dts_cut_edges out; // rows of the output's gradient that inputs of the strip need
};

/* Along an axis of the call in so many strips; false: these do not divide it, or a strip has
 * fewer rows than its neighbours need. */
bool dts_cut_windows_find(const struct dts_op_call *call, int axis, int strips,
                          struct dts_cut_windows *windows);

/* experts.c: of a mixture; does nothing to another layer. When its call is divided. */
bool dts_cut_experts(const struct dts_cutter *cutter, int layer);
void dts_cut_expert_exchanges(const struct dts_cutter *cutter, int layer);

/* Is it a mixture that sends the positions of tensor ranks apart? They need not gather before.
 */
bool dts_cut_sends_parts(const struct dts_cutter *cutter, int layer);

#endif
