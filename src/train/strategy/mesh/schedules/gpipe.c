/* gpipe.c -- all microbatches forward, then all backward, the last first (Huang et al. 2019,
 * arXiv:1811.06965): a bubble of (p - 1) / (m + p - 1), activations of all m microbatches. */
#include "train/strategy/mesh/schedule.h"

static int list(const struct dts_pipeline_shape *shape, int stage,
                struct dts_pipeline_pass *passes)
{
    const int m = shape->microbatches;
    (void)stage; // all stages have one order
    for (int i = 0; i < m; i++) {
        passes[i] = (struct dts_pipeline_pass){.pass = DTS_FORWARD, .microbatch = i};
        passes[m + i] =
            (struct dts_pipeline_pass){.pass = DTS_BACKWARD, .microbatch = m - 1 - i};
    }
    return 2 * m;
}

const struct dts_pipeline_schedule dts_pipeline_gpipe = {
    .name = "gpipe",
    .summary = "all microbatches forward, then all backward",
    .list = list,
};
