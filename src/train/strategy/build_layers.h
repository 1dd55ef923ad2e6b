/* build_layers.h -- the calls of one layer in a worker's step. */
#ifndef DTS_TRAIN_STRATEGY_BUILD_LAYERS_H
#define DTS_TRAIN_STRATEGY_BUILD_LAYERS_H

#include "train/strategy/build.h"

/* Of one layer: one call, or two with a collective between them.
 *
 *     compute   forward bn: sums | sum forward bn | forward bn: rest
 *
 * The collective sits on the stream of the kernels, which cannot go on without it. */
struct dts_layer_ops {
    const struct dts_point *point;
    struct dts_plan *plan;
    const struct dts_collective *statistics; // NULL: one call
    struct dts_span *sums;                   // of each layer: forward, then backward; owned
};

/* Makes the buffer where there are sums. */
void dts_layer_ops_begin(struct dts_layer_ops *ops);
void dts_layer_ops_end(struct dts_layer_ops *ops);

/* How many operations a microbatch has. */
int dts_layer_ops_count(const struct dts_point *point);

/* Add a layer's forward or backward. `first`: adds the operation that waits for what the layer
 * needs; else those that follow it, if any. Returns the last one added; of no more, -1. */
int dts_layer_ops_first(const struct dts_layer_ops *ops, enum dts_pass pass, int layer,
                        int microbatch);
int dts_layer_ops_rest(const struct dts_layer_ops *ops, enum dts_pass pass, int layer,
                       int microbatch);

#endif
