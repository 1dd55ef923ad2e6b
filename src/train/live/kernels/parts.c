/* parts.c -- networks over the arrays of a rank, and their updates. */
#include "train/live/kernels/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/pages.h"
#include "train/live/kernels/made.h"
#include "train/live/kernels/mirrors.h"
#include "train/live/kernels/rows.h"
#include "train/live/kernels/shares.h"
#include "train/live/kernels/synchrony.h"
#include "train/live/kernels/tables/columns.h"
#include "train/live/kernels/tables/rest.h"
#include "train/strategy/build.h"

/* The rank's part of the layers, or all of them. */
static const struct dts_model *model_of(const struct dts_live_kernels *k)
{
    const struct dts_model *part = k->parts->seat.model;
    return part != NULL ? part : &k->point->scenario->model;
}

static bool make_network(struct dts_live_kernels *k, int number, bool lists,
                         struct dts_error *err)
{
    const struct dts_scenario *s = k->point->scenario;
    const struct dts_seat *seat = &k->parts->seat;
    const struct dts_seat_part *part = &seat->parts[number];
    struct dts_network_options options = {.batch = k->point->batch,
                                          .threads = k->settings->threads,
                                          .space = k->space,
                                          .slots = part->slots,
                                          .again = part->again,
                                          .again_count = part->again_count,
                                          .sparse = lists,
                                          .sparse_but = k->whole_tables,
                                          .seed = (uint64_t)s->seed,
                                          .precision = s->precision};
    if (!seat->whole)
        options.range = (struct dts_layer_range){part->first, part->last - part->first + 1};
    return dts_network_make(&k->parts->networks[number], model_of(k), &options, err);
}

/* The plan's gradients are laid out as the networks' are; another layout would train wrongly.
 */
static bool find_layout(struct dts_live_kernels *k, struct dts_error *err)
{
    struct dts_live_parts *parts = k->parts;
    const struct dts_plan *plan = &k->rank.role->plan;
    parts->layout.model = model_of(k);
    for (int i = parts->seat.part_count - 1; i >= 0; i--) {
        const struct dts_seat_part *part = &parts->seat.parts[i];
        dts_layout_add(&parts->layout,
                       &(struct dts_layer_range){part->first, part->last - part->first + 1});
    }
    return parts->layout.parameters == plan->buffers[DTS_GRADIENTS].count ||
           dts_fail(err, DTS_UNSUPPORTED,
                    "live.compute: kernels: %s: several layers of a stage share the weight of "
                    "another stage",
                    k->point->strategy->name);
}

static bool get_weights(struct dts_live_kernels *k, struct dts_error *err)
{
    struct dts_live_parts *parts = k->parts;
    const size_t bytes = parts->layout.parameters * sizeof(float);
    parts->weights = k->rank.buffers[DTS_WEIGHTS];
    if (k->rank.role->plan.buffers[DTS_WEIGHTS].count > 0)
        return true;
    parts->weights_room = dts_whole_pages(bytes);
    parts->weights = parts->weights_room;
    return parts->weights != NULL ||
           dts_fail(err, DTS_SYSTEM, "no memory for %.1f GB of weights", 1e-9 * (double)bytes);
}

/* What goes over a cut lies in the plan's buffers, where a gradient that nobody needs is sent,
 * too: zeros. */
static bool bind_edges(struct dts_live_kernels *k, int number, struct dts_error *err)
{
    struct dts_network *network = k->parts->networks[number];
    const struct dts_seat_part *part = &k->parts->seat.parts[number];
    for (int e = 0; e < DTS_NETWORK_EDGES; e++) {
        const struct dts_buffer *buffer = &k->rank.role->plan.buffers[part->edges + e];
        const size_t each = buffer->count / (size_t)part->slots;
        for (int slot = 0; slot < part->slots; slot++) {
            const struct dts_mirror *edge =
                dts_network_edge(network, (enum dts_network_edge)e, slot);
            if (edge == NULL)
                continue;
            if (edge->bytes != each * sizeof(float))
                return dts_fail(err, DTS_UNSUPPORTED,
                                "live.compute: kernels: %s: cannot be cut before layer %s",
                                k->point->strategy->name,
                                k->point->scenario->model.layers[part->first].name);
            dts_network_bind(network, (enum dts_network_edge)e, slot,
                             k->rank.buffers[part->edges + e] + (size_t)slot * each);
        }
    }
    return true;
}

static bool lay_out(struct dts_live_kernels *k, struct dts_error *err)
{
    struct dts_live_parts *parts = k->parts;
    for (int i = parts->seat.part_count - 1; i >= 0; i--) {
        dts_network_lie_among(parts->networks[i], &parts->layout, parts->weights,
                              k->rank.buffers[DTS_GRADIENTS]);
        if (!bind_edges(k, i, err))
            return false;
    }
    return true;
}

