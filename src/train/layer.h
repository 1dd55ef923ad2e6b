/* layer.h -- kinds of layer: what one costs, per sample, and how its shape follows from its
 * input. One file and one row each.
 */
#ifndef DTS_TRAIN_LAYER_H
#define DTS_TRAIN_LAYER_H

#include "base/cfg.h"
#include "kernels/device.h"

enum { DTS_DIMS = 4, DTS_LAYER_PARAMS = 4, DTS_LAYER_INPUTS = 16 };

/* Shape of one sample: channels, height, width; or positions, features. Unused sizes are 1. */
struct dts_dims {
    int count;
    size_t size[DTS_DIMS];
};

size_t dts_dims_elements(const struct dts_dims *dims);

/* One parameter tensor. */
struct dts_param {
    const char *name; // "weight", "bias"
    size_t count;
};

/* What a layer needs for one sample. FLOPs count a multiply-add as two. */
struct dts_layer_cost {
    enum dts_work_class class;
    double forward_flops, backward_flops;   // backward: by data and by weights together
    double forward_values, backward_values; // activations read and written, in elements
    double saved_values;  // activations kept from forward to backward, in elements
    double weight_values; // parameters read by a call, whatever the batch
};

struct dts_layer_kind {
    const char *name, *summary;
    const struct dts_field *fields; // its JSON keys beside name, kind, input
    size_t size;                    // of the struct that they fill
    int inputs;                     // how many it takes; 0: one or more

    /* Output shape, parameters and cost from the inputs' shapes. Fills up to DTS_LAYER_PARAMS.
     */
    bool (*infer)(const void *self, const struct dts_dims *inputs, int input_count,
                  struct dts_dims *output, struct dts_param *params, int *param_count,
                  struct dts_layer_cost *cost, const struct dts_cfg *at, struct dts_error *err);
};

extern const struct dts_layer_kind *const dts_layer_kinds[]; // ended by NULL
const struct dts_layer_kind *dts_layer_kind_find(const char *name);
const char *dts_layer_kind_name(int i);

#endif
