/* shape.c -- coordinates of ranks on a mesh, and the groups that they form. */
#include "train/strategy/mesh/mesh.h"

#include <string.h>

const char *dts_axis_name(int i)
{
    static const char *const names[DTS_AXES + 1] = {
        [DTS_AXIS_TENSOR] = "tensor",   [DTS_AXIS_SPATIAL] = "spatial",
        [DTS_AXIS_CONTEXT] = "context", [DTS_AXIS_SHARD] = "shard",
        [DTS_AXIS_DATA] = "data",       [DTS_AXIS_PIPELINE] = "pipeline",
    };
    return names[i];
}

static void find_strides(const struct dts_mesh *mesh, struct dts_mesh_shape *shape)
{
    int stride = 1;
    for (int i = 0; i < DTS_AXES; i++) {
        shape->stride[mesh->order[i]] = stride;
        stride *= shape->size[mesh->order[i]];
    }
    shape->stage_ranks = stride / shape->size[DTS_AXIS_PIPELINE];
}

/* Ranks that have the same weights, but for experts. */
static int copies_of(const struct dts_mesh_shape *shape)
{
    return shape->size[DTS_AXIS_SPATIAL] * shape->size[DTS_AXIS_CONTEXT] *
           dts_mesh_replicas(shape);
}

/* Experts lie on ranks of context, shard and data, the nearest first. */
static bool find_experts(const struct dts_point *point, struct dts_mesh_shape *shape,
                         struct dts_error *err)
{
    const struct dts_mesh *mesh = point->strategy->self;
    const int copies = copies_of(shape);
    shape->experts = mesh->expert.size > 0 ? mesh->expert.size : 1;
    shape->shards =
        mesh->sharded != DTS_SHARDED_NOTHING ? copies / shape->size[DTS_AXIS_DATA] : 1;
    if (copies % shape->experts != 0)
        return dts_point_fail(point, err,
                              "%s: expert.size %d must divide the %d ranks of context, shard "
                              "and data",
                              point->strategy->name, shape->experts, copies);
    return shape->shards % shape->experts == 0 || shape->experts % shape->shards == 0 ||
           dts_point_fail(point, err,
                          "%s: expert.size %d must divide the %d ranks that share the state of "
                          "training, or be a multiple of it",
                          point->strategy->name, shape->experts, shape->shards);
}

bool dts_mesh_shape_find(const struct dts_point *point, struct dts_mesh_shape *shape,
                         struct dts_error *err)
{
    const struct dts_mesh *mesh = point->strategy->self;
    double named = 1;
    for (int axis = 0; axis < DTS_AXES; axis++) {
        shape->size[axis] = mesh->sizes[axis] > 0 ? mesh->sizes[axis] : 1;
        named *= shape->size[axis];
    }
    const bool open = mesh->sizes[mesh->fill] == 0;
    if (named > point->devices || point->devices % (int)named != 0)
        return dts_point_fail(point, err, "%s: a mesh of %.0f does not divide the devices",
                              point->strategy->name, named);
    if (open)
        shape->size[mesh->fill] = point->devices / (int)named;
    else if ((int)named != point->devices)
        return dts_point_fail(point, err,
                              "%s: the mesh has %.0f ranks; leave \"%s\" out to fill it",
                              point->strategy->name, named, dts_axis_name((int)mesh->fill));
    find_strides(mesh, shape);
    return find_experts(point, shape, err);
}

int dts_mesh_device(const struct dts_mesh_shape *shape, int rank)
{
    int device = 0;
    for (int axis = 0; axis < DTS_AXES; axis++) { // as ranks are numbered
        device += rank % shape->size[axis] * shape->stride[axis];
        rank /= shape->size[axis];
    }
    return device;
}

