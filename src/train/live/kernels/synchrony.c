/* synchrony.c -- the rank's side of local SGD, DiLoCo, gossip and delayed updates. */
#include "train/live/kernels/synchrony.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/live/kernels/server.h"
#include "train/network/optimizer.h"
#include "train/network/outer.h"
#include "train/strategy/build.h"
#include "train/strategy/delay.h"
#include "train/strategy/synchrony.h"

struct dts_live_synchrony {
    const struct dts_synchrony *how; // the strategy's
    size_t count;                    // weights

    struct dts_outer outer; // rate 0: there is none
    bool has_begun;         // it has the weights from which it counts
    float *own;             // the rank's weights, while the mean takes their place; owned

    struct dts_late_values late;
    struct dts_optimizer_run *late_optimizer; // owned; NULL: all gradients are late, or none
};

static bool check(const struct dts_live_kernels *k, struct dts_error *err)
{
    const struct dts_live_settings *live = k->settings;
    const struct dts_synchrony *how = dts_point_synchrony(k->point);
    const char *name = k->point->strategy->name, *why = NULL;
    if (k->point->scenario->precision == DTS_FP16)
        why = "fp16 leaves out steps that overflow, which ranks that do not meet in each step "
              "cannot agree on: precision must be bf16, tf32 or fp32";
    else if (live->checkpoint.file != NULL)
        why = "a checkpoint holds what one rank has, and here each has weights of its own: "
              "live.checkpoint must not be there";
    else if (live->noise_scale)
        why = "live.noise_scale needs sums of gradients in each step";
    else if (how->passing && dts_space_is_apart(k->space))
        why =
            "average: weights of asynchronous pairs must be in the host's memory: live.device "
            "must be cpu";
    else if (how->delay > 0 && dts_space_is_apart(k->space))
        why = "delay: gradients of two steps must be in the host's memory: live.device must be "
              "cpu";
    return why == NULL ||
           dts_fail(err, DTS_UNSUPPORTED, "live.compute: kernels: %s: %s", name, why);
}

bool dts_live_synchrony_open(struct dts_live_kernels *k, struct dts_error *err)
{
    const struct dts_synchrony *how = dts_point_synchrony(k->point);
    if (how->local_steps == 0 && how->delay == 0)
        return true;
    if (!check(k, err))
        return false;
    k->synchrony = dts_alloc(1, sizeof(*k->synchrony));
    k->synchrony->how = how;
    k->synchrony->count = dts_network_parameters(k->network);
    k->synchrony->late = dts_delay_values(how, &k->point->scenario->model);
    if (how->passing && k->point->devices > 1)
        dts_live_gossip_open(k);
    if (!how->outer)
        return true;
    const struct dts_layout *layout =
        dts_live_divided(k) ? &k->parts->layout : dts_network_layout(k->network);
    return dts_outer_open(&k->synchrony->outer, layout, k->space, how->outer_rate,
                          how->outer_momentum, err);
}

/* The rank's weights and gradients. */
static struct dts_trained_arrays arrays_of(const struct dts_live_kernels *k)
{
    if (!dts_live_divided(k))
        return dts_network_arrays(k->network);
    return (struct dts_trained_arrays){.weights = k->parts->weights,
                                       .gradients = k->rank.buffers[DTS_GRADIENTS],
                                       .count = k->parts->layout.parameters,
                                       .space = k->space,
                                       .workers = dts_network_workers(k->network)};
}

void dts_live_synchrony_close(struct dts_live_kernels *k)
{
    struct dts_live_synchrony *s = k->synchrony;
    if (s == NULL)
        return;
    dts_live_gossip_close(k);
    dts_outer_close(&s->outer);
    dts_optimizer_free(s->late_optimizer);
    free(s->own);
    free(s);
    k->synchrony = NULL;
}

bool dts_live_weights_travel(const struct dts_live_kernels *k)
{
    return (dts_job_has_servers(k->rank.job) && k->served == NULL) ||
           (k->synchrony != NULL && k->synchrony->how->local_steps > 0 &&
            k->rank.role->plan.buffer_count > DTS_WEIGHTS);
}

bool dts_live_gradients_travel(const struct dts_live_kernels *k)
{
    return k->rank.role->plan.buffer_count > 0;
}

int dts_live_summed_ranks(const struct dts_live_kernels *k, long step)
{
    const bool alone = k->synchrony != NULL && dts_synchrony_is_local(k->synchrony->how, step);
    return alone ? 1 : k->point->replicas;
}

