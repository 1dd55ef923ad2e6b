/* memory.c -- what a stage holds: its part of the weights and their state, and the activations
 * of the microbatches that the schedule keeps at once. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "train/strategy/mesh/mesh.h"

static void add_part(const struct dts_point *point, const struct dts_mesh_division *d,
                     const struct dts_part_of_model *part, int slots, struct dts_memory *memory)
{
    const struct dts_scenario *s = point->scenario;
    const double bytes = (double)dts_precision_bytes(s->precision);
    const double state_bytes = bytes > 4 ? bytes : 4, copy_bytes = bytes < 4 ? 4 : 0;
    double saved = (double)part->entry * bytes, parameters = 0, most = 0;
    for (int l = part->first; l <= part->last; l++) {
        const struct dts_layer *layer = &s->model.layers[l];
        const struct dts_cut_layer *mine = &d->cut.layers[l];
        saved += mine->saved_values * bytes + mine->saved_bytes;
        most = fmax(most, (double)dts_dims_elements(&mine->call.output));
        for (int p = 0; p < layer->param_count; p++)
            parameters += (double)mine->params[p];
        if (layer->tied_to >= 0 && layer->tied_to < part->first)
            parameters += (double)d->cut.layers[layer->tied_to].params[0];
    }
    const struct dts_mesh *mesh = point->strategy->self;
    const double shards = d->shape.size[DTS_AXIS_SHARD];
    const double by[4] = {1, mesh->sharded >= DTS_SHARDED_OPTIMIZER ? shards : 1,
                          mesh->sharded >= DTS_SHARDED_GRADIENTS ? shards : 1,
                          mesh->sharded >= DTS_SHARDED_PARAMETERS ? shards : 1};
    memory->weights += parameters * (bytes / by[DTS_SHARDED_PARAMETERS] +
                                     copy_bytes / by[DTS_SHARDED_OPTIMIZER]);
    memory->gradients += parameters * bytes / by[DTS_SHARDED_GRADIENTS];
    memory->optimizer +=
        parameters * s->optimizer->state_values * state_bytes / by[DTS_SHARDED_OPTIMIZER];
    memory->activations += point->batch * slots * saved;
    memory->activations += point->batch * 2 * most * bytes; // a gradient, and what it came from
}

/* Of one stage; all its chunks. */
static struct dts_memory of_stage(const struct dts_point *point,
                                  const struct dts_mesh_division *d, int number)
{
    const int stages = d->shape.size[DTS_AXIS_PIPELINE];
    const struct dts_mesh *mesh = point->strategy->self;
    const struct dts_pipeline_shape shape = {stages, mesh->pipeline.chunks,
                                             point->microbatches};
    const size_t length = (size_t)dts_pipeline_length(mesh->schedule, &shape);
    struct dts_pipeline_pass *passes = dts_alloc(length, sizeof(*passes));
    int *slots = dts_alloc(length, sizeof(*slots));
    int *most = dts_alloc((size_t)shape.chunks, sizeof(*most));
    struct dts_memory memory = {0};
    mesh->schedule->list(&shape, number, passes);
    dts_pipeline_slots(mesh->schedule, &shape, passes, slots, most);
    for (int c = 0; c < shape.chunks; c++)
        add_part(point, d, &d->parts[c * stages + number], most[c], &memory);
    memory.total = memory.weights + memory.gradients + memory.optimizer + memory.activations;
    free(passes);
    free(slots);
    free(most);
    return memory;
}

bool dts_mesh_memory(const struct dts_point *point, struct dts_memory *memory,
                     struct dts_error *err)
{
    struct dts_mesh_division d;
    *memory = (struct dts_memory){0};
    if (!dts_mesh_divide(point, &d, err))
        return false;
    for (int s = 0; s < d.shape.size[DTS_AXIS_PIPELINE]; s++) {
        const struct dts_memory one = of_stage(point, &d, s);
        if (one.total > memory->total)
            *memory = one;
    }
    dts_mesh_division_free(&d);
    return true;
}
