/* stack_parts.h -- objects of a stack file: what its kernels reach, what it keeps in memory. */
#ifndef DTS_DEVICE_STACK_PARTS_H
#define DTS_DEVICE_STACK_PARTS_H

#include "base/json/cfg.h"

/* Shares of a device's rates that the software's kernels reach; 0: what the device says. */
struct dts_stack_kernels {
    double matmul;             // of the peak, in matrix products
    double attention;          // of the peak, in fused attention; 0: as matmul
    double attention_backward; // 0: as forward
    double memory;             // of the memory's rate
    double loss_value_bytes;   // that move for each value a loss reads, forward and backward
    bool recompute_ends_early; // what no kernel has kept is not computed again
    double matmul_fp8;         // of products in 8 bits, of their peak; 0: as others
};

/* What the software keeps on a device beside the state of training. */
struct dts_stack_memory {
    double context_bytes;    // context of the driver, workspaces of libraries
    double loss_value_bytes; // of each value that the loss reads; 0: as its kernels count them
    bool gradients_fp32;     // each microbatch's gradients are added into an fp32 buffer
    bool gradients_fused;    // the same, by the products themselves: no gradients of their own
    bool bucket_copies;      // buckets that travel are copies of gradients
    bool gather_copies;      // updated weights are gathered into arrays of their own

    double gathered_bytes; // of each feature and position: what tensor ranks hold gathered
    double block_bytes;    // of each feature and position: what a block keeps without need
};

extern const struct dts_field dts_stack_kernel_fields[]; // of struct dts_stack_kernels
extern const struct dts_field dts_stack_memory_fields[]; // of struct dts_stack_memory

#endif
