/* sparse_gpu.h -- lists of rows (sparse.h) in the memory of a GPU: made from a batch, and added
 * to a table. They are merged on the host, where they arrive from other ranks.
 */
#ifndef DTS_KERNELS_EMBEDDING_SPARSE_GPU_H
#define DTS_KERNELS_EMBEDDING_SPARSE_GPU_H

#include "kernels/op.h"

/* All in the GPU's memory: *count rows, ascending and each once, and their values. */
struct dts_sparse_gpu {
    uint32_t *count;
    int32_t *rows; // room for all tokens of a batch
    float *values; // the same, times the features
    void *scratch; // two numbers of 32 bits for each token
};

/* Queued on a stream (a cudaStream_t). Functions are NULL in a build without CUDA. */
struct dts_sparse_gpu_calls {
    /* arrays: x[0] and dy. */
    void (*gradient)(const struct dts_sparse_gpu *list, const struct dts_op_call *call,
                     const struct dts_arrays *arrays, void *stream);
    /* table[row] += factor x value; `most`: rows for which the list has room. */
    void (*add_to)(const struct dts_sparse_gpu *list, size_t most, size_t features,
                   float *table, float factor, void *stream);
};
extern const struct dts_sparse_gpu_calls dts_sparse_gpu_calls;

void dts_sparse_gradient_cuda(const struct dts_sparse_gpu *list, const struct dts_op_call *call,
                              const struct dts_arrays *arrays, void *stream);
void dts_sparse_add_to_cuda(const struct dts_sparse_gpu *list, size_t most, size_t features,
                            float *table, float factor, void *stream);

#endif
