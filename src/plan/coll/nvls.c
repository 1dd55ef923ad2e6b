/* nvls.c -- the switch of one node sums (NVLink SHARP): NCCL's NVLS.
 *
 * Each member asks the switch for the sum of its share of the data, and then gives it the
 * result for all. Here members send one another their shares, all at once, as if the switch did
 * not sum. With n members and ports of B bytes/s each way the two steps of an all-reduce take
 *
 *     2 (alpha + (n - 1)/n S/B)
 *
 * where the switch needs S (1 + 1/n)/B: the pace of a library (struct dts_coll_pace) has that
 * in its share. Reduce-scatter is the first step, all-gather the second.
 */
#include "plan/coll/coll.h"

static bool fits(const struct dts_coll_shape *shape, const char **why)
{
    enum { MOST = DTS_COLL_MESSAGES / 2 };
    *why = shape->kind == DTS_BROADCAST ? "does no broadcast" : "takes at most 32 members";
    return shape->kind != DTS_BROADCAST && shape->size <= MOST;
}

static int chunks(const struct dts_coll_shape *shape)
{
    return shape->size;
}

static int steps(const struct dts_coll_shape *shape)
{
    return shape->size == 1 ? 0 : shape->kind == DTS_ALLREDUCE ? 2 : 1;
}

static int step(const struct dts_coll_shape *shape, int member, int i,
                struct dts_coll_message *messages)
{
    const bool sum = shape->kind != DTS_ALLGATHER && i == 0;
    int count = 0;
    for (int k = 1; k < shape->size; k++) {
        const int to = (member + k) % shape->size;
        const int from = (member + shape->size - k) % shape->size;
        messages[count++] = (struct dts_coll_message){
            .peer = to, .first = sum ? to : member, .count = 1, .send = true};
        messages[count++] = (struct dts_coll_message){
            .peer = from, .first = sum ? member : from, .count = 1, .add = sum};
    }
    return count;
}

static int like(const struct dts_coll_shape *shape, int i)
{
    (void)shape;
    return i;
}

const struct dts_coll dts_coll_nvls = {
    .name = "nvls",
    .summary = "the switch of one node sums: NCCL's NVLS",
    .fits = fits,
    .chunks = chunks,
    .steps = steps,
    .step = step,
    .like = like,
};
