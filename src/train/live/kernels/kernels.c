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
 * it, too. The ranks of a pipeline see those of their replica.
 */
#include "train/live/kernels/kernels.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "train/live/kernels/made.h"
#include "train/live/kernels/mirrors.h"
#include "train/live/kernels/noise.h"
#include "train/live/kernels/parts.h"
#include "train/live/kernels/rows.h"
#include "train/live/kernels/samples.h"
#include "train/live/kernels/server.h"
#include "train/live/kernels/shares.h"
#include "train/live/kernels/synchrony.h"
#include "train/live/kernels/tables/columns.h"
#include "train/live/kernels/tables/lists.h"
#include "train/live/kernels/tables/room.h"
#include "train/live/kernels/tables/served.h"
#include "train/live/kernels/tables/worker.h"
#include "train/strategy/build.h"

/* fp16 has numbers from 6e-8 to 65504 only; bf16 has all that float has. */
static bool scales(const struct dts_live_kernels *t)
{
    return t->point->scenario->precision == DTS_FP16;
}

/* A server sees an overflow of its own part alone, when others have updated theirs. */
static bool check_scaling(const struct dts_live_kernels *t, struct dts_error *err)
{
    return !scales(t) || !dts_job_has_servers(t->rank.job) ||
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
                        (uint64_t)t->point->replicas,
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

/* The network that takes samples, or their targets; of none the first. */
static struct dts_network *filled(const struct dts_live_kernels *t)
{
    bool tokens;
    for (int i = 0; i < t->parts->seat.part_count; i++)
        if (dts_network_input(t->parts->networks[i], &tokens) != NULL)
            return t->parts->networks[i];
    return t->network;
}

static bool open_data(struct dts_live_kernels *t, struct dts_error *err)
{
    const struct dts_scenario *s = t->point->scenario;
    const struct dts_data_request request = {
        .format = t->settings->data.format,
        .folder = t->settings->data.folder,
        .model = &s->model,
        .network = filled(t),
        .samples = t->order.samples,
        .seed = s->seed,
    };
    if (strcmp(request.format, "idx") == 0 && request.folder == NULL)
        return dts_doc_fail(s->doc, "live.data.folder", DTS_BAD_INPUT, err,
                            "missing (\"idx\" needs it)");
    return dts_data_open(&t->data, &request, err);
}

/* What is exchanged is dense, but for rows that are gathered or served; a rank alone keeps
 * lists of rows.
 */
static bool open_worker(struct dts_live_kernels *t, struct dts_error *err)
{
    const bool alone = t->rank.role->plan.buffer_count == 0;
    t->numbers = dts_alloc((size_t)t->point->batch, sizeof(*t->numbers));
    const bool lists = alone || t->gathers || t->served != NULL || t->columns != NULL;
    return dts_live_parts_open(t, lists, err) && open_data(t, err) &&
           dts_live_lists_fit(t, err) && dts_live_room_check(t, err);
}

void dts_live_kernels_close(struct dts_live_kernels *t)
{
    dts_live_server_close(t->server);
    dts_live_synchrony_close(t);
    dts_live_parts_close(t->parts);
    dts_live_noise_close(t->noise);
    dts_live_served_close(t->served);
    dts_live_columns_close(t->columns);
    free(t->whole_tables);
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
    if (t->point->scenario->precision == DTS_FP8)
        return dts_fail(
            err, DTS_UNSUPPORTED,
            "live.compute: no kernels compute in fp8: precision must be fp32, tf32, "
            "bf16 or fp16");
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
    const bool worker = rank->role->kind == DTS_WORKER;
    if (check_precision(t, err) && count_steps(t, err) && check_scaling(t, err) &&
        dts_live_lists_check(t, err) &&
        (worker ? open_worker(t, err) : dts_live_server_open(rank, &t->server, err)) &&
        dts_live_noise_open(t, err))
        return true;
    dts_live_kernels_close(t);
    return false;
}

/* The network of a call, with its microbatch; the call of a layer, or that part of it which the
 * plan says. */
static struct dts_network *network_of(struct dts_live_kernels *t, const struct dts_call *call)
{
    struct dts_network *network = t->parts->networks[call->chunk];
    const struct dts_live_parts *parts = t->parts;
    struct dts_network_part part = {.part = call->part, .ranks = t->rank.role->count};
    if (call->part != DTS_OP_WHOLE && parts->seat.members > 1)
        part = (struct dts_network_part){call->part, parts->class_sums, parts->seat.members,
                                         parts->seat.member};
    else if (call->part == DTS_OP_WHOLE && dts_live_rows_has(t, call))
        part = (struct dts_network_part){
            .part = DTS_OP_WORK, .rows = parts->rows, .rank = parts->seat.context};
    else if (call->part != DTS_OP_WHOLE)
        part.sums = (double *)t->sums.there + call->sums.first;
    part.again = call->pass == DTS_RECOMPUTE;
    dts_network_select(network, call->slot);
    dts_network_take_part(network, &part);
    return network;
}

/* The first forward call of a part begins a microbatch there. */
static void begin(struct dts_live_kernels *t, const struct dts_call *call, long step)
{
    struct dts_network *network = t->parts->networks[call->chunk];
    // sums over replicas and microbatches are means then, and no larger than one rank's
    const double parts =
        (double)t->parts->seat.contexts; // each has the mean over its positions
    const double ranks = dts_live_summed_ranks(t, step);
    const double share = 1 / (ranks * (double)t->point->microbatches * parts);
    dts_network_select(network, call->slot);
    dts_live_columns_begin(t, step, call->microbatch);
    const uint64_t first =
        dts_live_samples(t, network, t->parts->seat.replica, step, call->microbatch);
    const struct dts_network_step wanted = {
        .number = (uint64_t)step,
        .first_sample = first,
        .training = true,
        .keep_gradients = call->microbatch > t->parts->seat.parts[call->chunk].first_microbatch,
        .loss_scale = t->scale.scale * share,
    };
    t->step = step;
    dts_network_begin(network, &wanted);
}

static void forward(struct dts_live_kernels *t, const struct dts_call *call, long step)
{
    const struct dts_seat_part *part = &t->parts->seat.parts[call->chunk];
    const int end = call->layer + call->more;
    if (call->layer == part->first && call->part != DTS_OP_REST)
        begin(t, call, step);
    struct dts_network *network = network_of(t, call);
    for (int l = call->layer; l <= end; l++)
        if (!dts_live_columns_forward(t, l))
            dts_network_forward(network, l);
    if (end < part->last || call->part == DTS_OP_SUMS)
        return;
    t->loss += dts_network_loss(network);
    t->losses += end == t->point->scenario->model.layer_count - 1;
}

/* What was not kept, once more. */
static void forward_again(struct dts_live_kernels *t, const struct dts_call *call)
{
    struct dts_network *network = network_of(t, call);
    for (int l = call->layer; l <= call->layer + call->more; l++)
        dts_network_forward(network, l);
}

static void backward(struct dts_live_kernels *t, const struct dts_call *call)
{
    struct dts_network *network = network_of(t, call);
    for (int l = call->layer + call->more; l >= call->layer; l--)
        if (!dts_live_columns_backward(t, l))
            dts_network_backward(network, l);
    dts_live_noise_backward(t, call);
}

static void update(struct dts_live_kernels *t)
{
    if (t->parts->optimizer_count == 0)
        return;
    const struct dts_optimizer_run *optimizer = t->parts->optimizers[0];
    const long of_step = dts_live_synchrony_update(t, t->step);
    if (of_step < 0)
        return;
    dts_live_noise_update(t);
    // scaled gradients are of fp16
    const bool finite = !scales(t) || dts_network_finite(t->network, optimizer);
    const struct dts_update_settings settings = dts_live_settings(&t->rank, optimizer, of_step);
    dts_live_gossip_update_begin(t);
    if (finite)
        dts_live_parts_update(t, &settings, (float)(1 / t->scale.scale));
    dts_live_gossip_update_end(t);
    dts_live_synchrony_late(t, t->step);
    if (scales(t))
        dts_loss_scale_next(&t->scale, finite);
}

static double call(void *self, const struct dts_op *op, int step, double due_s)
{
    (void)due_s;
    struct dts_live_kernels *t = self;
    const long training_step = t->first_step + step;
    switch (op->call.pass) {
    case DTS_FORWARD:
        forward(t, &op->call, training_step);
        break;
    case DTS_BACKWARD:
    case DTS_BACKWARD_INPUT: // all of it: networks have no backward pass of weights alone
        backward(t, &op->call);
        break;
    case DTS_RECOMPUTE:
        forward_again(t, &op->call);
        break;
    case DTS_UPDATE:
        update(t);
        break;
    case DTS_AVERAGE:
        dts_live_synchrony_average(t, op, training_step);
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

static void bring(void *self, const struct dts_op *op)
{
    dts_live_mirrors_bring(self, op);
    dts_live_made_give(self, op);
    dts_live_rows_give(self, op);
    dts_live_lists_give(self, op);
    dts_live_worker_give(self, op);
    dts_live_columns_give(self, op);
}

static void late(void *self, const struct dts_op *op, long stale)
{
    struct dts_live_kernels *t = self;
    dts_live_server_late(t->server, op->bucket, stale);
}

/* A sum of one microbatch alone joins those before. */
static void carry_off(void *self, const struct dts_op *op)
{
    struct dts_live_kernels *t = self;
    dts_live_mirrors_carry_off(self, op);
    dts_live_made_take(t, op);
    dts_live_rows_take(t, op);
    dts_live_lists_take(t, op);
    dts_live_worker_take(t, op);
    dts_live_columns_take(t, op);
    dts_live_shares_summed(t, op);
}

static const struct dts_executor kernels = {
    .name = "kernels",
    .summary = "trains: the network's kernels on samples of a data set",
    .open = dts_executor_take_context,
    .call = call,
    .late = late,
    .bring = bring,
    .carry_off = carry_off,
    .lists = &dts_live_server_lists,
    .close = dts_executor_leave_context,
};

const struct dts_executor *dts_live_kernels(void)
{
    return &kernels;
}
