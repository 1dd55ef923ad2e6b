/* whole.c -- what a device has whole while a round computes, of what ranks divide otherwise:
 * the weights of the round and of those that are gathered ahead, and its gradient until it is
 * scattered. PyTorch's FSDP documents the same three for its prefetching backward pass.
 */
#include "train/strategy/mesh/whole.h"

#include "train/strategy/mesh/stage_private.h"

/* The first and the last layer of a part that a pass goes through with this one. */
static struct dts_part_of_model unit_of(const struct dts_mesh_division *d,
                                        const struct dts_part_of_model *part, int layer)
{
    struct dts_part_of_model unit = {.first = layer, .last = layer};
    while (unit.first > part->first && d->again[unit.first - 1].unit == d->again[layer].unit)
        unit.first--;
    while (unit.last < part->last && d->again[unit.last + 1].unit == d->again[layer].unit)
        unit.last++;
    return unit;
}

/* The parameters of these layers that more than one rank divides, or all: those of the host. */
static double divided(const struct dts_point *point, const struct dts_mesh_division *d,
                      int number, const struct dts_part_of_model *layers, bool all)
{
    double parameters = 0;
    for (int experts = 0; experts < 2; experts++) {
        const enum dts_mesh_among shards =
            experts == 1 ? DTS_AMONG_EXPERT_SHARDS : DTS_AMONG_SHARDS;
        if (all || dts_mesh_group(&d->shape, shards).size > 1)
            parameters += dts_mesh_parameters(point, d, number, layers, experts == 1);
    }
    return parameters;
}

static int owner_of(const struct dts_model *m, int layer)
{
    const struct dts_layer *l = &m->layers[layer];
    return l->shares >= 0 ? l->shares : l->tied_to;
}

/* Parameters that layers of a part use and others of the part, outside of a range, own: as a
 * head has the table of the embedding. Each counts once. */
static double borrowed(const struct dts_point *point, const struct dts_mesh_division *d,
                       const struct dts_part_of_model *part, int first, int last,
                       const struct dts_part_of_model *range)
{
    const struct dts_model *m = &point->scenario->model;
    double parameters = 0;
    for (int l = first; l <= last; l++) {
        const int owner = owner_of(m, l);
        bool counts = owner >= part->first && (owner < range->first || owner > range->last);
        for (int before = first; before < l && counts; before++)
            counts = owner_of(m, before) != owner;
        const int count =
            counts ? m->layers[l].shares >= 0 ? m->layers[owner].param_count : 1 : 0;
        for (int p = 0; p < count; p++)
            parameters += (double)d->cut.layers[owner].params[p];
    }
    return parameters;
}

double dts_mesh_gathered(const struct dts_point *point, const struct dts_mesh_division *d,
                         int number, const struct dts_part_of_model *layers)
{
    const struct dts_mesh *mesh = point->strategy->self;
    if (mesh->sharded != DTS_SHARDED_PARAMETERS || d->shape.shards == 1)
        return 0;
    return divided(point, d, number, layers, mesh->offload == DTS_OFFLOAD_PARAMETERS) *
           (double)dts_precision_bytes(point->scenario->precision);
}

/* Of a round, before it is scattered. What a round above added to the gradient of this one or
 * of one below stays until that is whole. */
static double gradient(const struct dts_point *point, const struct dts_mesh_division *d,
                       int number, const struct dts_part_of_model *part,
                       const struct dts_part_of_model *round)
{
    const struct dts_mesh *mesh = point->strategy->self;
    const size_t bytes = dts_precision_bytes(point->scenario->precision);
    const bool fp32 = point->scenario->stack.memory.gradients_fused && bytes < 4;
    if (mesh->sharded < DTS_SHARDED_GRADIENTS || d->shape.shards == 1)
        return 0;
    const double parameters = divided(point, d, number, round, false) +
                              borrowed(point, d, part, round->first, part->last, round);
    return parameters * (double)(fp32 ? 4 : bytes);
}

struct dts_whole dts_mesh_whole(const struct dts_point *point,
                                const struct dts_mesh_division *d, int number,
                                const struct dts_part_of_model *part, int layer)
{
    const struct dts_mesh *mesh = point->strategy->self;
    const struct dts_part_of_model round = unit_of(d, part, layer);
    struct dts_part_of_model window = round;
    struct dts_whole whole = {.gradient = gradient(point, d, number, part, &round)};
    for (int i = 0; i < mesh->prefetch && window.first > part->first; i++)
        window.first = unit_of(d, part, window.first - 1).first;
    if (!mesh->reshard_after_forward || dts_mesh_gathered(point, d, number, part) == 0)
        return whole;
    whole.weights = dts_mesh_gathered(point, d, number, &window) +
                    borrowed(point, d, part, window.first, window.last, &window) *
                        (double)dts_precision_bytes(point->scenario->precision);
    return whole;
}
