/* live_kernels_none.c -- a build without OpenBLAS has no kernels. */
#include "cli/live_kernels.h"

const struct dts_executor *dts_live_kernels(void)
{
    return NULL;
}