static bool add_optimizer(struct dts_live_kernels *k, const struct dts_optimizer_part *part,
                          struct dts_error *err)
{
    struct dts_live_parts *parts = k->parts;
    return dts_optimizer_make_of(&parts->optimizers[parts->optimizer_count], &parts->layout,
                                 k->point->scenario->optimizer, k->space, part, err) &&
           ++parts->optimizer_count > 0;
}

/* One for each share; a rank that updates nothing has one, too, of nothing. */
static bool make_optimizers(struct dts_live_kernels *k, struct dts_error *err)
{
    struct dts_live_parts *parts = k->parts;
    char what[80];
    snprintf(what, sizeof(what), "live.compute: kernels: %.24s: rank %d",
             k->point->strategy->name, k->rank.rank);
    parts->optimizers = dts_alloc((size_t)parts->share_count + 1, sizeof(*parts->optimizers));
    if (parts->share_count == 0)
        return add_optimizer(k, &(struct dts_optimizer_part){0, SIZE_MAX, what}, err);
    for (int i = 0; i < parts->share_count; i++) {
        const struct dts_optimizer_part part = {parts->shares[i].first, parts->shares[i].count,
                                                what};
        if (!add_optimizer(k, &part, err))
            return false;
    }
    return true;
}

/* A rank that has all. */
static bool open_whole(struct dts_live_kernels *k, struct dts_error *err)
{
    struct dts_live_parts *parts = k->parts;
    if (!dts_live_synchrony_open(k, err) || !dts_live_mirrors_open(k, err))
        return false;
    if (k->point->strategy->kind->updates_on_servers)
        return true;
    parts->optimizers = dts_alloc(1, sizeof(*parts->optimizers));
    parts->optimizer_count = k->served != NULL || k->columns != NULL
                                 ? dts_live_rest_optimizer(k, &parts->optimizers[0], err)
                                 : dts_live_synchrony_optimizer(k, &parts->optimizers[0], err);
    return parts->optimizer_count > 0;
}

/* For a loss over a part of the classes. */
static void get_class_sums(struct dts_live_kernels *k)
{
    const struct dts_seat *seat = &k->parts->seat;
    for (int l = 0; seat->members > 1 && l < seat->model->layer_count; l++) {
        const struct dts_layer_part *part = seat->model->layers[l].part;
        if (part->all == 0 || part->call.table > 0 || k->parts->class_sums != NULL)
            continue;
        k->parts->class_sums = dts_alloc(3 * (size_t)seat->members * (size_t)k->point->batch *
                                             dts_dims_positions(&part->call.inputs[0]),
                                         sizeof(double));
    }
}

static bool open_divided(struct dts_live_kernels *k, struct dts_error *err)
{
    get_class_sums(k);
    return find_layout(k, err) && get_weights(k, err) && lay_out(k, err) &&
           dts_live_synchrony_open(k, err) && dts_live_shares_find(k, err) &&
           dts_live_made_open(k, err) && dts_live_rows_open(k, err) && make_optimizers(k, err);
}

bool dts_live_parts_open(struct dts_live_kernels *k, bool lists, struct dts_error *err)
{
    struct dts_live_parts *parts = k->parts = dts_alloc(1, sizeof(*parts));
    if (!dts_seat_find(k->point, k->rank.rank, &parts->seat, err))
        return false;
    parts->networks = dts_alloc((size_t)parts->seat.part_count, sizeof(struct dts_network *));
    for (int i = 0; i < parts->seat.part_count; i++)
        if (!make_network(k, i, lists && parts->seat.whole, err))
            return false;
    k->network = parts->networks[0];
    return parts->seat.whole ? open_whole(k, err) : open_divided(k, err);
}

void dts_live_parts_close(struct dts_live_parts *parts)
{
    if (parts == NULL)
        return;
    for (int i = 0; i < parts->optimizer_count; i++)
        dts_optimizer_free(parts->optimizers[i]);
    for (int i = 0; parts->networks != NULL && i < parts->seat.part_count; i++)
        dts_network_free(parts->networks[i]);
    dts_network_free(parts->evaluator);
    dts_layout_free(&parts->layout);
    dts_seat_free(&parts->seat);
    free(parts->networks);
    free(parts->optimizers);
    free(parts->shares);
    free(parts->summed);
    free(parts->class_sums);
    free(parts->rows);
    free(parts->positions);
    free(parts->weights_room);
    free(parts);
}

void dts_live_parts_update(struct dts_live_kernels *k,
                           const struct dts_update_settings *settings, float factor)
{
    struct dts_live_parts *parts = k->parts;
    if (parts->seat.whole) {
        dts_network_update(k->network, parts->optimizers[0], settings, factor);
        dts_live_columns_update(k, settings);
        return;
    }
    for (int i = 0; i < parts->optimizer_count; i++)
        dts_optimizer_step(parts->optimizers[i], settings, parts->weights,
                           k->rank.buffers[DTS_GRADIENTS], dts_network_workers(k->network));
}
