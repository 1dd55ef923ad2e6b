/* twins.c -- gradients of two stages that have the same layers, in two copies of the network.
 *
 * Each sums one half of a bucket, the lower stage the first one: what both made of it, and then
 * over the replicas. Then they exchange the halves. With r replicas a rank sends of n values
 *
 *     n / 2  +  2 (n / 2) (r - 1) / r  +  n / 2  =  2 n (2 r - 1) / (2 r)
 *
 * as in one ring of all 2 r ranks that have the layers. Where ranks divide the optimizer's
 * state each updates its part of the half, and the halves of the weights are exchanged instead.
 */
#include "train/strategy/mesh/stage_private.h"

static int twin_of(const struct dts_stage_work *w)
{
    struct dts_pipeline_place place = w->at[0].place;
    int stage, chunk;
    place.copy = 1 - place.copy;
    dts_pipeline_find(w->stage->mesh->schedule, w->stage->pipeline, place, &stage, &chunk);
    return stage;
}

/* Messages to the higher stage, and to the lower one, have streams of their own; way: of sums,
 * or of what is there afterwards. Those of a bucket meet. Returns the operation. */
static int add_half(struct dts_stage_work *w, int bucket, struct dts_span half, int way,
                    bool send, int after)
{
    const int twin = twin_of(w), here = w->stage->number;
    const bool up = send == (twin > here);
    const struct dts_exchange x = {
        .send = send,
        .relative = true,
        .first_peer = (twin - here) * w->stage->shape->stage_ranks,
        .peer_stride = 1,
        .peer_count = 1,
        .data = half,
        .part = DTS_WHOLE,
        .add = way == 0 && !send,
        .channel = bucket,
    };
    if (half.count == 0)
        return after;
    const int op =
        dts_plan_exchange(w->stage->plan, up ? dts_stream_push(way) : dts_stream_pull(way),
                          way == 0 ? "sum of two copies" : "both copies", x);
    dts_plan_after(w->stage->plan, after);
    return op;
}

struct dts_twin_sum dts_stage_twin_halves(const struct dts_stage_work *w, int number,
                                          struct dts_span span)
{
    const size_t low = span.count / 2;
    const struct dts_span halves[] = {{span.buffer, span.first, low},
                                      {span.buffer, span.first + low, span.count - low}};
    const bool lower = w->stage->number < twin_of(w);
    return (struct dts_twin_sum){
        .bucket = number, .mine = halves[!lower], .other = halves[lower]};
}

struct dts_twin_sum dts_stage_twin_sum(struct dts_stage_work *w, int number,
                                       struct dts_span span, int ready)
{
    struct dts_twin_sum sum = dts_stage_twin_halves(w, number, span);
    sum.sent = add_half(w, number, sum.other, 0, true, ready);
    sum.done = add_half(w, number, sum.mine, 0, false, ready);
    if (sum.mine.count > 0)
        sum.done = dts_stage_reduce(w, DTS_DATA, number, sum.mine, sum.done);
    return sum;
}

int dts_stage_twin_exchange(struct dts_stage_work *w, const struct dts_twin_sum *sum)
{
    add_half(w, sum->bucket, sum->mine, 1, true, sum->done);
    return add_half(w, sum->bucket, sum->other, 1, false, sum->sent);
}
