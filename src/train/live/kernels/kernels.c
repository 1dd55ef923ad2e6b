/* kernels.c -- real training under the walker.
 *
 * The network's gradients are the plan's buffer itself: their order is that of the buckets
 * (train/network/network.h), so what backward has finished can leave at once, and the sum over
 * ranks comes back in place: a mean, since each rank's loss counts by its share. Weights begin
 * the same on all ranks, by the seed; they stay the same since all ranks add the same sums.
 * With servers, the weights are the plan's buffer, too, which pulls fill; servers update
 * (server.h).
 *
 * Sample s of step n is number n x (samples of a step) + s, whatever the number of ranks: n
 * ranks see in each step what one rank sees (train/network/order.h), and in each microbatch of
 * it, too.
 */
#include "train/live/kernels/kernels.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "train/live/kernels/mirrors.h"
#include "train/live/kernels/server.h"
#include "train/strategy/build.h"

/* fp16 has numbers from 6e-8 to 65504 only; bf16 has all that float has. */
static bool scales(const struct dts_live_kernels *t)
{
    return t->point->scenario->precision == DTS_FP16;
}

/* A server sees an overflow of its own part alone, when others have updated theirs. */
static bool check_scaling(const struct dts_live_kernels *t, struct dts_error *err)
{
    return !scales(t) || t->rank.job->role_count == 1 ||
           dts_fail(err, DTS_UNSUPPORTED,
                    "live.compute: kernels: %s: fp16 leaves out steps that overflow, which "
                    "servers cannot agree on: precision must be bf16 or fp32",
                    t->point->strategy->name);
}

/* How many steps there are is the same on all ranks, servers among them. */
static bool count_steps(struct dts_live_kernels *t, struct dts_error *err)
{
    const struct dts_scenario *s = t->point->scenario;
    t->order = (struct dts_order){
        .seed = s->seed,
        .samples = (uint64_t)s->dataset.samples,
        .step_samples = (uint64_t)t->point->batch * (uint64_t)t->point->microbatches *
                        (uint64_t)t->rank.job->roles[0].count,
    };
    if (t->order.step_samples > t->order.samples)
        return dts_doc_fail(s->doc, "dataset.samples", DTS_BAD_INPUT, err,
                            "a step has %llu samples, and an epoch %llu",
                            (unsigned long long)t->order.step_samples,
                            (unsigned long long)t->order.samples);
    t->epoch_steps = (long)dts_order_epoch_steps(&t->order);
    t->steps = t->settings->epochs > 0 ? t->settings->epochs * t->epoch_steps
                                       : t->settings->warm_up + t->settings->steps;
    return true;
}

static bool open_data(struct dts_live_kernels *t, struct dts_error *err)
{
    const struct dts_scenario *s = t->point->scenario;
    const struct dts_data_request request = {
        .format = t->settings->data.format,
        .folder = t->settings->data.folder,
        .model = &s->model,
        .network = t->network,
        .samples = t->order.samples,
        .seed = s->seed,
    };
    if (strcmp(request.format, "idx") == 0 && request.folder == NULL)
        return dts_doc_fail(s->doc, "live.data.folder", DTS_BAD_INPUT, err,
                            "missing (\"idx\" needs it)");
    return dts_data_open(&t->data, &request, err);
}

/* What is exchanged is dense, as the plan says; a rank alone keeps lists of rows. */
static bool open_worker(struct dts_live_kernels *t, struct dts_error *err)
{
    const struct dts_scenario *s = t->point->scenario;
    const bool alone = t->rank.role->plan.buffer_count == 0;
    const struct dts_network_options options = {.batch = (int)t->point->batch,
                                                .threads = t->settings->threads,
                                                .space = t->space,
                                                .sparse = alone,
                                                .seed = (uint64_t)s->seed,
                                                .precision = s->precision};
    const bool servers = t->rank.job->role_count > 1;
    if (!dts_network_make(&t->network, &s->model, &options, err))
        return false;
    if (!servers && !dts_network_optimizer(t->network, s->optimizer, &t->optimizer, err))
        return false;
    if (!dts_live_mirrors_open(t, err))
        return false;
    t->numbers = dts_alloc((size_t)options.batch, sizeof(*t->numbers));
    return open_data(t, err);
}

void dts_live_kernels_close(struct dts_live_kernels *t)
{
    dts_live_server_close(t->server);
    dts_optimizer_free(t->optimizer);
    dts_network_free(t->network);
    dts_mirror_free(&t->sums);
    dts_space_close(t->space);
    dts_data_close(t->data);
    free(t->numbers);
    free(t->there);
    *t = (struct dts_live_kernels){.point = t->point, .settings = t->settings, .wire = t->wire};
}