struct dts_group dts_mesh_group(const struct dts_mesh_shape *shape, enum dts_mesh_among among)
{
    const int tensor = shape->size[DTS_AXIS_TENSOR], copies = copies_of(shape);
    const int spatial = shape->size[DTS_AXIS_SPATIAL];
    const int experts = shape->experts, shards = shape->shards;
    const int expert_shards = shards % experts == 0 ? shards / experts : 1;
    switch (among) {
    case DTS_AMONG_TENSOR:
        return (struct dts_group){1, tensor};
    case DTS_AMONG_SPATIAL:
        return (struct dts_group){tensor, spatial};
    case DTS_AMONG_CONTEXT:
        return (struct dts_group){tensor * spatial, shape->size[DTS_AXIS_CONTEXT]};
    case DTS_AMONG_EXPERT:
        return (struct dts_group){tensor, experts};
    case DTS_AMONG_SHARDS:
        return (struct dts_group){tensor, shards};
    case DTS_AMONG_COPIES:
        return (struct dts_group){tensor * shards, copies / shards};
    case DTS_AMONG_EXPERT_SHARDS:
        return (struct dts_group){tensor * experts, expert_shards};
    case DTS_AMONG_EXPERT_COPIES:
        return (struct dts_group){tensor * experts * expert_shards,
                                  copies / experts / expert_shards};
    }
    return (struct dts_group){1, 1};
}

/* Members of a group that follow one another at equal distances on the devices. */
struct run {
    int stride, size;
};

/* A group in runs, the nearest first: one, where its axes are neighbours on the devices.
 * Returns how many; 0: groups differ. */
static int runs_of(const struct dts_mesh_shape *shape, const struct dts_group *group,
                   struct run runs[DTS_AXES])
{
    const int end = group->stride * group->size;
    int count = 0, first = 1; // of an axis: ranks between its members
    for (int axis = 0; axis < DTS_AXES; first *= shape->size[axis++]) {
        const int low = group->stride > first ? group->stride : first;
        const int last = first * shape->size[axis], high = end < last ? end : last;
        if (high <= low)
            continue;
        if (high % low != 0 || low % first != 0 || last % high != 0)
            return 0;
        const struct run run = {shape->stride[axis] * (low / first), high / low};
        struct run *before = count > 0 ? &runs[count - 1] : NULL;
        if (run.size > 1 && before != NULL && run.stride == before->stride * before->size)
            before->size *= run.size;
        else if (run.size > 1)
            runs[count++] = run;
    }
    if (count == 0)
        runs[count++] = (struct run){1, 1};
    return count;
}

/* How many neighbouring members sit in a node, where all groups are alike. */
static int neighbours(const struct dts_point *point, const struct run *run)
{
    const int each = point->machine->devices_per_node, stride = run->stride, size = run->size;
    if (stride >= each)
        return 1;
    if (stride * size <= each && each % (stride * size) == 0)
        return size;
    return each % stride == 0 && size % (each / stride) == 0 ? each / stride : 1;
}

/* Do runs behind the i-th leave the node? Else its members are no neighbours. */
static bool leave(const struct dts_point *point, const struct run *runs, int count, int i)
{
    while (++i < count)
        if (runs[i].stride < point->machine->devices_per_node)
            return false;
    return true;
}

static int per_node(const struct dts_point *point, const struct run *runs, int count)
{
    const char *placement = point->scenario->placing.kind;
    int inside = 1;
    if (placement != NULL && strcmp(placement, "round_robin") == 0)
        return 1;
    for (int i = 0; i < count; i++) {
        const int here = neighbours(point, &runs[i]);
        inside *= here;
        if (here < runs[i].size)
            return leave(point, runs, count, i) ? inside : 1;
    }
    return inside;
}

static struct dts_members members_of(const struct dts_point *point,
                                     const struct dts_mesh_shape *shape, struct dts_group group)
{
    struct run runs[DTS_AXES];
    struct dts_members members = {.group = group};
    const int count = runs_of(shape, &members.group, runs);
    members.per_node = per_node(point, runs, count);
    members.nodes = members.group.size / members.per_node;
    return members;
}

struct dts_members dts_mesh_members(const struct dts_point *point,
                                    const struct dts_mesh_shape *shape,
                                    enum dts_mesh_among among)
{
    return members_of(point, shape, dts_mesh_group(shape, among));
}

struct dts_members dts_mesh_row_members(const struct dts_point *point,
                                        const struct dts_mesh_shape *shape, const int *grid,
                                        int axis)
{
    int stride = shape->size[DTS_AXIS_TENSOR];
    for (int a = DTS_OP_AXES - 1; a > axis; a--)
        stride *= grid[a];
    return members_of(point, shape, (struct dts_group){stride, grid[axis]});
}