static void swap(float *a, float *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const float kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

long dts_live_synchrony_update(struct dts_live_kernels *k, long step)
{
    struct dts_live_synchrony *s = k->synchrony;
    if (s == NULL)
        return step;
    if (s->how->delay > 0) {
        swap(dts_network_gradients(k->network) + s->late.first, k->rank.buffers[DTS_LATE],
             s->late.count);
        return s->late_optimizer != NULL ? step : step - s->how->delay;
    }
    if (s->how->outer && !s->has_begun && dts_synchrony_is_local(s->how, step)) {
        const struct dts_trained_arrays arrays = arrays_of(k);
        dts_outer_begin(&s->outer, &arrays);
        s->has_begun = true;
    }
    return step;
}

/* What is before or behind the values that are late, which are at one end. */
static struct dts_optimizer_part in_time(const struct dts_late_values *late)
{
    return late->first > 0
               ? (struct dts_optimizer_part){0, late->first, "what is in time"}
               : (struct dts_optimizer_part){late->count, SIZE_MAX, "what is in time"};
}

bool dts_live_synchrony_optimizer(struct dts_live_kernels *k, struct dts_optimizer_run **run,
                                  struct dts_error *err)
{
    struct dts_live_synchrony *s = k->synchrony;
    const struct dts_optimizer *optimizer = k->point->scenario->optimizer;
    if (s == NULL || !dts_delay_is_partial(s->how))
        return dts_network_optimizer(k->network, optimizer, run, err);
    const struct dts_optimizer_part others = in_time(&s->late);
    const struct dts_optimizer_part late = {s->late.first, s->late.count, "what is late"};
    return dts_network_optimizer_of(k->network, optimizer, &others, run, err) &&
           dts_network_optimizer_of(k->network, optimizer, &late, &s->late_optimizer, err);
}

void dts_live_synchrony_late(struct dts_live_kernels *k, long step)
{
    const struct dts_live_synchrony *s = k->synchrony;
    if (s == NULL || s->late_optimizer == NULL || step < s->how->delay)
        return;
    const struct dts_update_settings settings =
        dts_live_settings(&k->rank, s->late_optimizer, step - s->how->delay);
    dts_network_update(k->network, s->late_optimizer, &settings, 1);
}

/* How many ranks' weights were summed in that step. */
static int summed_weights(const struct dts_live_kernels *k, long step)
{
    const struct dts_plan *plan = &k->rank.role->plan;
    for (int o = 0; o < plan->op_count; o++)
        if (plan->ops[o].kind == DTS_OP_COLLECTIVE &&
            plan->ops[o].collective.data.buffer == DTS_WEIGHTS &&
            dts_when_acts(&plan->ops[o].when, step))
            return plan->ops[o].collective.group.size;
    return 1;
}

void dts_live_synchrony_average(struct dts_live_kernels *k, const struct dts_op *op, long step)
{
    if (k->gossip != NULL) {
        dts_live_gossip_average(k, op);
        return;
    }
    const int ranks = summed_weights(k, step);
    const struct dts_trained_arrays arrays = arrays_of(k);
    if (ranks > 1)
        dts_weights_divide(&arrays, ranks);
    if (k->synchrony->how->outer)
        dts_outer_update(&k->synchrony->outer, &arrays);
}

bool dts_live_trains_alone(const struct dts_live_kernels *k)
{
    return k->synchrony != NULL && k->synchrony->how->local_steps > 0;
}

/* Ranks that have parts of the network give their mean where it is put together (whole.h). */
static bool is_apart(const struct dts_live_kernels *k)
{
    return dts_live_trains_alone(k) && !dts_live_divided(k);
}

/* In the order of ranks, in double: the same bits whatever MPI does. */
static void take_mean(struct dts_live_kernels *k, float *weights)
{
    const size_t count = k->synchrony->count;
    const int ranks = dts_wire_size(k->wire);
    const bool first = dts_wire_rank(k->wire) == 0;
    float *all = first ? dts_alloc(count * (size_t)ranks, sizeof(*all)) : NULL;
    dts_wire_collect(k->wire, weights, count * sizeof(*weights), all);
    for (size_t i = 0; first && i < count; i++) {
        double sum = 0;
        for (int r = 0; r < ranks; r++)
            sum += (double)all[(size_t)r * count + i];
        weights[i] = (float)(sum / ranks);
    }
    free(all);
    dts_wire_share(k->wire, weights, count * sizeof(*weights));
}

void dts_live_mean_begin(struct dts_live_kernels *k)
{
    if (!is_apart(k))
        return;
    const struct dts_mirror *weights = dts_network_mirror(k->network, DTS_NETWORK_WEIGHTS);
    const size_t bytes = k->synchrony->count * sizeof(float);
    k->synchrony->own = dts_alloc(k->synchrony->count, sizeof(float));
    dts_mirror_fetch_all(weights);
    memcpy(k->synchrony->own, weights->here, bytes);
    dts_live_gossip_settle(k, weights->here);
    take_mean(k, weights->here);
    dts_mirror_store_all(weights);
}

void dts_live_mean_end(struct dts_live_kernels *k)
{
    if (!is_apart(k))
        return;
    const struct dts_mirror *weights = dts_network_mirror(k->network, DTS_NETWORK_WEIGHTS);
    memcpy(weights->here, k->synchrony->own, k->synchrony->count * sizeof(float));
    dts_mirror_store_all(weights);
    free(k->synchrony->own);
    k->synchrony->own = NULL;
}
