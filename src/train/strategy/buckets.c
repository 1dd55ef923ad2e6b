/* buckets.c -- gradients are cut into buckets, in the order in which backward finishes them.
 *
 * The rule is that of PyTorch DDP (Li et al. 2020, arXiv:2006.15704): tensors go into a bucket
 * until it has reached its size, a tensor is never cut, and the first bucket may be smaller so
 * that the exchange starts early. Size 0 is a bucket for each tensor, as Caffe2 does it.
 *
 * Weights that layers share belong to the earliest of them (model.h), whose backward comes
 * last.
 *
 * Horovod looks at what is ready only once in a cycle (Sergeev and Del Balso 2018,
 * arXiv:1802.05799): a bucket then also closes at the end of the cycle in which its last tensor
 * became ready, and leaves no earlier than that. Cycles are counted from the beginning of the
 * last backward pass. The moment is rounded up to the end of a layer's backward call; only the
 * part behind the last one is kept, as delay_s. With NCCL a cycle does not wait for the
 * all-reduce of the one before (docs/model.md, "Buckets").
 */
#include "train/strategy/build.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

struct cutter {
    const struct dts_bucket_policy *policy;
    size_t element_bytes;
    struct dts_bucket *buckets;
    size_t room;
    int count;
    double cycle; // of the last tensor that was added
    bool open;    // the last bucket takes more
};

static void add_tensor(struct cutter *c, size_t elements, int layer, double cycle)
{
    if (c->open && cycle > c->cycle)
        c->open = false;
    if (!c->open) {
        c->buckets = dts_grow(c->buckets, &c->room, (size_t)c->count + 1, sizeof(*c->buckets));
        c->count++;
    }
    struct dts_bucket *bucket = &c->buckets[c->count - 1];
    bucket->elements += elements;
    bucket->tensors++;
    bucket->table = -1;
    bucket->ready_after = layer;
    bucket->first_layer = layer;
    c->cycle = cycle;

    double full =
        c->count == 1 && c->policy->first_bytes > 0 ? c->policy->first_bytes : c->policy->bytes;
    double bytes = (double)bucket->elements * (double)c->element_bytes;
    c->open = c->policy->bytes > 0 && bytes < full;
}

/* Rows of a table: behind what is open, and nothing behind them. */
static void add_rows(struct cutter *c, size_t elements, int layer, double cycle)
{
    c->open = false;
    add_tensor(c, elements, layer, cycle);
    c->open = false;
    c->buckets[c->count - 1].table = layer;
}

/* The bucket of a cycle leaves when the cycle is over: after which layer's backward is that? */
static void wait_for_cycle(struct dts_bucket *bucket, const double *backward_s, int layers,
                           double cycle_s)
{
    double done_s = 0, leaves_s = -1;
    for (int l = layers - 1; l >= 0; l--) {
        done_s += backward_s[l];
        if (l > bucket->first_layer)
            continue;
        if (leaves_s < 0)
            leaves_s = (floor(done_s / cycle_s) + 1) * cycle_s;
        bucket->ready_after = l;
        if (done_s >= leaves_s)
            return;
    }
    bucket->delay_s = leaves_s - done_s;
}

int dts_buckets(const struct dts_model *model, const struct dts_bucket_policy *policy,
                size_t element_bytes, const double *backward_s, struct dts_bucket **buckets)
{
    return dts_buckets_apart(model, policy, element_bytes, backward_s, NULL, buckets);
}

int dts_buckets_apart(const struct dts_model *model, const struct dts_bucket_policy *policy,
                      size_t element_bytes, const double *backward_s, const size_t *apart,
                      struct dts_bucket **buckets)
{
    struct cutter c = {.policy = policy, .element_bytes = element_bytes};
    bool cycles = policy->cycle_s > 0 && backward_s != NULL;
    double done_s = 0;

    for (int l = model->layer_count - 1; l >= 0; l--) {
        const struct dts_layer *layer = &model->layers[l];
        done_s += cycles ? backward_s[l] : 0;
        double cycle = cycles ? floor(done_s / policy->cycle_s) : 0;
        const int rows = apart != NULL && apart[l] > 0; // of its first tensor
        for (int p = layer->param_count - 1; p >= rows; p--)
            if (layer->params[p].count > 0)
                add_tensor(&c, layer->params[p].count, l, cycle);
        if (rows && apart[l] != DTS_NO_BUCKET)
            add_rows(&c, apart[l], l, cycle);
    }
    for (int b = 0; cycles && b < c.count; b++)
        wait_for_cycle(&c.buckets[b], backward_s, model->layer_count, policy->cycle_s);
    *buckets = c.buckets;
    return c.count;
}

int dts_buckets_of(const struct dts_gradient *gradients, int gradient_count,
                   const struct dts_bucket_policy *policy, size_t element_bytes,
                   struct dts_bucket **buckets)
{
    struct cutter c = {.policy = policy, .element_bytes = element_bytes};
    for (int i = 0; i < gradient_count; i++)
        add_tensor(&c, gradients[i].elements, gradients[i].layer, 0);
    *buckets = c.buckets;
    return c.count;
}

int dts_buckets_cut(struct dts_bucket **buckets, int count, size_t most)
{
    struct dts_bucket *parts = NULL;
    size_t room = 0;
    int part_count = 0;
    for (int b = 0; b < count; b++) {
        struct dts_bucket bucket = (*buckets)[b];
        size_t elements = bucket.elements, pieces = (elements + most - 1) / most;
        parts = dts_grow(parts, &room, (size_t)part_count + pieces, sizeof(*parts));
        for (size_t i = 0; i < pieces; i++) {
            bucket.elements = elements / pieces + (i < elements % pieces);
            parts[part_count++] = bucket;
            bucket.delay_s = 0; // the first part has waited for all
        }
    }
    free(*buckets);
    *buckets = parts;
    return part_count;
}

struct dts_bucket_policy dts_bucket_policy_of(const struct dts_cfg *at,
                                              const struct dts_stack *stack, double bytes,
                                              double first_bytes)
{
    struct dts_cfg key = dts_cfg_member(at, "bucket_bytes");
    struct dts_cfg first_key = dts_cfg_member(at, "first_bucket_bytes");
    struct dts_bucket_policy policy = stack->buckets;
    if (dts_cfg_exists(&key)) {
        policy.bytes = bytes;
        policy.first_bytes = 0;
    }
    if (dts_cfg_exists(&first_key))
        policy.first_bytes = first_bytes;
    return policy;
}
