/* ring.c -- attention whose keys and values go round the context ranks (Liu et al. 2023,
 * arXiv:2310.01889), as Transformer Engine has it:
 *
 *     compute   attend 0 | attend 1 | attend 2 | attend 3 |      4 ranks, forward
 *     context   k, v     | k, v     | k, v     |
 *
 *     compute   attend 0 | attend 1 | attend 2 | attend 3 |      backward
 *     context   k, v     | k, v, g  | k, v, g  | g        |
 *
 * A rank attends to what it has, while it hands that on. Backward the gradients g of keys and
 * values follow one step behind, with what each rank adds, and end where they belong: backward
 * goes round the other way, from the rank where forward ended. Here both go one way, which
 * takes as long.
 */
#include <stdio.h>

#include "train/strategy/mesh/stage_private.h"

/* What is handed on beside part i: keys and values, gradients, or both. */
static int carried(int i, int parts, bool forward)
{
    return (i + 1 < parts) + (!forward && i > 0);
}

/* Out of one half of the room into the other, which the call before has read. */
static int add_shift(struct dts_stage_work *w, const struct dts_pipeline_pass *pass, int layer,
                     int i, int times)
{
    const double values = w->stage->cut->layers[layer].ring_values;
    const size_t once = (size_t)(values * (double)w->stage->point->batch);
    const size_t count = once * (size_t)times;
    const struct dts_collective *known =
        dts_stage_collective(w, DTS_CUT_CONTEXT, DTS_SHIFT, count);
    if (known == NULL)
        return -1;
    struct dts_collective c = *known;
    c.data = (struct dts_span){DTS_STAGE_SUMS, i % 2 == 0 ? 0 : 2 * once, count};
    c.into = (struct dts_span){DTS_STAGE_SUMS, i % 2 == 0 ? 2 * once : 0, count};
    char label[64];
    snprintf(label, sizeof(label), "shift %.20s #%d",
             w->stage->point->scenario->model.layers[layer].name, pass->microbatch);
    return dts_plan_collective(w->stage->plan, DTS_CONTEXT, label, c);
}

int dts_stage_ring(struct dts_stage_work *w, const struct dts_pipeline_pass *pass, int slot,
                   int layer, const int *waits, int count)
{
    const int parts = w->stage->cut->context;
    const bool forward = dts_stage_is_forward(pass->pass);
    int call = -1, arrived = -1;
    for (int i = 0; i < parts && !w->failed; i++) {
        const int times = carried(i, parts, forward);
        const int shift = times > 0 ? add_shift(w, pass, layer, i, times) : -1;
        for (int k = 0; k < count && shift >= 0 && i == 0; k++)
            dts_plan_after(w->stage->plan, waits[k]);
        if (shift >= 0)
            dts_stage_await_here(w, count > 0 ? waits[0] : -1);
        call = dts_stage_call(w, pass, slot, layer, layer, 1.0 / parts);
        for (int k = 0; k < count && i == 0; k++)
            dts_plan_after(w->stage->plan, waits[k]);
        if (arrived >= 0)
            dts_plan_after(w->stage->plan, arrived);
        arrived = shift;
    }
    if (arrived >= 0) { // the next call needs the gradients
        w->side = arrived;
        return arrived;
    }
    return call;
}
