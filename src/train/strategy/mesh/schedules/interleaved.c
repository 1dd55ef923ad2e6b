/* interleaved.c -- 1F1B over several parts of the network on each stage (Narayanan et al. 2021,
 * arXiv:2104.04473): the bubble is divided by the number of chunks, and each microbatch crosses
 * every link between stages once for each chunk. */
#include "train/strategy/mesh/schedule.h"

/* Microbatches go round in groups of as many as there are stages, chunk after chunk. */
static struct dts_pipeline_pass pass_of(const struct dts_pipeline_shape *shape,
                                        enum dts_pass pass, int number)
{
    const int p = shape->stages, round = p * shape->chunks;
    const int chunk = number % round / p;
    return (struct dts_pipeline_pass){
        .pass = pass,
        .microbatch = number / round * p + number % p,
        .chunk = pass == DTS_FORWARD ? chunk : shape->chunks - 1 - chunk,
    };
}

static int list(const struct dts_pipeline_shape *shape, int stage,
                struct dts_pipeline_pass *passes)
{
    const int p = shape->stages, all = shape->microbatches * shape->chunks;
    const int before = 2 * (p - 1 - stage) + (shape->chunks - 1) * p;
    const int warm = shape->microbatches == p || before > all ? all : before;
    int n = 0;
    for (int i = 0; i < warm; i++)
        passes[n++] = pass_of(shape, DTS_FORWARD, i);
    for (int i = warm; i < all; i++) {
        passes[n++] = pass_of(shape, DTS_FORWARD, i);
        passes[n++] = pass_of(shape, DTS_BACKWARD, i - warm);
    }
    for (int i = all - warm; i < all; i++)
        passes[n++] = pass_of(shape, DTS_BACKWARD, i);
    return n;
}

static const char *fits(const struct dts_pipeline_shape *shape)
{
    if (shape->stages < 2)
        return "needs at least 2 stages";
    return shape->microbatches % shape->stages != 0
               ? "needs microbatches in multiples of the stages"
               : NULL;
}

const struct dts_pipeline_schedule dts_pipeline_interleaved = {
    .name = "interleaved",
    .summary = "1f1b over several parts of the network on each stage",
    .interleaves = true,
    .fits = fits,
    .list = list,
};
