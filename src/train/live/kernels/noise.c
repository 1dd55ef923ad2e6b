/* noise.c -- squares of gradients, step by step. */
#include "train/live/kernels/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/update/square_sum.h"

/* What a rank adds to the sums of a step over all ranks. */
struct squares {
    double small, large;
};

struct dts_live_noise {
    double small, large;   // samples of the batches
    int microbatch;        // after whose backward pass the gradient is that of the small batch
    double small_factor;   // from the sum of squares there to that of a mean, over the ranks
    struct squares *steps; // of a run; owned
    size_t count, room;
};

/* What a lone rank squares is the gradient of one microbatch, else that of all of a rank's. */
static void find_batches(const struct dts_point *point, struct dts_live_noise *noise)
{
    const double batch = point->batch, microbatches = point->microbatches;
    const double ranks = point->replicas;
    const bool alone = point->replicas == 1;
    noise->large = batch * microbatches * ranks;
    noise->small = alone ? batch : batch * microbatches;
    noise->microbatch = alone ? 0 : point->microbatches - 1;
    // a rank's loss counts by its share of the large batch
    const double share = noise->small / noise->large;
    noise->small_factor = 1 / (share * share) / ranks;
}

static bool check(const struct dts_live_kernels *k, struct dts_error *err)
{
    const struct dts_point *point = k->point;
    if (k->parts != NULL && !k->parts->seat.whole)
        return dts_fail(err, DTS_UNSUPPORTED,
                        "live.noise_scale: %s: no rank has the gradient of the whole network",
                        point->strategy->name);
    if (dts_job_serving(k->rank.job) != NULL)
        return dts_fail(err, DTS_UNSUPPORTED,
                        "live.noise_scale: %s: servers that answer as requests come do not sum "
                        "the gradients of all ranks in each step",
                        point->strategy->name);
    if (point->replicas == 1 && point->microbatches == 1)
        return dts_doc_fail(point->scenario->doc, "live.noise_scale", DTS_BAD_INPUT, err,
                            "needs two ranks that train, or batch.accumulate of 2 or more: "
                            "one gradient a step does not tell its noise");
    if (dts_space_is_apart(k->space))
        return dts_fail(err, DTS_UNSUPPORTED,
                        "live.noise_scale: gradients must be in the host's memory: "
                        "live.device must be cpu");
    if (k->network != NULL && dts_network_layout(k->network)->lists &&
        dts_model_sparse(&point->scenario->model) != NULL)
        return dts_fail(err, DTS_UNSUPPORTED,
                        "live.noise_scale: gradients of sparse tables are lists of rows here: "
                        "it needs two ranks that exchange whole tables");
    return true;
}

bool dts_live_noise_open(struct dts_live_kernels *k, struct dts_error *err)
{
    if (!k->settings->noise_scale)
        return true;
    if (!check(k, err))
        return false;
    k->noise = dts_alloc(1, sizeof(*k->noise));
    find_batches(k->point, k->noise);
    return true;
}

void dts_live_noise_close(struct dts_live_noise *noise)
{
    if (noise == NULL)
        return;
    free(noise->steps);
    free(noise);
}

void dts_live_noise_begin(struct dts_live_kernels *k, long steps)
{
    struct dts_live_noise *noise = k->noise;
    if (noise == NULL)
        return;
    noise->count = (size_t)steps;
    noise->steps = dts_grow(noise->steps, &noise->room, noise->count, sizeof(*noise->steps));
    memset(noise->steps, 0, noise->count * sizeof(*noise->steps));
}

static struct squares *of_step(const struct dts_live_kernels *k, long step)
{
    return &k->noise->steps[step - k->first_step];
}

/* Gradients in fp16 are times the scale of the loss. */
static double squares_of(const struct dts_live_kernels *k, const float *gradients, size_t count)
{
    struct dts_workers *workers = k->network != NULL ? dts_network_workers(k->network) : NULL;
    return dts_square_sum(gradients, count, workers) / (k->scale.scale * k->scale.scale);
}

void dts_live_noise_backward(struct dts_live_kernels *k, const struct dts_call *call)
{
    if (k->noise == NULL || call->microbatch != k->noise->microbatch ||
        call->part == DTS_OP_SUMS)
        return;
    const struct dts_layout *layout = dts_network_layout(k->network);
    const float *gradients = dts_network_gradients(k->network);
    double sum = 0;
    for (int i = 0; i < layout->count; i++) {
        const struct dts_layout_tensor *t = &layout->tensors[i];
        if (t->user >= call->layer && t->user <= call->layer + call->more)
            sum += squares_of(k, gradients + t->gradient, t->param->count);
    }
    of_step(k, k->step)->small += k->noise->small_factor * sum;
}

void dts_live_noise_update(struct dts_live_kernels *k)
{
    if (k->noise == NULL)
        return;
    size_t first;
    const size_t count = dts_share_of(dts_network_parameters(k->network), k->rank.rank,
                                      k->point->replicas, &first);
    of_step(k, k->step)->large +=
        squares_of(k, dts_network_gradients(k->network) + first, count);
}

void dts_live_noise_served(struct dts_live_kernels *k, long step, const float *gradients,
                           size_t count)
{
    if (k->noise != NULL)
        of_step(k, step)->large += squares_of(k, gradients, count);
}

void dts_live_noise_collect(struct dts_live_kernels *k, struct dts_noise_scale *into)
{
    const struct dts_live_noise *noise = k->noise;
    if (noise == NULL)
        return;
    const size_t ranks = (size_t)k->rank.job->ranks, values = 2 * noise->count;
    const bool first = dts_wire_rank(k->wire) == 0;
    struct squares *all = first ? dts_alloc(ranks * noise->count, sizeof(*all)) : NULL;
    dts_wire_gather(k->wire, &noise->steps[0].small, (int)values, first ? &all[0].small : NULL);
    into->small = noise->small;
    into->large = noise->large;
    for (size_t s = 0; first && s < noise->count; s++) {
        struct squares sum = {0, 0};
        for (size_t r = 0; r < ranks; r++) {
            sum.small += all[r * noise->count + s].small;
            sum.large += all[r * noise->count + s].large;
        }
        if (isfinite(sum.small) && isfinite(sum.large))
            dts_noise_add(into, k->first_step + (long)s + 1, sum.small, sum.large);
    }
    free(all);
}
