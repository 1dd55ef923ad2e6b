/* live_kernels.c -- real training under the walker.
 *
 * The network's gradients are the plan's buffer itself: their order is that of the buckets
 * (exec/network.h), so what backward has finished can leave at once, and the sum over ranks
 * comes back in place. The update divides it by the number of ranks. Weights begin the same on
 * all ranks, by the seed; they stay the same since all ranks add the same sums.
 *
 * Sample s of step n is number n x (samples of a step) + s, whatever the number of ranks: n
 * ranks see in each step what one rank sees. Data are made (exec/made_task.h).
 */
#include "cli/live_kernels.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "exec/made_task.h"
#include "exec/optimizer.h"
#include "ops/reduce.h"

struct trainer {
    struct dts_executor_rank rank;
    struct dts_live_kernels *told;
    struct dts_network *network;         // owned
    struct dts_optimizer_run *optimizer; // owned
    float *gradients;                    // the plan's, or the network's own
    int step;                            // that the last forward pass belongs to; -1: none
    int microbatch;
};

static void close_trainer(void *self)
{
    struct trainer *t = self;
    dts_optimizer_free(t->optimizer);
    dts_network_free(t->network);
    free(t);
}

static bool open_trainer(const struct dts_executor_rank *rank, void **self,
                         struct dts_error *err)
{
    struct dts_live_kernels *told = rank->context;
    const struct dts_scenario *s = told->point->scenario;
    const struct dts_network_options options = {
        .batch = (int)told->point->batch, .threads = 1, .seed = (uint64_t)s->seed};
    if (rank->job->role_count > 1)
        return dts_fail(err, DTS_UNSUPPORTED,
                        "live.compute: kernels: servers that update weights are not there yet; "
                        "\"timed\" runs them");
    struct trainer *t = dts_alloc(1, sizeof(*t));
    *t = (struct trainer){.rank = *rank, .told = told, .step = -1};
    if (!dts_network_make(&t->network, &s->model, &options, err) ||
        !dts_optimizer_make(&t->optimizer, &s->model, s->optimizer, err)) {
        close_trainer(t);
        return false;
    }
    if (rank->role->plan.buffer_count > 0)
        dts_network_use_gradients(t->network, rank->buffers[0]);
    t->gradients = dts_network_gradients(t->network);
    *self = t;
    return true;
}

/* The first layer's forward call begins a step, or the next microbatch of one. */
static void begin(struct trainer *t, int step)
{
    const struct dts_point *point = t->told->point;
    const uint64_t batch = (uint64_t)point->batch;
    const uint64_t microbatches = (uint64_t)point->scenario->accumulate;
    t->microbatch = step == t->step ? t->microbatch + 1 : 0;
    t->step = step;
    const uint64_t ranks = (uint64_t)t->rank.job->ranks;
    const uint64_t first =
        (uint64_t)step * batch * microbatches * ranks +
        ((uint64_t)t->rank.rank * microbatches + (uint64_t)t->microbatch) * batch;
    const struct dts_network_step wanted = {
        .number = (uint64_t)step,
        .first_sample = first,
        .training = true,
        .keep_gradients = t->microbatch > 0,
    };
    dts_made_task_fill(t->network, &point->scenario->model, (int)batch,
                       (uint64_t)point->scenario->seed, first);
    dts_network_begin(t->network, &wanted);
}

static void note_loss(struct trainer *t)
{
    const double loss = dts_network_loss(t->network);
    if (t->step == 0 && t->microbatch == 0)
        t->told->first_loss = loss;
    t->told->last_loss = loss;
}

/* Sums over ranks and microbatches become means. */
static void update(struct trainer *t)
{
    const struct dts_scenario *s = t->told->point->scenario;
    struct dts_update_settings settings = *dts_optimizer_usual(t->optimizer);
    const size_t count = dts_network_parameters(t->network);
    const float share = 1.0f / (float)(t->rank.job->ranks * s->accumulate);
    if (share < 1)
        dts_reduce_scale(t->gradients, share, count, dts_network_workers(t->network));
    settings.rate = t->told->settings->learning_rate;
    settings.step = t->step + 1;
    dts_optimizer_step(t->optimizer, &settings, dts_network_weights(t->network), t->gradients,
                       dts_network_workers(t->network));
}

/* Rank 0's weights as floats, the last layer first (exec/network.h), after the last step. */
static void keep_weights(struct trainer *t)
{
    const struct dts_live_settings *settings = t->told->settings;
    struct dts_error err = {0};
    struct dts_output out;
    if (t->rank.rank != 0 || settings->weights == NULL ||
        t->step + 1 != settings->warm_up + settings->steps)
        return;
    const size_t count = dts_network_parameters(t->network);
    if (dts_output_open(&out, settings->weights, &err)) {
        fwrite(dts_network_weights(t->network), sizeof(float), count, out.stream);
        dts_output_close(&out, &err);
    }
    if (err.cause != DTS_NO_ERROR)
        fprintf(stderr, "dtsim: %s\n", err.text);
}

static double call(void *self, const struct dts_op *op, int step, double due_s)
{
    (void)due_s;
    struct trainer *t = self;
    const int last = t->told->point->scenario->model.layer_count - 1;
    if (op->call.pass == DTS_FORWARD) {
        if (op->call.layer == 0)
            begin(t, step);
        dts_network_forward(t->network, op->call.layer);
        if (op->call.layer == last)
            note_loss(t);
    } else if (op->call.pass == DTS_BACKWARD) {
        dts_network_backward(t->network, op->call.layer);
    } else if (op->call.pass == DTS_UPDATE) {
        update(t);
        keep_weights(t);
    }
    return dts_now_s();
}

static const struct dts_executor kernels = {
    .name = "kernels",
    .summary = "trains: the network's kernels on made data",
    .open = open_trainer,
    .call = call,
    .close = close_trainer,
};

const struct dts_executor *dts_live_kernels(void)
{
    return &kernels;
}