/* Kernels work on floats, whatever travels. */
static bool check_precision(const struct dts_live_kernels *t, struct dts_error *err)
{
    const struct dts_plan *plan = &t->rank.role->plan;
    return plan->buffer_count == 0 ||
           plan->buffers[DTS_GRADIENTS].element_bytes <= sizeof(float) ||
           dts_fail(err, DTS_UNSUPPORTED,
                    "live.compute: no kernels compute in fp64: precision must be fp32, tf32, "
                    "bf16 or fp16");
}

bool dts_live_kernels_open(struct dts_live_kernels *t, const struct dts_executor_rank *rank,
                           struct dts_error *err)
{
    t->rank = *rank;
    t->step = -1;
    t->scale.scale = scales(t) ? t->settings->loss_scale : 1;
    const bool worker = rank->role == &rank->job->roles[0];
    if (check_precision(t, err) && count_steps(t, err) && check_scaling(t, err) &&
        (worker ? open_worker(t, err) : dts_live_server_open(rank, &t->server, err)))
        return true;
    dts_live_kernels_close(t);
    return false;
}

/* The call of a layer, or that part of it which the plan says. */
static void take_part(struct dts_live_kernels *t, const struct dts_call *call)
{
    struct dts_network_part part = {.part = call->part, .ranks = t->rank.role->count};
    if (call->part != DTS_OP_WHOLE)
        part.sums = (double *)t->sums.there + call->sums.first;
    dts_network_take_part(t->network, &part);
}

/* The first layer's forward call begins a step, or the next microbatch of one. */
static void begin(struct dts_live_kernels *t, long step)
{
    const struct dts_point *point = t->point;
    const uint64_t batch = (uint64_t)point->batch;
    const uint64_t microbatches = (uint64_t)point->microbatches;
    t->microbatch = step == t->step ? t->microbatch + 1 : 0;
    t->step = step;
    const uint64_t workers = (uint64_t)t->rank.role->count;
    const uint64_t first = (uint64_t)step * batch * microbatches * workers +
                           ((uint64_t)t->microbatch * workers + (uint64_t)t->rank.rank) * batch;
    // sums over workers and microbatches are means then, and no larger than one rank's
    const double share = 1 / ((double)workers * (double)microbatches);
    const struct dts_network_step wanted = {
        .number = (uint64_t)step,
        .first_sample = first,
        .training = true,
        .keep_gradients = t->microbatch > 0,
        .loss_scale = t->scale.scale * share,
    };
    for (uint64_t i = 0; i < batch; i++)
        t->numbers[i] = dts_order_sample(&t->order, first + i);
    dts_data_fill(t->data, DTS_DATA_TRAIN, t->network, t->numbers, (int)batch);
    dts_network_begin(t->network, &wanted);
}

static void update(struct dts_live_kernels *t)
{
    if (t->optimizer == NULL)
        return;
    // scaled gradients are of fp16
    const bool finite = !scales(t) || dts_network_finite(t->network, t->optimizer);
    const struct dts_update_settings settings =
        dts_live_settings(&t->rank, t->optimizer, t->step);
    if (finite)
        dts_network_update(t->network, t->optimizer, &settings, (float)(1 / t->scale.scale));
    if (scales(t))
        dts_loss_scale_next(&t->scale, finite);
}

static double call(void *self, const struct dts_op *op, int step, double due_s)
{
    (void)due_s;
    struct dts_live_kernels *t = self;
    const long training_step = t->first_step + step;
    const int last = t->point->scenario->model.layer_count - 1;
    switch (op->call.pass) {
    case DTS_FORWARD:
        if (op->call.layer == 0 && op->call.part != DTS_OP_REST)
            begin(t, training_step);
        take_part(t, &op->call);
        dts_network_forward(t->network, op->call.layer);
        if (op->call.layer == last)
            t->loss += dts_network_loss(t->network), t->losses++;
        break;
    case DTS_BACKWARD:
        take_part(t, &op->call);
        dts_network_backward(t->network, op->call.layer);
        break;
    case DTS_UPDATE:
        update(t);
        break;
    case DTS_AGGREGATE:
        dts_live_server_update(t->server, op->bucket, training_step);
        break;
    default: // what only the predicted framework does
        break;
    }
    dts_space_wait(t->space); // a call that is held to have ended has
    dts_live_mirrors_check(t);
    return dts_now_s();
}

static const struct dts_executor kernels = {
    .name = "kernels",
    .summary = "trains: the network's kernels on samples of a data set",
    .open = dts_executor_take_context,
    .call = call,
    .bring = dts_live_mirrors_bring,
    .carry_off = dts_live_mirrors_carry_off,
    .close = dts_executor_leave_context,
};

const struct dts_executor *dts_live_kernels(void)
{
    return &kernels;
}
