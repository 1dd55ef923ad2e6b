/* gpu_here.h -- whether tests of GPUs' versions can run, and why not. */
#ifndef DTS_TESTS_GPU_HERE_H
#define DTS_TESTS_GPU_HERE_H

#include "check.h"
#include "kernels/space/gpu.h"

/* Why no GPU's version can run here, or NULL. */
static inline const char *op_gpu_missing(void)
{
    if (!dts_gpu_built())
        return "a build without CUDA";
    return dts_gpu_count() == 0 ? "no GPU here" : NULL;
}

/* Opens the first GPU; ends the test where that fails, without a verdict where there is none.
 */
#define OP_GPU_OPEN(gpu)                                                                       \
    do {                                                                                       \
        struct dts_error op_gpu_trouble = {0};                                                 \
        if (op_gpu_missing() != NULL)                                                          \
            SKIP(op_gpu_missing());                                                            \
        if (!CHECK(dts_gpu_open(gpu, 0, &op_gpu_trouble)))                                     \
            return;                                                                            \
    } while (0)

#endif
