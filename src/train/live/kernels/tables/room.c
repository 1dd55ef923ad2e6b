/* room.c -- the rows of steps to come, message by message. */
#include "train/live/kernels/tables/room.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "train/live/kernels/tables/gathered.h"
#include "train/live/kernels/tables/lists.h"
#include "train/live/kernels/tables/served.h"
#include "train/live/kernels/tables/words.h"

/* A message of this worker. */
struct message {
    int layer;
    size_t first, end; // rows of its table that it may have,
    size_t room;       // how many it has room for,
    size_t most;       // and has at the most
    double share;      // of all messages of the table
    int together;      // workers whose rows it has
};

struct messages {
    struct message *all; // owned
    int count;
    size_t room;
};

static void add(struct messages *messages, const struct message *message)
{
    messages->all = dts_grow(messages->all, &messages->room, (size_t)messages->count + 1,
                             sizeof(*messages->all));
    messages->all[messages->count++] = *message;
}

/* To servers. */
static void add_pushes(const struct dts_live_kernels *k, const struct dts_op *op,
                       struct messages *messages)
{
    const struct dts_live_served *s = k->served;
    struct dts_message *pushes =
        dts_alloc((size_t)op->exchange.peer_count + 1, sizeof(*pushes));
    const int count = dts_exchange_messages(k->rank.role, &op->exchange, k->rank.rank, pushes);
    for (int i = 0; i < count; i++) {
        const struct dts_span *span = &pushes[i].data;
        const struct dts_live_rows_part part = dts_live_served_part(s, span);
        add(messages, &(struct message){
                          .layer = part.table->layer,
                          .first = part.first,
                          .end = part.first + part.count,
                          .room = span->count / part.table->row.all,
                          .share = (double)span->count / (double)part.table->count,
                          .together = s->together,
                      });
    }
    free(pushes);
}

/* To the other workers of the node. */
static void add_in_node(const struct dts_live_kernels *k, const struct dts_op *op,
                        struct messages *messages)
{
    const struct dts_live_rows_part part =
        dts_live_served_bucket(k->served, &k->rank.role->plan, op->bucket);
    add(messages, &(struct message){
                      .layer = part.table->layer,
                      .first = part.first,
                      .end = part.first + part.count,
                      .room = dts_live_gathered_room(&op->collective) / part.table->row.all,
                      .share = (double)part.count / (double)part.table->rows,
                      .together = 1,
                  });
}

/* To all others, of the whole table. */
static void add_gathered(const struct dts_live_kernels *k, const struct dts_op *op, int layer,
                         struct messages *messages)
{
    const struct dts_layer *table = &k->point->scenario->model.layers[layer];
    const size_t row = dts_live_row_of(dts_layer_table(table)->sparse_row, k->index_bytes).all;
    add(messages, &(struct message){
                      .layer = layer,
                      .end = (size_t)dts_table_height(table),
                      .room = dts_live_gathered_room(&op->collective) / row,
                      .share = 1,
                      .together = 1,
                  });
}

static void find(const struct dts_live_kernels *k, struct messages *messages)
{
    const struct dts_plan *plan = &k->rank.role->plan;
    for (int o = 0; o < plan->op_count; o++) {
        const struct dts_op *op = &plan->ops[o];
        const int layer = dts_live_lists_layer(k, op);
        const bool served = dts_live_served_has(k->served, op);
        if (layer >= 0)
            add_gathered(k, op, layer, messages);
        else if (served && op->kind == DTS_OP_EXCHANGE && op->exchange.send)
            add_pushes(k, op, messages);
        else if (served && op->kind == DTS_OP_COLLECTIVE &&
                 op->collective.shape.kind == DTS_ALLGATHER)
            add_in_node(k, op, messages);
    }
}

/* Whatever the samples are: a step names no more rows than words, nor than there are. */
static bool always_fits(const struct dts_live_kernels *k, const struct messages *messages)
{
    const struct dts_model *model = &k->point->scenario->model;
    for (int i = 0; i < messages->count; i++) {
        const struct message *m = &messages->all[i];
        const double words = (double)k->point->batch * k->point->microbatches *
                             dts_table_words(&model->layers[m->layer]) * m->together;
        if ((double)m->room < words && m->room < m->end - m->first)
            return false;
    }
    return true;
}

/* The most rows of any step, also of the one behind the last: what the last pull brings. */
static void count_rows(struct dts_live_kernels *k, struct messages *messages)
{
    const int layers = k->point->scenario->model.layer_count;
    const int together = k->served != NULL ? k->served->together : 1;
    struct dts_live_words *own = dts_alloc((size_t)layers, sizeof(*own));
    struct dts_live_words *all = dts_alloc((size_t)layers, sizeof(*all));
    const bool leads = k->rank.rank % together == 0;
    for (long step = 0; step <= k->steps; step++) {
        dts_live_words_of(k, k->rank.rank, 1, step, own);
        if (leads && together > 1)
            dts_live_words_of(k, k->rank.rank, together, step, all);
        for (int i = 0; i < messages->count; i++) {
            struct message *m = &messages->all[i];
            const size_t rows = dts_live_words_among(&(m->together > 1 ? all : own)[m->layer],
                                                     m->first, m->end);
            m->most = rows > m->most ? rows : m->most;
        }
    }
    dts_live_words_free(own, layers);
    dts_live_words_free(all, layers);
}

/* The density with which a message would have room, as the rule counts the rows of workers
 * together; rounded up. */
static double density_for(const struct dts_live_kernels *k, const struct message *m)
{
    const double rows = dts_table_height(&k->point->scenario->model.layers[m->layer]);
    const double all = (double)m->most / m->share / rows;
    const double density = all < 1 ? 1 - pow(1 - all, 1.0 / m->together) : all;
    const double digits = pow(10, 3 - floor(log10(density)));
    return ceil(density * digits * (1 - 1e-12)) / digits;
}

static bool refuse(const struct dts_live_kernels *k, const struct message *m,
                   struct dts_error *err)
{
    const double density = density_for(k, m);
    char remedy[64] = "servers must be fewer, or part_bytes larger";
    if (density <= 1)
        snprintf(remedy, sizeof(remedy), "density must be >= %.4g", density);
    return dts_fail(err, DTS_BAD_INPUT,
                    "live.compute: kernels: %s: a message has room for %zu rows of %s, and a "
                    "step touches %zu of them: %s",
                    k->point->strategy->name, m->room,
                    k->point->scenario->model.layers[m->layer].name, m->most, remedy);
}

bool dts_live_room_check(struct dts_live_kernels *k, struct dts_error *err)
{
    struct messages messages = {0};
    bool good = true;
    find(k, &messages);
    if (!always_fits(k, &messages))
        count_rows(k, &messages);
    for (int i = 0; good && i < messages.count; i++)
        good = messages.all[i].most <= messages.all[i].room || refuse(k, &messages.all[i], err);
    free(messages.all);
    return good;
}
