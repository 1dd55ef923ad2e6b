/* positions.c -- gradients of parameters that see the positions of one tensor rank alone:
 * normalizations and tables of positions where the sequence is divided. Tensor ranks have these
 * parameters alike and add up their gradients, all at once and last of all, as Megatron-LM does
 * (finalize_model_grads).
 */
#include "train/strategy/mesh/stage_private.h"

size_t dts_stage_summed(const struct dts_stage_work *w)
{
    size_t count = 0;
    for (int c = 0; c < w->chunks; c++) {
        const struct dts_part_of_model *part = dts_stage_part(w, c);
        for (int l = part->first; l <= part->last; l++)
            for (int p = 0; p < w->stage->cut->layers[l].summed_params; p++)
                count += w->stage->cut->layers[l].params[p];
    }
    return count;
}

int dts_stage_sum_positions(struct dts_stage_work *w, int first)
{
    const size_t summed = dts_stage_summed(w);
    if (summed == 0)
        return -1;
    const struct dts_collective *known =
        dts_stage_collective(w, DTS_CUT_TENSOR, DTS_ALLREDUCE, summed);
    if (known == NULL)
        return -1;
    struct dts_collective c = *known;
    c.data = (struct dts_span){DTS_STAGE_SUMS, 0, summed};
    c.made = (struct dts_between){.copied = true, .gradients = true};
    const int op =
        dts_plan_collective(w->stage->plan, DTS_COMPUTE, "all-reduce of positions", c);
    for (int o = first; o < op; o++) // messages that still take gradients away among them
        dts_plan_after(w->stage->plan, o);
    if (w->reduced[0] >= 0)
        dts_plan_after(w->stage->plan, w->reduced[0]);
    return op;
}
