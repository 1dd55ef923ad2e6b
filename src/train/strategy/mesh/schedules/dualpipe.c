/* dualpipe.c -- DualPipe (DeepSeek-AI 2024, arXiv:2412.19437, section 3.2.1): a pipeline that
 * is fed at both ends. Stage s has part s of one copy of the network and part p - 1 - s of
 * another one, so that it works on microbatches of both directions, and a forward pass of one
 * direction runs together with a backward pass of the other.
 *
 * With F seconds of a forward pass, B of a whole backward pass, W of it for weights, and F&B
 * for two passes that run together, the bubble is (p / 2 - 1) (F&B + B - 3 W); it is exact
 * where forward and both halves of backward take as long. Each stage keeps p + 1 microbatches.
 */
#include "train/strategy/mesh/schedule.h"

enum { NEAR, FAR, CHUNKS }; // the direction whose begin is nearer, and the other one

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Stages between this one and the nearer end: stages s and p - 1 - s have one order. */
static int depth_of(const struct dts_pipeline_shape *shape, int stage)
{
    return least(stage, shape->stages - 1 - stage);
}

static struct dts_pipeline_place place(const struct dts_pipeline_shape *shape, int stage,
                                       int chunk)
{
    const int depth = depth_of(shape, stage);
    const bool first_half = stage == depth;
    return (struct dts_pipeline_place){
        .part = chunk == NEAR ? depth : shape->stages - 1 - depth,
        .copy = first_half == (chunk == NEAR) ? 0 : 1,
    };
}

/* The list while it grows. */
struct list {
    struct dts_pipeline_pass *passes;
    int count;
    int first[CHUNKS], forward[CHUNKS], backward[CHUNKS]; // microbatches: the first; done
    int weighed; // split passes before it have had the gradients of their weights
};

static void add(struct list *l, enum dts_pass pass, int chunk, int number, bool joins)
{
    l->passes[l->count++] = (struct dts_pipeline_pass){
        .pass = pass, .microbatch = l->first[chunk] + number, .chunk = chunk, .joins = joins};
}

static void add_forward(struct list *l, int chunk)
{
    add(l, DTS_FORWARD, chunk, l->forward[chunk]++, false);
}

static void add_backward(struct list *l, int chunk, bool splits)
{
    add(l, splits ? DTS_BACKWARD_INPUT : DTS_BACKWARD, chunk, l->backward[chunk]++, false);
}

/* Of the longest split pass that has not had it. */
static void add_weights(struct list *l)
{
    while (l->passes[l->weighed].pass != DTS_BACKWARD_INPUT)
        l->weighed++;
    const struct dts_pipeline_pass *split = &l->passes[l->weighed++];
    add(l, DTS_BACKWARD_WEIGHT, split->chunk, split->microbatch - l->first[split->chunk],
        false);
}

/* A forward pass of one direction and a backward pass of the other. */
static void add_both(struct list *l, int forward, bool together)
{
    add(l, DTS_FORWARD, forward, l->forward[forward]++, together);
    add_backward(l, 1 - forward, false);
}

/* The pipeline fills: the near direction first, then both in turn. */
static void fill(struct list *l, int depth, int to_middle)
{
    for (int i = 0; i < 2 * to_middle; i++)
        add_forward(l, NEAR);
    for (int i = 0; i <= depth; i++) {
        add_forward(l, NEAR);
        add_forward(l, FAR);
    }
    for (int i = 0; i < to_middle; i++) {
        add_backward(l, FAR, true);
        add_weights(l);
        add_forward(l, FAR);
    }
}

/* It empties: what is left of backward, and of weights, which fill what would be waited. */
static void empty(struct list *l, int depth, int to_middle)
{
    for (int i = 0; i < to_middle; i++) {
        add_backward(l, FAR, false);
        add_both(l, FAR, true);
    }
    for (int i = 0; i < 2 * (depth + 1); i++)
        add_backward(l, i % 2 == 0 ? FAR : NEAR, i > depth);
    for (int i = 0; i < to_middle; i++) {
        add_weights(l);
        add_backward(l, NEAR, true);
    }
    for (int i = 0; i <= depth; i++)
        add_weights(l);
}

static int list(const struct dts_pipeline_shape *shape, int stage,
                struct dts_pipeline_pass *passes)
{
    const int p = shape->stages, half = shape->microbatches / 2;
    const int depth = depth_of(shape, stage), to_middle = p / 2 - 1 - depth;
    struct list l = {.passes = passes};
    for (int c = 0; c < CHUNKS; c++)
        l.first[c] = place(shape, stage, c).copy * half;
    fill(&l, depth, to_middle);
    for (int i = 0; i < half - p + depth + 1; i++) {
        // in the middle the first two are apart: what goes forward leaves at once
        add_both(&l, NEAR, i > 0 || to_middle > 0);
        add_both(&l, FAR, true);
    }
    empty(&l, depth, to_middle);
    return l.count;
}

static const char *fits(const struct dts_pipeline_shape *shape)
{
    if (shape->stages % 2 != 0)
        return "needs an even number of stages";
    if (shape->microbatches % 2 != 0)
        return "needs an even number of microbatches";
    return shape->microbatches < 2 * shape->stages
               ? "needs at least two microbatches for each stage"
               : NULL;
}

const struct dts_pipeline_schedule dts_pipeline_dualpipe = {
    .name = "dualpipe",
    .summary = "two copies of the network, fed at both ends: forward beside backward",
    .copies = 2,
    .chunks = CHUNKS,
    .place = place,
    .fits = fits,
    .list = list,
};
