/* build_layers.h -- the calls of one layer in a worker's step. */
#ifndef DTS_TRAIN_STRATEGY_BUILD_LAYERS_H
#define DTS_TRAIN_STRATEGY_BUILD_LAYERS_H

#include "train/strategy/build.h"

/* The operations of a layer: one call, or two halves with a collective between them.
 *
 *     compute   forward bn: sums | sum forward bn | forward bn: rest
 *
 * The collective is on the stream of the kernels, since the second half waits for it. So is
 * what brings rows of a divided table behind its forward call, and takes gradients back before
 * its backward call. */
struct dts_layer_ops {
    const struct dts_point *point;
    struct dts_plan *plan;
    const struct dts_collective *statistics; // NULL: one call
    const struct dts_collective *rows;       // of divided tables; NULL: none is
    int rows_buffer;
    struct dts_span *sums; // of each layer: forward, then backward; owned
};

/* Adds a buffer to the plan if any layer has sums. */
void dts_layer_ops_begin(struct dts_layer_ops *ops);
void dts_layer_ops_end(struct dts_layer_ops *ops);

/* How many operations a microbatch has. */
int dts_layer_ops_count(const struct dts_point *point);

/* Add the forward or backward operations of a layer. dts_layer_ops_first() adds the one that
 * has to wait for the layer's input, dts_layer_ops_rest() those that follow it, if any. Both
 * return the last operation that they added; -1: none. */
int dts_layer_ops_first(const struct dts_layer_ops *ops, enum dts_pass pass, int layer,
                        int microbatch);
int dts_layer_ops_rest(const struct dts_layer_ops *ops, enum dts_pass pass, int layer,
                       int microbatch);

#endif
