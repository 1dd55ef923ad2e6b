/* seat.c -- what a rank of a stage has, for ranks that train for real. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/model/cut/part.h"
#include "train/strategy/mesh/stage_private.h"

static bool check_experts(const struct dts_point *point, const struct dts_mesh_shape *shape,
                          struct dts_error *err)
{
    const char *name = point->strategy->name;
    const struct dts_mesh *mesh = point->strategy->self;
    if (shape->experts == 1)
        return true;
    if (!mesh->expert.padded)
        return dts_fail(err, DTS_UNSUPPORTED,
                        "live.compute: kernels: %s: messages to experts have one size: "
                        "expert.padded must be true",
                        name);
    return shape->size[DTS_AXIS_TENSOR] == 1 || !mesh->sequence_parallel ||
           dts_fail(
               err, DTS_UNSUPPORTED,
               "live.compute: kernels: %s: tensor ranks that divide the sequence, beside "
               "expert ranks, are simulated alone, so far: live.compute: timed runs the plan",
               name);
}

static bool check_context(const struct dts_point *point, const struct dts_mesh_shape *shape,
                          struct dts_error *err)
{
    const char *name = point->strategy->name;
    const struct dts_mesh *mesh = point->strategy->self;
    if (shape->size[DTS_AXIS_CONTEXT] == 1)
        return true;
    if (mesh->context.reach == DTS_CUT_RING)
        return dts_fail(
            err, DTS_UNSUPPORTED,
            "live.compute: kernels: %s: context ranks train without a ring, so far: "
            "context.exchange must be all_to_all or all_gather",
            name);
    return mesh->recompute != DTS_KEEPS_ENDS ||
           dts_fail(err, DTS_UNSUPPORTED,
                    "live.compute: kernels: %s: attention of context ranks alone runs again in "
                    "simulation alone, so far: recompute must be none or full",
                    name);
}

/* Half precision between stages would be rounded twice. */
static bool check(const struct dts_point *point, const struct dts_mesh_shape *shape,
                  struct dts_error *err)
{
    const char *name = point->strategy->name;
    const struct dts_mesh *mesh = point->strategy->self;
    const bool divided = shape->size[DTS_AXIS_DATA] < shape->stage_ranks ||
                         shape->size[DTS_AXIS_PIPELINE] > 1 || shape->experts > 1;
    if (mesh->recompute != DTS_KEEPS_ALL && strcmp(point->scenario->live.device, "cpu") != 0)
        return dts_fail(err, DTS_UNSUPPORTED,
                        "live.compute: kernels: %s: layers run again before backward on CPUs: "
                        "live.device must be cpu",
                        name);
    if (shape->size[DTS_AXIS_SPATIAL] > 1)
        return dts_fail(err, DTS_UNSUPPORTED,
                        "live.compute: kernels: %s: the axis spatial is simulated alone, so "
                        "far: live.compute: timed runs the plan",
                        name);
    if (mesh->sharded == DTS_SHARDED_OPTIMIZER && point->scenario->stack.sharded_allreduce)
        return dts_fail(err, DTS_UNSUPPORTED,
                        "live.compute: kernels: %s: ranks of a sharded optimizer sum by "
                        "reduce-scatters, and the stack says all-reduces",
                        name);
    if (mesh->synchrony.local_steps > 0 && shape->shards > 1)
        return dts_fail(
            err, DTS_UNSUPPORTED,
            "live.compute: kernels: %s: local_steps of replicas whose state is "
            "sharded are simulated alone, so far: live.compute: timed runs the plan",
            name);
    if (mesh->offload != DTS_OFFLOAD_NOTHING)
        return dts_fail(err, DTS_UNSUPPORTED,
                        "live.compute: kernels: %s: offload is simulated alone, so far: "
                        "live.compute: timed runs the plan",
                        name);
    if (mesh->compression != NULL)
        return dts_fail(err, DTS_UNSUPPORTED,
                        "live.compute: kernels: %s: compression is simulated alone, so far: "
                        "live.compute: timed runs the plan",
                        name);
    if (mesh->pipeline.scatter)
        return dts_fail(err, DTS_UNSUPPORTED,
                        "live.compute: kernels: %s: scatter_gather is simulated alone, so far: "
                        "live.compute: timed runs the plan",
                        name);
    if (divided && dts_precision_bytes(point->scenario->precision) != sizeof(float))
        return dts_fail(err, DTS_UNSUPPORTED,
                        "live.compute: kernels: %s: parts of a network train in fp32 or tf32",
                        name);
    if (divided && strcmp(point->scenario->live.device, "cpu") != 0)
        return dts_fail(err, DTS_UNSUPPORTED,
                        "live.compute: kernels: %s: parts of a network train on CPUs: "
                        "live.device must be cpu",
                        name);
    return true;
}

