/* one_f_one_b.c -- one forward, one backward in turn (PipeDream-Flush; Narayanan et al. 2021,
 * arXiv:2006.09503): the bubble of GPipe, but stage s keeps only min(p - s, m) microbatches. */
#include "train/strategy/mesh/schedule.h"

static int list(const struct dts_pipeline_shape *shape, int stage,
                struct dts_pipeline_pass *passes)
{
    return dts_pipeline_alternate(shape, shape->stages - 1 - stage, passes);
}

const struct dts_pipeline_schedule dts_pipeline_1f1b = {
    .name = "1f1b",
    .summary = "one forward, one backward in turn: few microbatches are kept",
    .list = list,
};
