/* space_cuda.c -- the row of GPUs in a build without CUDA. */
#include "kernels/space/space.h"

static int count(const char **why)
{
    *why = "this build has no CUDA";
    return 0;
}

const struct dts_space_kind dts_space_cuda = {
    .name = "cuda",
    .summary = "an NVIDIA GPU for each rank: not in this build",
    .apart = true,
    .count = count,
};