/* A weight that two layers of a rank share would be there twice, and be summed once. */
static bool check_copies(const struct dts_point *point, const struct dts_mesh_shape *shape,
                         struct dts_error *err)
{
    const struct dts_mesh *mesh = point->strategy->self;
    const struct dts_model *m = &point->scenario->model;
    if (dts_pipeline_copies(mesh->schedule) > 1 &&
        shape->experts * shape->size[DTS_AXIS_CONTEXT] > 1)
        return dts_fail(
            err, DTS_UNSUPPORTED,
            "live.compute: kernels: %s: %s, whose passes run together, trains "
            "without expert and context ranks, so far: live.compute: timed runs the "
            "plan",
            point->strategy->name, mesh->schedule->name);
    if (dts_pipeline_copies(mesh->schedule) > 1 && mesh->sharded != DTS_SHARDED_NOTHING)
        return dts_fail(
            err, DTS_UNSUPPORTED,
            "live.compute: kernels: %s: copies of the network whose state is sharded "
            "are simulated alone, so far: live.compute: timed runs the plan",
            point->strategy->name);
    for (int l = 0; l < m->layer_count; l++)
        if (dts_pipeline_copies(mesh->schedule) > 1 && m->layers[l].tied_to >= 0)
            return dts_fail(err, DTS_UNSUPPORTED,
                            "live.compute: kernels: %s: layer %s shares a weight, which the "
                            "schedule %s does in simulation alone, so far: live.compute: timed "
                            "runs the plan",
                            point->strategy->name, m->layers[l].name, mesh->schedule->name);
    return true;
}

static void fill(const struct dts_point *point, const struct dts_mesh_division *d, int stage,
                 struct dts_seat *seat)
{
    const struct dts_mesh *mesh = point->strategy->self;
    const struct dts_pipeline_shape *shape = &d->pipeline;
    int *most = dts_pipeline_most(mesh->schedule, shape, stage);
    seat->parts = dts_alloc((size_t)shape->chunks, sizeof(*seat->parts));
    seat->part_count = shape->chunks;
    for (int c = 0; c < shape->chunks; c++) {
        const struct dts_pipeline_place at =
            dts_pipeline_place(mesh->schedule, shape, stage, c);
        seat->parts[c] = (struct dts_seat_part){
            .first = d->parts[at.part].first,
            .last = d->parts[at.part].last,
            .slots = most[c],
            .first_microbatch = dts_pipeline_first_microbatch(mesh->schedule, shape, at.copy),
            .edges = dts_stage_buffer_of(c, 0),
        };
        seat->parts[c].again =
            dts_mesh_repeats(point, d, &d->parts[at.part], &seat->parts[c].again_count);
    }
    free(most);
}

/* Of several copies of the network the first one speaks. */
static void sit(const struct dts_point *point, const struct dts_mesh_shape *shape, int rank,
                struct dts_seat *seat)
{
    const struct dts_mesh *mesh = point->strategy->self;
    const int *size = shape->size, tensor = size[DTS_AXIS_TENSOR];
    const int here = rank % shape->stage_ranks, stage = rank / shape->stage_ranks;
    const bool first = stage < size[DTS_AXIS_PIPELINE] / dts_pipeline_copies(mesh->schedule);
    const struct dts_group copies = dts_mesh_group(shape, DTS_AMONG_EXPERT_COPIES);
    seat->context = here / tensor % size[DTS_AXIS_CONTEXT];
    seat->contexts = size[DTS_AXIS_CONTEXT];
    seat->replica = here / tensor / seat->contexts;
    seat->member = here % tensor;
    seat->members = tensor;
    seat->expert = here / tensor % shape->experts;
    seat->experts = shape->experts;
    seat->whole = size[DTS_AXIS_PIPELINE] == 1 && size[DTS_AXIS_SHARD] == 1 &&
                  seat->members * seat->experts * seat->contexts == 1;
    seat->speaks = first && here < tensor * shape->shards;
    seat->speaks_of_experts = first && here < copies.stride;
}

bool dts_mesh_seat(const struct dts_point *point, int rank, struct dts_seat *seat,
                   struct dts_error *err)
{
    struct dts_mesh_division d;
    if (!dts_mesh_divide(point, &d, err))
        return false;
    bool good = check(point, &d.shape, err) && check_experts(point, &d.shape, err) &&
                check_context(point, &d.shape, err) && check_copies(point, &d.shape, err);
    if (good) {
        fill(point, &d, rank / d.shape.stage_ranks, seat);
        sit(point, &d.shape, rank, seat);
    }
    if (good && seat->members * seat->experts * seat->contexts > 1)
        good = dts_cut_part(&d.cut, &point->scenario->model,
                            &(struct dts_cut_rank){seat->member, seat->expert, seat->context},
                            &seat->model, err);
    if (!good)
        dts_seat_free(seat);
    dts_mesh_division_free(&d);
    return good;
}
