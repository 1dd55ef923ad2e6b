/* sparse_gpu.c -- what sparse_gpu.cu has, where there is a compiler for it. */
#include "kernels/embedding/sparse_gpu.h"

const struct dts_sparse_gpu_calls dts_sparse_gpu_calls = {
    .gradient = DTS_CUDA_FUNCTION(dts_sparse_gradient_cuda),
    .add_to = DTS_CUDA_FUNCTION(dts_sparse_add_to_cuda),
};
