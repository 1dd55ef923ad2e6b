/* server.c -- the weights of a server, bucket by bucket.
 *
 * The plan's two buffers are as long as the model, laid out as the network's weights, and a
 * server uses of them what is its own: the span of each bucket that it receives. Weights begin
 * by the seed, as those of the workers do, so nothing is sent before the first step.
 *
 * Nobody writes what is under way: a worker pushes a bucket for the next step only after it has
 * pulled it for this one, so when all have pushed, all have pulled.
 */
#include "train/live/kernels/server.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/run.h"
#include "train/live/kernels/noise.h"
#include "train/network/first_weights.h"
#include "train/strategy/build.h"

/* Its part of one bucket. */
struct piece {
    size_t first, count;
    struct dts_optimizer_run *optimizer; // owned; NULL: this server has nothing of the bucket
};

struct dts_live_server {
    struct dts_executor_rank rank;
    struct dts_workers *workers; // owned
    struct piece *pieces;        // by bucket; owned
    int piece_count;
};

/* What every worker sends: the first one's stands for all. */
static void find_piece(struct dts_live_server *server, const struct dts_op *op)
{
    const struct dts_exchange *push = &op->exchange;
    struct dts_message *messages = dts_alloc((size_t)push->peer_count, sizeof(*messages));
    if (dts_exchange_messages(server->rank.role, push, server->rank.rank, messages) > 0)
        server->pieces[op->bucket] =
            (struct piece){.first = messages[0].data.first, .count = messages[0].data.count};
    free(messages);
}

static void find_pieces(struct dts_live_server *server)
{
    const struct dts_plan *plan = &server->rank.role->plan;
    for (int o = 0; o < plan->op_count; o++)
        if (plan->ops[o].bucket >= server->piece_count)
            server->piece_count = plan->ops[o].bucket + 1;
    server->pieces = dts_alloc((size_t)server->piece_count, sizeof(*server->pieces));
    for (int o = 0; o < plan->op_count; o++)
        if (plan->ops[o].kind == DTS_OP_EXCHANGE && !plan->ops[o].exchange.send)
            find_piece(server, &plan->ops[o]);
}

static bool make_optimizers(struct dts_live_server *server, struct dts_error *err)
{
    const struct dts_live_kernels *kernels = server->rank.context;
    const struct dts_scenario *s = kernels->point->scenario;
    char what[80];
    snprintf(what, sizeof(what), "live.compute: kernels: %s: server %d",
             kernels->point->strategy->name, server->rank.rank - kernels->point->devices);
    for (int b = 0; b < server->piece_count; b++) {
        struct piece *piece = &server->pieces[b];
        if (piece->count > 0 &&
            !dts_optimizer_make_part(&piece->optimizer, &s->model, s->optimizer, piece->first,
                                     piece->count, what, err))
            return false;
    }
    return true;
}

bool dts_live_server_open(const struct dts_executor_rank *rank, struct dts_live_server **out,
                          struct dts_error *err)
{
    const struct dts_live_kernels *kernels = rank->context;
    const struct dts_scenario *s = kernels->point->scenario;
    struct dts_live_server *server = dts_alloc(1, sizeof(*server));
    server->rank = *rank;
    server->workers = dts_workers_new(kernels->settings->threads);
    find_pieces(server);
    if (!make_optimizers(server, err)) {
        dts_live_server_close(server);
        return false;
    }
    dts_first_weights(&s->model, s->seed, rank->buffers[DTS_WEIGHTS]);
    *out = server;
    return true;
}

bool dts_live_server_keeps_weights(const struct dts_live_server *server)
{
    const struct dts_live_kernels *kernels = server->rank.context;
    enum dts_half half;
    return dts_precision_is_half(kernels->point->scenario->precision, &half);
}

void dts_live_server_close(struct dts_live_server *server)
{
    if (server == NULL)
        return;
    for (int b = 0; b < server->piece_count; b++)
        dts_optimizer_free(server->pieces[b].optimizer);
    dts_workers_free(server->workers);
    free(server->pieces);
    free(server);
}

void dts_live_server_update(struct dts_live_server *server, int bucket, long step)
{
    const struct piece *piece = &server->pieces[bucket];
    struct dts_optimizer_run *optimizer = piece->optimizer;
    if (optimizer == NULL)
        return;
    dts_live_noise_served(server->rank.context, step,
                          server->rank.buffers[DTS_GRADIENTS] + piece->first, piece->count);
    const struct dts_update_settings settings =
        dts_live_settings(&server->rank, optimizer, step);
    dts_optimizer_step(optimizer, &settings, server->rank.buffers[DTS_WEIGHTS],
                       server->rank.buffers[DTS_GRADIENTS], server->workers);
}

/* To or from `values`, unless it is NULL; returns where the next goes. */
static size_t copy_state(float *values, size_t at, float *state, size_t count, bool take)
{
    if (values != NULL)
        memcpy(take ? state : values + at, take ? values + at : state, count * sizeof(float));
    return at + count;
}

size_t dts_live_server_state(struct dts_live_server *server, float *values, bool take)
{
    size_t all = 0;
    for (int b = 0; b < server->piece_count; b++) {
        const struct piece *piece = &server->pieces[b];
        size_t count;
        if (piece->optimizer == NULL)
            continue;
        float *state = dts_optimizer_state(piece->optimizer, &count);
        all = copy_state(values, all, state, count, take);
        if (dts_live_server_keeps_weights(server))
            all = copy_state(values, all, server->rank.buffers[DTS_WEIGHTS] + piece->first,
                             piece->count, take);
    }
    return all;
}

double dts_live_rate(const struct dts_live_kernels *kernels, long step)
{
    const struct dts_live_settings *settings = kernels->settings;
    return dts_live_base_rate(settings, (double)kernels->order.step_samples) *
           dts_schedule_at(&settings->schedule, step, kernels->epoch_steps, kernels->steps);
}

struct dts_update_settings dts_live_settings(const struct dts_executor_rank *rank,
                                             const struct dts_optimizer_run *optimizer,
                                             long step)
{
    const struct dts_live_kernels *kernels = rank->context;
    struct dts_update_settings settings = *dts_optimizer_usual(optimizer);
    settings.rate = dts_live_rate(kernels, step);
    settings.step = step + 1 - kernels->scale.left_out;
    return settings;
}
