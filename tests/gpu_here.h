/* gpu_here.h -- whether tests of GPUs' versions can run, and why not. */
#ifndef DTS_TESTS_GPU_HERE_H
#define DTS_TESTS_GPU_HERE_H

#include "ops/gpu.h"

/* Why no GPU's version can run here, or NULL. */
static inline const char *op_gpu_missing(void)
{
    if (!dts_gpu_built())
        return "a build without CUDA";
    return dts_gpu_count() == 0 ? "no GPU here" : NULL;
}

#endif
