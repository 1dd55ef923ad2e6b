/* zb_h1.c -- ZB-H1 (Qi et al. 2023, arXiv:2401.10241): backward is two passes, and those of the
 * weights fill the bubble. With as many kept microbatches as the first stage of 1F1B has, the
 * bubble is (p - 1) (F + B - W) in place of (p - 1) (F + B + W).
 */
#include "train/strategy/mesh/schedule.h"

/* Stage s is s passes late with the gradients of its weights. */
static int list(const struct dts_pipeline_shape *shape, int stage,
                struct dts_pipeline_pass *passes)
{
    const int m = shape->microbatches, before = shape->stages - stage;
    const int warm = before < m ? before : m;
    int n = 0, forward = 0, weight = 0;
    while (forward < warm)
        passes[n++] = (struct dts_pipeline_pass){.pass = DTS_FORWARD, .microbatch = forward++};
    for (int i = 0; i < m; i++) {
        passes[n++] = (struct dts_pipeline_pass){.pass = DTS_BACKWARD_INPUT, .microbatch = i};
        if (i >= stage)
            passes[n++] =
                (struct dts_pipeline_pass){.pass = DTS_BACKWARD_WEIGHT, .microbatch = weight++};
        if (forward < m)
            passes[n++] =
                (struct dts_pipeline_pass){.pass = DTS_FORWARD, .microbatch = forward++};
    }
    while (weight < m)
        passes[n++] =
            (struct dts_pipeline_pass){.pass = DTS_BACKWARD_WEIGHT, .microbatch = weight++};
    return n;
}

const struct dts_pipeline_schedule dts_pipeline_zb_h1 = {
    .name = "zb_h1",
    .summary = "1f1b with the gradients of weights apart, which fill the bubble",
    .list = list,
};
