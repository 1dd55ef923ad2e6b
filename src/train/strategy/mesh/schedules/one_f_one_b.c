/* one_f_one_b.c -- one forward, one backward in turn (PipeDream-Flush; Narayanan et al. 2021,
 * arXiv:2006.09503): the bubble of GPipe, but stage s keeps only min(p - s, m) microbatches. */
#include "train/strategy/mesh/schedule.h"

static void list(const struct dts_pipeline_shape *shape, int stage,
                 struct dts_pipeline_pass *passes)
{
    const int m = shape->microbatches, before = shape->stages - 1 - stage;
    const int warm = before < m ? before : m;
    int n = 0;
    for (int i = 0; i < warm; i++)
        passes[n++] = (struct dts_pipeline_pass){.pass = DTS_FORWARD, .microbatch = i};
    for (int i = warm; i < m; i++) {
        passes[n++] = (struct dts_pipeline_pass){.pass = DTS_FORWARD, .microbatch = i};
        passes[n++] = (struct dts_pipeline_pass){.pass = DTS_BACKWARD, .microbatch = i - warm};
    }
    for (int i = m - warm; i < m; i++)
        passes[n++] = (struct dts_pipeline_pass){.pass = DTS_BACKWARD, .microbatch = i};
}

const struct dts_pipeline_schedule dts_pipeline_1f1b = {
    .name = "1f1b",
    .summary = "one forward, one backward in turn: few microbatches are kept",
    .list = list,
};
