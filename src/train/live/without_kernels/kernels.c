/* kernels.c -- a build without OpenBLAS has no kernels. */
#include "train/live/kernels/train.h"

const struct dts_executor *dts_live_kernels(void)
{
    return NULL;
}

bool dts_live_train(const struct dts_live_training *training, struct dts_error *err)
{
    (void)training;
    return dts_fail(err, DTS_UNSUPPORTED, "live.compute: this build has no \"kernels\"");
}
