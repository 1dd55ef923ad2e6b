/* spaces.c -- the table of spaces. */
#include "kernels/space/space.h"

extern const struct dts_space_kind dts_space_cpu;
extern const struct dts_space_kind dts_space_cuda;

const struct dts_space_kind *const dts_spaces[] = {
    &dts_space_cpu,
    &dts_space_cuda,
    NULL,
};
