/* eager_1f1b.c -- 1F1B with twice the microbatches ahead (Zhuang et al. 2022,
 * arXiv:2211.05322): a stage does not wait for each message of the one behind it, so that slow
 * links are hidden; stage s keeps 2 (p - s) - 1 microbatches.
 */
#include "train/strategy/mesh/schedule.h"

static int list(const struct dts_pipeline_shape *shape, int stage,
                struct dts_pipeline_pass *passes)
{
    return dts_pipeline_alternate(shape, 2 * (shape->stages - 1 - stage), passes);
}

const struct dts_pipeline_schedule dts_pipeline_eager_1f1b = {
    .name = "eager_1f1b",
    .summary = "1f1b with more microbatches ahead, which hides slow links",
    .list = list,
};
