/* mesh.c -- the strategy "mesh": a role for each stage. */
#include "train/strategy/mesh/mesh.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MOST_PASSES = 60000 }; // of a stage, each way; messages count on channels of 16 bits

static bool ranks_needed(const struct dts_point *point, struct dts_ranks_needed *needed,
                         struct dts_error *err)
{
    (void)err;
    *needed = (struct dts_ranks_needed){.devices = point->devices};
    return true;
}

static bool replicas(const struct dts_point *point, int *count, struct dts_error *err)
{
    struct dts_mesh_shape shape;
    if (!dts_mesh_shape_find(point, &shape, err))
        return false;
    *count = dts_mesh_replicas(&shape);
    return true;
}

static int device_of(const struct dts_point *point, int rank)
{
    struct dts_mesh_shape shape;
    struct dts_error ignored = {0};
    return dts_mesh_shape_find(point, &shape, &ignored) ? dts_mesh_device(&shape, rank) : rank;
}

/* Has the network a layer of a kind that is called so, or begins so? */
static bool has_kind(const struct dts_model *m, const char *name)
{
    for (int l = 0; l < m->layer_count; l++)
        if (strncmp(m->layers[l].kind->name, name, strlen(name)) == 0)
            return true;
    return false;
}

struct dts_pipeline_shape dts_mesh_pipeline_shape(const struct dts_point *point,
                                                  const struct dts_mesh_shape *shape)
{
    const struct dts_mesh *mesh = point->strategy->self;
    return (struct dts_pipeline_shape){shape->size[DTS_AXIS_PIPELINE], mesh->pipeline.chunks,
                                       point->microbatches};
}

bool dts_mesh_check(const struct dts_point *point, const struct dts_mesh_shape *shape,
                    struct dts_error *err)
{
    const struct dts_mesh *mesh = point->strategy->self;
    const struct dts_pipeline_shape pipeline = dts_mesh_pipeline_shape(point, shape);
    if (dts_build_synchronizes(point))
        return dts_point_fail(point, err,
                              "%s: batch_norm synchronized is not there for meshes: local",
                              point->strategy->name);
    const char *why = mesh->schedule->fits != NULL ? mesh->schedule->fits(&pipeline) : NULL;
    if (why != NULL)
        return dts_point_fail(point, err, "%s: the schedule %s %s: %d stages, %d microbatches",
                              point->strategy->name, mesh->schedule->name, why, pipeline.stages,
                              pipeline.microbatches);
    if (point->scenario->synchronized && dts_mesh_replicas(shape) > 1)
        return dts_point_fail(point, err,
                              "%s: batch_norm: must be local on a mesh of several replicas",
                              point->strategy->name);
    if (shape->experts > 1 && !has_kind(&point->scenario->model, "moe"))
        return dts_point_fail(point, err, "%s: expert: %s has no mixture of experts",
                              point->strategy->name, point->scenario->model.name);
    if (mesh->convolutions != DTS_CUT_WHOLE && !has_kind(&point->scenario->model, "conv"))
        return dts_point_fail(point, err, "%s: convolutions: %s has none",
                              point->strategy->name, point->scenario->model.name);
    if (mesh->recompute == DTS_KEEPS_ENDS && !has_kind(&point->scenario->model, "attention"))
        return dts_point_fail(point, err,
                              "%s: recompute: selective is of attention, which %s has not",
                              point->strategy->name, point->scenario->model.name);
    if (!dts_mesh_check_compression(point, shape, err))
        return false;
    const double passes = (pipeline.chunks + 1.0) * pipeline.microbatches;
    return passes <= MOST_PASSES ||
           dts_point_fail(point, err, "%s: %.0f passes on a stage, must be at most %d",
                          point->strategy->name, passes, MOST_PASSES);
}

