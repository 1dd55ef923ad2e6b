/* whole.c -- what a device has whole while a round computes, of what ranks divide otherwise:
 * the weights of the round and of those that are gathered ahead, and its gradient until it is
 * scattered. As PyTorch's FSDP says of its prefetching: "current set of parameters, next set of
 * parameters, and current set of gradients in memory at the same time".
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

double dts_mesh_gathered(const struct dts_point *point, const struct dts_mesh_division *d,
                         int number, const struct dts_part_of_model *layers)
{
    const struct dts_mesh *mesh = point->strategy->self;
    if (mesh->sharded != DTS_SHARDED_PARAMETERS || d->shape.shards == 1)
        return 0;
    return divided(point, d, number, layers, mesh->offload == DTS_OFFLOAD_PARAMETERS) *
           (double)dts_precision_bytes(point->scenario->precision);
}

/* Before it is scattered. */
static double gradient(const struct dts_point *point, const struct dts_mesh_division *d,
                       int number, const struct dts_part_of_model *layers)
{
    const struct dts_mesh *mesh = point->strategy->self;
    const size_t bytes = dts_precision_bytes(point->scenario->precision);
    const bool fp32 = point->scenario->stack.memory.gradients_fused && bytes < 4;
    if (mesh->sharded < DTS_SHARDED_GRADIENTS || d->shape.shards == 1)
        return 0;
    return divided(point, d, number, layers, false) * (double)(fp32 ? 4 : bytes);
}

struct dts_whole dts_mesh_whole(const struct dts_point *point,
                                const struct dts_mesh_division *d, int number,
                                const struct dts_part_of_model *part, int layer)
{
    const struct dts_mesh *mesh = point->strategy->self;
    struct dts_part_of_model unit = unit_of(d, part, layer);
    struct dts_whole whole = {.gradient = gradient(point, d, number, &unit)};
    for (int ahead = 0; mesh->reshard_after_forward && ahead <= mesh->prefetch; ahead++) {
        whole.weights += dts_mesh_gathered(point, d, number, &unit);
        if (unit.first == part->first)
            break;
        unit = unit_of(d, part, unit.first - 1);
    }
    return whole;
}
