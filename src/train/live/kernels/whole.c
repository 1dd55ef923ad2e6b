/* whole.c -- the state of the whole model, which ranks have parts of.
 *
 * Each rank that speaks writes what is its own into an array of the whole model's layout, whose
 * other bytes are zeros; the bytes of all ranks, or-ed, are the whole. So every rank has it in
 * memory for as long as it is needed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/live/kernels/synchrony.h"
#include "train/live/kernels/whole.h"

/* The weights that this rank updates and speaks of, zeros between them. */
static float *own_weights(const struct dts_live_kernels *k)
{
    const size_t dense = k->parts->layout.dense;
    const struct dts_live_parts *parts = k->parts;
    float *own = dts_alloc(parts->layout.parameters, sizeof(*own));
    for (int i = 0; i < parts->share_count; i++)
        memcpy(own + parts->shares[i].first, parts->weights + parts->shares[i].first,
               parts->shares[i].count * sizeof(*own));
    if (parts->share_count == 0)
        memcpy(own, parts->weights, parts->layout.parameters * sizeof(*own));
    if (!parts->seat.speaks)
        memset(own, 0, dense * sizeof(*own));
    if (!parts->seat.speaks_of_experts)
        memset(own + dense, 0, (parts->layout.parameters - dense) * sizeof(*own));
    return own;
}

static void merge(const struct dts_live_kernels *k, const float *own, float *whole)
{
    const size_t count = (size_t)k->point->scenario->model.parameters;
    memset(whole, 0, count * sizeof(*whole));
    if (own != NULL)
        dts_layout_give(&k->parts->layout, own, whole);
    dts_wire_merge(k->wire, whole, count * sizeof(*whole));
}

/* Of replicas that train alone: each speaks in its turn. In double, in that order. */
static void merge_mean(const struct dts_live_kernels *k, float *whole)
{
    const size_t count = (size_t)k->point->scenario->model.parameters;
    const int replicas = k->point->replicas;
    double *sums = dts_alloc(count, sizeof(*sums));
    for (int r = 0; r < replicas; r++) {
        merge(k, k->parts->seat.replica == r ? k->parts->weights : NULL, whole);
        for (size_t i = 0; i < count; i++)
            sums[i] += (double)whole[i];
    }
    for (size_t i = 0; i < count; i++)
        whole[i] = (float)(sums[i] / replicas);
    free(sums);
}

float *dts_live_whole_weights(const struct dts_live_kernels *k)
{
    const struct dts_seat *seat = &k->parts->seat;
    float *whole = dts_alloc((size_t)k->point->scenario->model.parameters, sizeof(*whole));
    if (dts_live_trains_alone(k)) {
        merge_mean(k, whole);
        return whole;
    }
    float *own = seat->speaks || seat->speaks_of_experts ? own_weights(k) : NULL;
    merge(k, own, whole);
    free(own);
    return whole;
}

void *dts_live_whole_states(const struct dts_live_kernels *k, size_t *bytes)
{
    *bytes = dts_network_whole_bytes(k->network, DTS_NETWORK_STATES);
    void *whole = dts_alloc(*bytes, 1);
    const bool gives = k->parts->seat.replica == 0 && k->parts->seat.speaks;
    for (int i = 0; gives && i < k->parts->seat.part_count; i++)
        dts_network_give(k->parts->networks[i], DTS_NETWORK_STATES, whole);
    dts_wire_merge(k->wire, whole, *bytes);
    return whole;
}

float *dts_live_whole_optimizer(const struct dts_live_kernels *k, size_t *count)
{
    const struct dts_live_parts *parts = k->parts;
    *count = dts_optimizer_whole(parts->optimizers[0], &k->point->scenario->model);
    float *whole = dts_alloc(*count, sizeof(*whole));
    for (int i = 0; i < parts->optimizer_count; i++) {
        const bool experts =
            i < parts->share_count && parts->shares[i].first >= parts->layout.dense;
        if (experts ? parts->seat.speaks_of_experts : parts->seat.speaks)
            dts_optimizer_give(parts->optimizers[i], whole);
    }
    dts_wire_merge(k->wire, whole, *count * sizeof(*whole));
    return whole;
}

void dts_live_take_weights(struct dts_live_kernels *k, const float *whole)
{
    dts_layout_take(&k->parts->layout, k->parts->weights, whole);
}

void dts_live_take_states(struct dts_live_kernels *k, const void *whole)
{
    for (int i = 0; i < k->parts->seat.part_count; i++)
        dts_network_take(k->parts->networks[i], DTS_NETWORK_STATES, whole);
}

void dts_live_take_optimizer(struct dts_live_kernels *k, float *whole)
{
    for (int i = 0; i < k->parts->optimizer_count; i++)
        dts_optimizer_take(k->parts->optimizers[i], whole);
}

static bool make_evaluator(struct dts_live_kernels *k, struct dts_error *err)
{
    const struct dts_scenario *s = k->point->scenario;
    const struct dts_network_options options = {.batch = k->point->batch,
                                                .threads = k->settings->threads,
                                                .space = k->space,
                                                .seed = (uint64_t)s->seed,
                                                .precision = s->precision};
    if (k->parts->evaluator == NULL)
        dts_network_make(&k->parts->evaluator, &s->model, &options, err);
    return dts_wire_agree(k->wire, err);
}

bool dts_live_evaluator(struct dts_live_kernels *k, struct dts_network **network,
                        struct dts_error *err)
{
    size_t bytes;
    if (!make_evaluator(k, err))
        return false;
    float *weights = dts_live_whole_weights(k);
    void *states = dts_live_whole_states(k, &bytes);
    dts_network_take(k->parts->evaluator, DTS_NETWORK_WEIGHTS, weights);
    dts_network_take(k->parts->evaluator, DTS_NETWORK_STATES, states);
    free(weights);
    free(states);
    *network = k->parts->evaluator;
    return true;
}