bool dts_mesh_divide(const struct dts_point *point, struct dts_mesh_division *d,
                     struct dts_error *err)
{
    const struct dts_mesh *mesh = point->strategy->self;
    const struct dts_scenario *s = point->scenario;
    struct dts_error why = {0};
    const int *grid = mesh->spatial.grid;
    *d = (struct dts_mesh_division){.parts = NULL};
    if (!dts_mesh_shape_find(point, &d->shape, err) || !dts_mesh_check(point, &d->shape, err))
        return false;
    const struct dts_cut_question question = {.model = &s->model,
                                              .device = point->device,
                                              .precision = s->precision,
                                              .batch = point->batch,
                                              .tensor = d->shape.size[DTS_AXIS_TENSOR],
                                              .context = d->shape.size[DTS_AXIS_CONTEXT],
                                              .convolutions = mesh->convolutions,
                                              .experts = d->shape.experts,
                                              .sequence = mesh->sequence_parallel,
                                              .grid = {grid[0], grid[1], grid[2]},
                                              .reach = mesh->context.reach,
                                              .skew = mesh->expert.skew,
                                              .padded = mesh->expert.padded,
                                              .path = point->strategy->name};
    if (!dts_cut_find(&d->cut, &question, &why))
        return dts_point_fail(point, err, "%s", why.text);
    d->pipeline = dts_mesh_pipeline_shape(point, &d->shape);
    const int parts = dts_pipeline_parts(mesh->schedule, &d->pipeline);
    if (dts_mesh_parts(point, &d->cut, parts, &d->parts, err) &&
        dts_mesh_again_find(point, d->parts, parts, &d->again, err))
        return true;
    dts_mesh_division_free(d);
    return false;
}

void dts_mesh_division_free(struct dts_mesh_division *d)
{
    dts_cut_free(&d->cut);
    free(d->parts);
    free(d->again);
    *d = (struct dts_mesh_division){.parts = NULL};
}

int dts_mesh_dividers(const struct dts_mesh *mesh, int shards)
{
    return shards > 1 ? shards * dts_pipeline_copies(mesh->schedule) : 1;
}

static bool build(const struct dts_point *point, struct dts_job *job, struct dts_error *err)
{
    struct dts_mesh_division d;
    if (!dts_mesh_divide(point, &d, err))
        return false;
    const int stages = d.shape.size[DTS_AXIS_PIPELINE];
    job->roles = dts_alloc((size_t)stages, sizeof(*job->roles));
    job->role_count = stages;
    job->ranks = point->devices;
    bool good = true;
    for (int s = 0; s < stages && good; s++) {
        job->roles[s] = (struct dts_role){.name = stages > 1 ? "stage" : "worker",
                                          .first = s * d.shape.stage_ranks,
                                          .count = d.shape.stage_ranks};
        const struct dts_stage stage = {.point = point,
                                        .mesh = point->strategy->self,
                                        .shape = &d.shape,
                                        .cut = &d.cut,
                                        .pipeline = &d.pipeline,
                                        .parts = d.parts,
                                        .again = d.again,
                                        .number = s,
                                        .plan = &job->roles[s].plan};
        good = dts_stage_plan(&stage, err);
    }
    dts_mesh_division_free(&d);
    return good;
}

static const struct dts_synchrony *synchrony(const void *self)
{
    return &((const struct dts_mesh *)self)->synchrony;
}

/* Images that are divided were never published as whole steps, nor replicas that train alone.
 */
static const char *validated_as(const void *self)
{
    const struct dts_mesh *mesh = self;
    const int *sizes = mesh->sizes;
    if (sizes[DTS_AXIS_SPATIAL] > 1 || mesh->synchrony.local_steps > 0)
        return NULL;
    if (mesh->expert.size > 1)
        return "moe";
    if (sizes[DTS_AXIS_TENSOR] > 1 || sizes[DTS_AXIS_PIPELINE] > 1 ||
        sizes[DTS_AXIS_CONTEXT] > 1)
        return "3d";
    return mesh->sharded == DTS_SHARDED_NOTHING ? "data_parallel" : "fsdp";
}

const struct dts_strategy_kind dts_strategy_mesh = {
    .name = "mesh",
    .summary =
        "devices on named axes: tensor, spatial, context, shard, data, pipeline; experts",
    .fields = dts_mesh_fields,
    .size = sizeof(struct dts_mesh),
    .validated_as = validated_as,
    .synchrony = synchrony,
    .default_name = dts_mesh_default_name,
    .prepare = dts_mesh_prepare,
    .release = dts_mesh_release,
    .ranks_needed = ranks_needed,
    .replicas = replicas,
    .device_of = device_of,
    .repeated_flops = dts_mesh_repeated_flops,
    .memory = dts_mesh_memory,
    .lean = dts_mesh_lean,
    .describe = dts_mesh_describe,
    .seat = dts_mesh_seat,
    .build = build,
};
