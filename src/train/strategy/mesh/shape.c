/* shape.c -- coordinates of ranks on a mesh. */
#include "train/strategy/mesh/mesh.h"

#include <string.h>

const char *dts_axis_name(int i)
{
    static const char *const names[DTS_AXES + 1] = {
        [DTS_AXIS_TENSOR] = "tensor",
        [DTS_AXIS_SHARD] = "shard",
        [DTS_AXIS_DATA] = "data",
        [DTS_AXIS_PIPELINE] = "pipeline",
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
    return true;
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

/* How many neighbouring members sit in a node, where all groups are alike. */
static int neighbours(const struct dts_point *point, int stride, int size)
{
    const int each = point->machine->devices_per_node;
    const char *placement = point->scenario->placing.kind;
    if (placement != NULL && strcmp(placement, "round_robin") == 0)
        return 1;
    if (stride >= each)
        return 1;
    if (stride * size <= each && each % (stride * size) == 0)
        return size;
    return each % stride == 0 && size % (each / stride) == 0 ? each / stride : 1;
}

struct dts_members dts_mesh_members(const struct dts_point *point,
                                    const struct dts_mesh_shape *shape, enum dts_axis axis)
{
    struct dts_members members = {.group = {.stride = 1, .size = shape->size[axis]}};
    for (int before = 0; before < (int)axis; before++)
        members.group.stride *= shape->size[before];
    members.per_node = neighbours(point, shape->stride[axis], shape->size[axis]);
    members.nodes = shape->size[axis] / members.per_node;
    return members;
}
