/* checkpoint.c -- gathers the state of all ranks, and deals it out again.
 *
 * Three or four parts: weights, running statistics, what an optimizer keeps (rank 0's, which
 * all workers have alike, and each server's, rank after rank), and in fp16 the loss scale.
 * Where ranks have parts of the network, what all have together is what one rank would have.
 * Servers whose weights have more digits than those of the workers keep them with the
 * optimizer's state.
 */
#include "train/live/kernels/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "train/live/kernels/identity.h"
#include "train/live/kernels/server.h"
#include "train/live/kernels/whole.h"
#include "train/network/checkpoint.h"
#include "train/strategy/build.h"

/* What this rank alone knows, in one piece. */
struct own {
    float *values; // owned where
    bool copied;   // this says so: a server's
    size_t count;
};

static struct own own_of(const struct dts_live_kernels *k)
{
    struct own own = {0};
    if (k->server != NULL) {
        own.count = dts_live_server_state(k->server, NULL, false);
        own.values = dts_alloc(own.count, sizeof(float));
        own.copied = true;
        dts_live_server_state(k->server, own.values, false);
    } else if (k->parts->optimizer_count > 0 && k->rank.rank == 0) {
        own.values = dts_optimizer_state(k->parts->optimizers[0], &own.count);
    }
    return own;
}

static void forget_own(struct own *own)
{
    if (own->copied)
        free(own->values);
}

/* What all ranks have of their own; NULL but on rank 0, which frees it. */
static float *room_for_all(const struct own *own, const struct dts_wire *wire, size_t *count)
{
    const int ranks = dts_wire_size(wire);
    const double mine = (double)own->count;
    double *counts = dts_alloc((size_t)ranks, sizeof(*counts));
    dts_wire_gather(wire, &mine, 1, counts);
    *count = 0;
    for (int r = 0; r < ranks; r++)
        *count += (size_t)counts[r];
    free(counts);
    return dts_wire_rank(wire) == 0 ? dts_alloc(*count, sizeof(float)) : NULL;
}

/* What a file holds of a training. */
struct held {
    float *weights;
    void *states;
    float *kept; // by optimizers
    size_t state_bytes, kept_count;
};

/* Rank 0's, and what it has collected. */
static struct held held_by_first(const struct dts_live_kernels *k, float *kept, size_t count)
{
    struct held held = {.weights = dts_network_weights(k->network)};
    held.states = dts_network_states(k->network, &held.state_bytes);
    held.kept = kept;
    held.kept_count = count;
    return held;
}

/* Of ranks that have parts; to be freed. */
static struct held held_by_all(const struct dts_live_kernels *k)
{
    struct held held = {.weights = dts_live_whole_weights(k)};
    held.states = dts_live_whole_states(k, &held.state_bytes);
    held.kept = dts_live_whole_optimizer(k, &held.kept_count);
    return held;
}

static void free_held(struct held *held)
{
    free(held->weights);
    free(held->states);
    free(held->kept);
}

/* Rank 0's view of a checkpoint. */
static struct dts_checkpoint checkpoint_of(struct dts_live_kernels *k, const char *identity,
                                           long step, const struct held *held)
{
    const size_t parameters = (size_t)k->point->scenario->model.parameters;
    const bool scaled = k->point->scenario->precision == DTS_FP16;
    return (struct dts_checkpoint){
        .identity = identity,
        .step = (uint64_t)step,
        .parts = {{held->weights, parameters * sizeof(float)},
                  {held->states, held->state_bytes},
                  {held->kept, held->kept_count * sizeof(float)},
                  {&k->scale, scaled ? sizeof(k->scale) : 0}},
        .part_count = scaled ? 4 : 3,
    };
}

static void read_file(struct dts_live_kernels *k, const struct held *held, long *step,
                      bool *there, struct dts_error *err)
{
    struct dts_text identity = {0};
    dts_live_identity(k, &identity);
    struct dts_checkpoint c = checkpoint_of(k, dts_text_string(&identity), 0, held);
    const char *path = k->settings->checkpoint.file;
    if (dts_checkpoint_read(&c, path, there, err) && *there) {
        *step = (long)c.step;
        if (*step < 0 || *step > k->steps)
            dts_fail(err, DTS_BAD_INPUT,
                     "%s: the checkpoint is after %ld steps, and this training has %ld", path,
                     *step, k->steps);
    }
    dts_text_free(&identity);
}

bool dts_live_files_fit(const struct dts_live_kernels *k, struct dts_error *err)
{
    const struct dts_scenario *scenario = k->point->scenario;
    const struct {
        const char *key, *path;
    } files[] = {{"live.checkpoint", k->settings->checkpoint.file},
                 {"live.mllog", k->settings->mllog},
                 {"live.weights", k->settings->weights}};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (scenario->strategy_count > 1 && files[i].path != NULL &&
            strcmp(files[i].path, "-") != 0)
            return dts_doc_fail(scenario->doc, files[i].key, DTS_BAD_INPUT, err,
                                "is for a scenario with one strategy, this has %d",
                                scenario->strategy_count);
    return true;
}

