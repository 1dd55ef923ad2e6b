/* live_kernels.c -- real training under the walker.
 *
 * The network's gradients are the plan's buffer itself: their order is that of the buckets
 * (exec/network.h), so what backward has finished can leave at once, and the sum over ranks
 * comes back in place. The update divides it by the number of ranks. Weights begin the same on
 * all ranks, by the seed; they stay the same since all ranks add the same sums. With servers,
 * the weights are the plan's buffer, too, which pulls fill; servers update (live_server.h).
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
#include "cli/live_server.h"
#include "exec/made_task.h"
#include "train/build.h"

struct trainer {
    struct dts_executor_rank rank;
    struct dts_live_kernels *told;
    struct dts_live_server *server;      // owned; NULL: a worker, which has the rest
    struct dts_network *network;         // owned
    struct dts_made_task *task;          // owned
    uint64_t *numbers;                   // of the samples of a microbatch; owned
    struct dts_optimizer_run *optimizer; // owned; NULL: servers update
    int step;                            // that the last forward pass belongs to; -1: none
    int microbatch;
};

static bool open_worker(struct trainer *t, struct dts_error *err)
{
    const struct dts_scenario *s = t->told->point->scenario;
    const struct dts_network_options options = {
        .batch = (int)t->told->point->batch, .threads = 1, .seed = (uint64_t)s->seed};
    const bool servers = t->rank.job->role_count > 1;
    if (!dts_network_make(&t->network, &s->model, &options, err))
        return false;
    if (!servers && !dts_optimizer_make(&t->optimizer, &s->model, s->optimizer, err))
        return false;
    if (t->rank.role->plan.buffer_count > 0)
        dts_network_use_gradients(t->network, t->rank.buffers[DTS_GRADIENTS]);
    if (servers)
        dts_network_use_weights(t->network, t->rank.buffers[DTS_WEIGHTS]);
    t->task = dts_made_task_new(&s->model, (uint64_t)s->seed);
    t->numbers = dts_alloc((size_t)options.batch, sizeof(*t->numbers));
    return true;
}

static void free_trainer(struct trainer *t)
{
    dts_live_server_close(t->server);
    dts_optimizer_free(t->optimizer);
    dts_network_free(t->network);
    dts_made_task_free(t->task);
    free(t->numbers);
    free(t);
}

static bool open_trainer(const struct dts_executor_rank *rank, void **self,
                         struct dts_error *err)
{
    struct trainer *t = dts_alloc(1, sizeof(*t));
    *t = (struct trainer){.rank = *rank, .told = rank->context, .step = -1};
    const bool worker = rank->role == &rank->job->roles[0];
    if (worker ? !open_worker(t, err) : !dts_live_server_open(rank, &t->server, err)) {
        free_trainer(t);
        return false;
    }
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
    const uint64_t workers = (uint64_t)t->rank.role->count;
    const uint64_t first =
        (uint64_t)step * batch * microbatches * workers +
        ((uint64_t)t->rank.rank * microbatches + (uint64_t)t->microbatch) * batch;
    const struct dts_network_step wanted = {
        .number = (uint64_t)step,
        .first_sample = first,
        .training = true,
        .keep_gradients = t->microbatch > 0,
    };
    for (uint64_t i = 0; i < batch; i++)
        t->numbers[i] = first + i;
    dts_made_task_fill(t->task, t->network, t->numbers, (int)batch);
    dts_network_begin(t->network, &wanted);
}

static void note_loss(struct trainer *t)
{
    const double loss = dts_network_loss(t->network);
    if (t->step == 0 && t->microbatch == 0)
        t->told->first_loss = loss;
    t->told->last_loss = loss;
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

static void close_trainer(void *self)
{
    struct trainer *t = self;
    keep_weights(t);
    free_trainer(t);
}

static void update(struct trainer *t)
{
    if (t->optimizer != NULL)
        dts_live_update(&t->rank, t->optimizer, t->step, dts_network_weights(t->network),
                        dts_network_gradients(t->network), dts_network_workers(t->network));
}

static double call(void *self, const struct dts_op *op, int step, double due_s)
{
    (void)due_s;
    struct trainer *t = self;
    const int last = t->told->point->scenario->model.layer_count - 1;
    switch (op->call.pass) {
    case DTS_FORWARD:
        if (op->call.layer == 0)
            begin(t, step);
        dts_network_forward(t->network, op->call.layer);
        if (op->call.layer == last)
            note_loss(t);
        break;
    case DTS_BACKWARD:
        dts_network_backward(t->network, op->call.layer);
        break;
    case DTS_UPDATE:
        update(t);
        break;
    case DTS_AGGREGATE:
        dts_live_server_update(t->server, op->bucket, step);
        break;
    default: // what only the predicted framework does
        break;
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
