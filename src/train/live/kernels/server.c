/* server.c -- the weights of a server, bucket by bucket.
 *
 * The plan's two buffers are as long as the model, laid out as the network's weights, and a
 * server uses of them what is its own: the span of each bucket that it receives. Weights begin
 * by the seed, as those of the workers do, so nothing is sent before the first step.
 *
 * Rows of tables (tables/served.h) are apart: weights of the whole model, of which the server
 * keeps the rows of its pieces.
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
#include "train/live/kernels/tables/piece.h"
#include "train/live/kernels/tables/rest.h"
#include "train/network/first_weights.h"
#include "train/strategy/build.h"

/* Its part of one bucket. */
struct piece {
    struct dts_span span;
    struct dts_optimizer_run *optimizer; // owned; NULL: this server has nothing of the bucket
    struct dts_live_piece rows;          // part.table NULL: it is of what travels whole
    long stale; // updates by which the gradient of the next one is late
};

struct dts_live_server {
    struct dts_executor_rank rank;
    struct dts_workers *workers; // owned
    struct piece *pieces;        // by bucket; owned
    int piece_count;
    float *weights; // of the whole model, where it keeps rows of tables; owned; or NULL
};

/* What every worker sends: the first one's stands for all. */
static void find_piece(struct dts_live_server *server, const struct dts_op *op)
{
    const struct dts_exchange *push = &op->exchange;
    struct dts_message *messages = dts_alloc((size_t)push->peer_count, sizeof(*messages));
    if (dts_exchange_messages(server->rank.role, push, server->rank.rank, messages) > 0)
        server->pieces[op->bucket].span = messages[0].data;
    free(messages);
    const struct dts_live_kernels *kernels = server->rank.context;
    struct piece *piece = &server->pieces[op->bucket];
    if (piece->span.count > 0 && dts_live_served_has(kernels->served, op))
        piece->rows =
            (struct dts_live_piece){.part = dts_live_served_part(kernels->served, &piece->span),
                                    .floats = piece->span.count};
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

static bool make_optimizer(struct dts_live_server *server, struct piece *piece,
                           const char *what, struct dts_error *err)
{
    const struct dts_live_kernels *kernels = server->rank.context;
    const struct dts_scenario *s = kernels->point->scenario;
    const struct dts_live_rows_part *rows = &piece->rows.part;
    const struct dts_optimizer_part part = {piece->span.first, piece->span.count, what};
    if (rows->table != NULL)
        return dts_optimizer_make_part(&piece->optimizer, &s->model, s->optimizer,
                                       rows->table->offset + rows->first * rows->table->width,
                                       rows->count * rows->table->width, what, err);
    if (kernels->served != NULL)
        return dts_live_rest_part(kernels, &part, &piece->optimizer, err);
    return dts_optimizer_make_part(&piece->optimizer, &s->model, s->optimizer, part.first,
                                   part.count, what, err);
}

static bool make_optimizers(struct dts_live_server *server, struct dts_error *err)
{
    const struct dts_live_kernels *kernels = server->rank.context;
    char what[80];
    snprintf(what, sizeof(what), "live.compute: kernels: %s: server %d",
             kernels->point->strategy->name, server->rank.rank - kernels->point->devices);
    for (int b = 0; b < server->piece_count; b++)
        if (server->pieces[b].span.count > 0 &&
            !make_optimizer(server, &server->pieces[b], what, err))
            return false;
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
    if (kernels->served != NULL)
        server->weights = dts_alloc((size_t)s->model.parameters, sizeof(*server->weights));
    dts_first_weights(&s->model, s->seed, dts_live_server_weights(server));
    dts_live_server_begin(server);
    *out = server;
    return true;
}

float *dts_live_server_weights(struct dts_live_server *server)
{
    return server->weights != NULL ? server->weights : server->rank.buffers[DTS_WEIGHTS];
}

void dts_live_server_begin(struct dts_live_server *server)
{
    const struct dts_live_kernels *kernels = server->rank.context;
    const struct dts_span all = {DTS_WEIGHTS, 0,
                                 server->rank.role->plan.buffers[DTS_WEIGHTS].count};
    if (server->weights != NULL)
        dts_live_served_copy(kernels->served, &all, server->rank.buffers[DTS_WEIGHTS],
                             server->weights, true);
}

void dts_live_server_rows(const struct dts_live_server *server,
                          const struct dts_live_table *table, float *rows)
{
    for (int b = 0; b < server->piece_count; b++) {
        const struct dts_live_rows_part *part = &server->pieces[b].rows.part;
        const size_t first = part->first * table->width;
        if (part->table == table)
            memcpy(rows + first, server->weights + table->offset + first,
                   part->count * table->width * sizeof(*rows));
    }
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
    for (int b = 0; b < server->piece_count; b++) {
        dts_optimizer_free(server->pieces[b].optimizer);
        dts_live_piece_free(&server->pieces[b].rows);
    }
    dts_workers_free(server->workers);
    free(server->pieces);
    free(server->weights);
    free(server);
}

void dts_live_server_late(struct dts_live_server *server, int bucket, long stale)
{
    server->pieces[bucket].stale = stale;
}

void dts_live_server_update(struct dts_live_server *server, int bucket, long step)
{
    struct piece *piece = &server->pieces[bucket];
    struct dts_optimizer_run *optimizer = piece->optimizer;
    if (optimizer == NULL)
        return;
    struct dts_update_settings settings = dts_live_settings(&server->rank, optimizer, step);
    settings.momentum =
        dts_serve_momentum(&server->rank.role->serve, settings.momentum, piece->stale);
    if (piece->rows.part.table != NULL) {
        dts_optimizer_rows(optimizer, &settings, server->weights, piece->rows.part.table->layer,
                           &piece->rows.sum, server->workers);
        return;
    }
    dts_live_noise_served(server->rank.context, step,
                          server->rank.buffers[DTS_GRADIENTS] + piece->span.first,
                          piece->span.count);
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
            all = copy_state(values, all, server->rank.buffers[DTS_WEIGHTS] + piece->span.first,
                             piece->span.count, take);
    }
    return all;
}

static struct dts_live_server *server_of(void *self)
{
    return ((struct dts_live_kernels *)self)->server;
}

static bool has_rows(void *self, const struct dts_op *op)
{
    const struct dts_live_kernels *kernels = self;
    return kernels->server != NULL && dts_live_served_has(kernels->served, op);
}

static void take_rows(void *self, const struct dts_op *op, const float *arrived, float factor,
                      bool first)
{
    dts_live_piece_take(&server_of(self)->pieces[op->bucket].rows, arrived, factor, first);
}

static void scale_rows(void *self, const struct dts_op *op, float factor)
{
    dts_sparse_scale(&server_of(self)->pieces[op->bucket].rows.sum, factor, NULL);
}

static void give_rows(void *self, const struct dts_op *op, int peer, int step, float *leaving)
{
    const struct dts_live_kernels *kernels = self;
    dts_live_piece_give(&kernels->server->pieces[op->bucket].rows, kernels->served,
                        kernels->server->weights, peer, step, leaving);
}

const struct dts_executor_lists dts_live_server_lists = {
    .has = has_rows,
    .take = take_rows,
    .scale = scale_rows,
    .give = give_rows,
};

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
