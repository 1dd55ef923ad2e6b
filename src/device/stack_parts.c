/* stack_parts.c -- what software's kernels reach of a device, and what it keeps there. */
#include "device/stack_parts.h"

const struct dts_field dts_stack_kernel_fields[] = {
    {DTS_KEY(struct dts_stack_kernels, matmul), .type = DTS_REAL, .max = 1, .missing = "0",
     .help = "share of the device's peak that matrix products reach; 0: as the device says"},
    {DTS_KEY(struct dts_stack_kernels, matmul_fp8), .type = DTS_REAL, .max = 1, .missing = "0",
     .help = "the same of products in 8 bits, of their own peak; 0: as other products"},
    {DTS_KEY(struct dts_stack_kernels, attention), .type = DTS_REAL, .max = 1, .missing = "0",
     .help = "share of the peak that fused attention reaches; 0: as matrix products"},
    {DTS_KEY(struct dts_stack_kernels, attention_backward), .type = DTS_REAL, .max = 1,
     .missing = "0", .help = "the same of its backward pass; 0: as forward"},
    {DTS_KEY(struct dts_stack_kernels, memory), .type = DTS_REAL, .max = 1, .missing = "0",
     .help = "share of the memory's rate that is reached; 0: as the device says"},
    {DTS_KEY(struct dts_stack_kernels, loss_value_bytes), .type = DTS_REAL, .max = 1e3,
     .missing = "0",
     .help =
         "bytes that move for each value that a loss reads, forward and backward; 0: as its "
         "kernel counts them"},
    {DTS_KEY(struct dts_stack_kernels, recompute_ends_early), .type = DTS_BOOL,
     .missing = "false",
     .help = "recomputation of a block ends at the last tensor that backward needs; else it is "
             "all of forward"},
    {0},
};

const struct dts_field dts_stack_memory_fields[] = {
    {DTS_KEY(struct dts_stack_memory, context_bytes), .type = DTS_REAL, .max = 1e12,
     .missing = "0", .help = "context of the driver and workspaces of libraries, on a device"},
    {DTS_KEY(struct dts_stack_memory, loss_value_bytes), .type = DTS_REAL, .max = 64,
     .missing = "0",
     .help = "bytes of each value that the loss reads, copies and gradients among them; 0: as "
             "its kernels count them"},
    {DTS_KEY(struct dts_stack_memory, gradients_fp32), .type = DTS_BOOL, .missing = "false",
     .help = "gradients of each microbatch are added into a buffer of 32 bits, where kernels "
             "compute in 16"},
    {DTS_KEY(struct dts_stack_memory, gradients_fused), .type = DTS_BOOL, .missing = "false",
     .help = "products add to such a buffer themselves: no gradients of 16 bits are there"},
    {DTS_KEY(struct dts_stack_memory, bucket_copies), .type = DTS_BOOL, .missing = "false",
     .help = "buckets of gradients that travel are copies of them"},
    {DTS_KEY(struct dts_stack_memory, gather_copies), .type = DTS_BOOL, .missing = "false",
     .help = "sharded optimizer: updated weights are gathered into arrays of their own"},
    {DTS_KEY(struct dts_stack_memory, gathered_bytes), .type = DTS_REAL, .max = 1e4,
     .missing = "0",
     .help =
         "without a pipeline: bytes of each feature of each position that tensor ranks have "
         "gathered and not let go yet"},
    {DTS_KEY(struct dts_stack_memory, block_bytes), .type = DTS_REAL, .max = 1e4,
     .missing = "0",
     .help = "bytes of each feature of each position that a block keeps for backward though no "
             "layer reads them; tensor ranks divide them"},
    {0},
};