static void write_file(struct dts_live_kernels *k, const struct held *held, long step,
                       struct dts_error *err)
{
    struct dts_text identity = {0};
    dts_live_identity(k, &identity);
    const struct dts_checkpoint c = checkpoint_of(k, dts_text_string(&identity), step, held);
    dts_checkpoint_write(&c, k->settings->checkpoint.file, err);
    dts_text_free(&identity);
}

/* Ranks that have parts: all get the whole for a moment, and take what they have of it. */
static bool read_divided(struct dts_live_kernels *k, const struct dts_wire *wire, long *step,
                         struct dts_error *err)
{
    struct held held = held_by_all(k);
    bool there = false;
    if (dts_wire_rank(wire) == 0)
        read_file(k, &held, step, &there, err);
    const bool good = dts_wire_agree(wire, err);
    dts_wire_share(wire, &there, sizeof(there));
    if (good && there) {
        dts_wire_share(wire, step, sizeof(*step));
        dts_wire_share(wire, held.weights,
                       (size_t)k->point->scenario->model.parameters * sizeof(float));
        dts_wire_share(wire, held.states, held.state_bytes);
        dts_wire_share(wire, held.kept, held.kept_count * sizeof(float));
        dts_live_take_weights(k, held.weights);
        dts_live_take_states(k, held.states);
        dts_live_take_optimizer(k, held.kept);
    }
    free_held(&held);
    return good;
}

static bool write_divided(struct dts_live_kernels *k, const struct dts_wire *wire, long step,
                          struct dts_error *err)
{
    struct held held = held_by_all(k);
    if (dts_wire_rank(wire) == 0)
        write_file(k, &held, step, err);
    free_held(&held);
    return dts_wire_agree(wire, err);
}

/* Workers whose optimizers keep something have what rank 0 has; a server only listens. */
static void share_kept(const struct dts_live_kernels *k, const struct dts_wire *wire)
{
    float *state = NULL, *ignored = NULL;
    size_t count = 0;
    if (k->parts != NULL && k->parts->optimizer_count > 0)
        state = dts_optimizer_state(k->parts->optimizers[0], &count);
    dts_wire_share(wire, &count, sizeof(count));
    if (state == NULL)
        state = ignored = dts_alloc(count + 1, sizeof(*state));
    dts_wire_share(wire, state, count * sizeof(*state));
    free(ignored);
}

bool dts_live_checkpoint_read(struct dts_live_kernels *k, const struct dts_wire *wire,
                              long *step, struct dts_error *err)
{
    bool there = false;
    *step = 0;
    if (k->settings->checkpoint.file == NULL)
        return true;
    if (dts_live_divided(k))
        return read_divided(k, wire, step, err);
    struct own own = own_of(k);
    size_t count;
    float *all = room_for_all(&own, wire, &count);
    if (dts_wire_rank(wire) == 0) {
        const struct held held = held_by_first(k, all, count);
        read_file(k, &held, step, &there, err);
    }
    const bool good = dts_wire_agree(wire, err);
    dts_wire_share(wire, &there, sizeof(there));
    if (good && there) {
        dts_wire_share(wire, step, sizeof(*step));
        dts_wire_share(wire, &k->scale, sizeof(k->scale));
        dts_wire_deal(wire, all, own.values, own.count * sizeof(float));
        if (k->server != NULL)
            dts_live_server_state(k->server, own.values, true);
        share_kept(k, wire);
    }
    forget_own(&own);
    free(all);
    return good;
}

bool dts_live_checkpoint_write(struct dts_live_kernels *k, const struct dts_wire *wire,
                               long step, struct dts_error *err)
{
    if (dts_live_divided(k))
        return write_divided(k, wire, step, err);
    struct own own = own_of(k);
    size_t count;
    float *all = room_for_all(&own, wire, &count);
    dts_wire_collect(wire, own.values, own.count * sizeof(float), all);
    if (dts_wire_rank(wire) == 0) {
        const struct held held = held_by_first(k, all, count);
        write_file(k, &held, step, err);
    }
    forget_own(&own);
    free(all);
    return dts_wire_agree(wire, err);
}

long dts_live_checkpoint_next(const struct dts_live_kernels *k, long step)
{
    const struct dts_live_checkpoint *c = &k->settings->checkpoint;
    const long by_epochs = c->every_epochs * k->epoch_steps, by_steps = c->every_steps;
    long next = k->steps;
    if (c->file == NULL)
        return next;
    if (by_steps > 0 && (step / by_steps + 1) * by_steps < next)
        next = (step / by_steps + 1) * by_steps;
    if (k->settings->epochs > 0 && (step / by_epochs + 1) * by_epochs < next)
        next = (step / by_epochs + 1) * by_epochs;
    return next;
}

bool dts_live_checkpoint_due(const struct dts_live_kernels *k, long step)
{
    return k->settings->checkpoint.file != NULL &&
           dts_live_checkpoint_next(k, step - 1) == step;
}
