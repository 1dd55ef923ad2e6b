/* memory.c -- what a stage holds: its part of the weights and their state, and the activations
 * of the microbatches that the schedule keeps at once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/strategy/mesh/stage_private.h"

const char *dts_recompute_name(int i)
{
    static const char *const words[] = {"none", "selective", "full", NULL};
    return words[i];
}

enum dts_keeps dts_mesh_keeps(const struct dts_mesh *mesh, const struct dts_point *point,
                              int layer)
{
    const struct dts_layer *l = &point->scenario->model.layers[layer];
    if (mesh->recompute == DTS_KEEPS_ENDS)
        return strcmp(l->kind->name, "attention") == 0 ? DTS_KEEPS_ENDS : DTS_KEEPS_ALL;
    if (mesh->recompute == DTS_KEEPS_ENTRY && dts_round_length(l->name) > 0)
        return DTS_KEEPS_ENTRY;
    return DTS_KEEPS_ALL;
}

/* Bytes of one sample. */
struct kept {
    double kept;    // from forward to backward
    double again;   // of the round that is computed again: the most of any
    double largest; // tensor
};

/* Of a layer, as if all were kept; own: without tensors that its neighbours have. */
static double saved_bytes(const struct dts_cut_layer *mine, double bytes, bool own)
{
    if (own)
        return (mine->saved_values - fmax(0, mine->cost.saved_values)) * bytes;
    return mine->saved_values * bytes + mine->saved_bytes;
}

/* Of what comes into a layer. */
static double entry_bytes(const struct dts_point *point, const struct dts_cut *cut, int layer,
                          double bytes)
{
    const int from = point->scenario->model.layers[layer].inputs[0];
    return from >= 0 ? (double)dts_dims_elements(&cut->layers[from].call.output) * bytes : 0;
}

static struct kept keep(const struct dts_point *point, const struct dts_cut *cut,
                        const struct dts_part_of_model *part, double bytes)
{
    const struct dts_mesh *mesh = point->strategy->self;
    const struct dts_model *m = &point->scenario->model;
    struct kept all = {.kept = (double)part->entry * bytes};
    double round = 0;
    for (int l = part->first; l <= part->last; l++) {
        const struct dts_cut_layer *mine = &cut->layers[l];
        const enum dts_keeps keeps = dts_mesh_keeps(mesh, point, l);
        const bool first = l == part->first || dts_round_length(m->layers[l].name) == 0 ||
                           strncmp(m->layers[l].name, m->layers[l - 1].name,
                                   dts_round_length(m->layers[l].name) + 1) != 0;
        all.largest = fmax(all.largest, (double)dts_dims_elements(&mine->call.output) * bytes);
        if (keeps == DTS_KEEPS_ENTRY) {
            all.kept += first ? entry_bytes(point, cut, l, bytes) : 0;
            round = (first ? 0 : round) + saved_bytes(mine, bytes, false);
            all.again = fmax(all.again, round);
        } else {
            all.kept += saved_bytes(mine, bytes, keeps == DTS_KEEPS_ENDS);
        }
    }
    return all;
}

/* What a rank has of the weights of a part: of experts, or of all else. */
static double parameters_of(const struct dts_point *point, const struct dts_mesh_division *d,
                            const struct dts_part_of_model *part, bool experts)
{
    const struct dts_model *m = &point->scenario->model;
    const struct dts_cut *cut = &d->cut;
    double parameters = 0;
    for (int l = part->first; l <= part->last; l++) {
        for (int p = 0; p < m->layers[l].param_count; p++)
            if (dts_stage_of_expert(&d->shape, &cut->layers[l], p) == experts)
                parameters += (double)cut->layers[l].params[p];
        if (!experts && m->layers[l].tied_to >= 0 && m->layers[l].tied_to < part->first)
            parameters += (double)cut->layers[m->layers[l].tied_to].params[0];
    }
    return parameters;
}

/* Weights, gradients and state, where so many ranks divide them. */
static void add_state(const struct dts_point *point, double parameters, double shards,
                      struct dts_memory *memory)
{
    const struct dts_scenario *s = point->scenario;
    const struct dts_mesh *mesh = point->strategy->self;
    const double bytes = (double)dts_precision_bytes(s->precision);
    const double state_bytes = bytes > 4 ? bytes : 4, copy_bytes = bytes < 4 ? 4 : 0;
    const double by[4] = {1, mesh->sharded >= DTS_SHARDED_OPTIMIZER ? shards : 1,
                          mesh->sharded >= DTS_SHARDED_GRADIENTS ? shards : 1,
                          mesh->sharded >= DTS_SHARDED_PARAMETERS ? shards : 1};
    const bool here = mesh->offload == DTS_OFFLOAD_NOTHING;
    const double kept_bytes = mesh->offload == DTS_OFFLOAD_PARAMETERS ? 0 : bytes;
    memory->weights += parameters * (kept_bytes / by[DTS_SHARDED_PARAMETERS] +
                                     (here ? copy_bytes : 0) / by[DTS_SHARDED_OPTIMIZER]);
    memory->gradients += parameters * bytes / by[DTS_SHARDED_GRADIENTS];
    memory->optimizer += (here ? 1 : 0) * parameters * s->optimizer->state_values *
                         state_bytes / by[DTS_SHARDED_OPTIMIZER];
}

static void add_part(const struct dts_point *point, const struct dts_mesh_division *d,
                     const struct dts_part_of_model *part, int slots, struct dts_memory *memory)
{
    const double bytes = (double)dts_precision_bytes(point->scenario->precision);
    const struct kept kept = keep(point, &d->cut, part, bytes);
    add_state(point, parameters_of(point, d, part, false),
              dts_mesh_group(&d->shape, DTS_AMONG_SHARDS).size, memory);
    add_state(point, parameters_of(point, d, part, true),
              dts_mesh_group(&d->shape, DTS_AMONG_EXPERT_SHARDS).size, memory);
    memory->activations += point->batch * slots * kept.kept;
    // a gradient, and what it came from
    memory->activations += point->batch * (kept.again + 2 * kept.largest);
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
