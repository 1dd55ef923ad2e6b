/* group_norm.h -- what the files of normalization over groups of channels tell one another. */
#ifndef DTS_KERNELS_LAYER_NORM_GROUP_NORM_H
#define DTS_KERNELS_LAYER_NORM_GROUP_NORM_H

#include "kernels/op.h"

/* Of a call: the groups of all samples; channels of a group, values of a channel and a group.
 */
struct dts_group_norm {
    size_t batch, channels, count, of_group, pixels, values;
};
struct dts_group_norm dts_group_norm_of(const struct dts_op_call *call, int batch);

dts_op_fn dts_group_norm_forward_host, dts_group_norm_backward_host;
dts_op_fn dts_group_norm_forward_cuda, dts_group_norm_backward_cuda;

/* Two sums of each channel of each sample. */
size_t dts_group_norm_scratch(const struct dts_op_call *call, int batch, int workers);

#endif
