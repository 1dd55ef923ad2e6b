/* lean.c -- what would need less memory than a mesh as it is: recompute, divide more. */
#include "train/strategy/mesh/mesh.h"

/* In the order in which they cost time. */
static const struct {
    const char *words;
    enum dts_keeps keeps;
    enum dts_sharded sharded;
} rows[] = {
    {"sharded optimizer", DTS_KEEPS_ALL, DTS_SHARDED_OPTIMIZER},
    {"sharded gradients", DTS_KEEPS_ALL, DTS_SHARDED_GRADIENTS},
    {"sharded parameters", DTS_KEEPS_ALL, DTS_SHARDED_PARAMETERS},
    {"recompute selective", DTS_KEEPS_ENDS, DTS_SHARDED_NOTHING},
    {"recompute full", DTS_KEEPS_ENTRY, DTS_SHARDED_NOTHING},
    {"recompute full with sharded parameters", DTS_KEEPS_ENTRY, DTS_SHARDED_PARAMETERS},
};

/* All replicas divide it. */
static void shard(struct dts_mesh *mesh, const struct dts_mesh_shape *shape,
                  enum dts_sharded what)
{
    for (int axis = 0; axis < DTS_AXES; axis++)
        mesh->sizes[axis] = shape->size[axis];
    mesh->sizes[DTS_AXIS_SHARD] = dts_mesh_replicas(shape);
    mesh->sizes[DTS_AXIS_DATA] = 1;
    mesh->sharded = what;
}

bool dts_mesh_lean(const struct dts_point *point, int i, const char **words,
                   struct dts_memory *memory)
{
    const struct dts_mesh *mesh = point->strategy->self;
    struct dts_mesh leaner = *mesh;
    struct dts_strategy strategy = *point->strategy;
    struct dts_point other = *point;
    struct dts_mesh_shape shape;
    struct dts_error ignored = {0};
    if (i >= (int)(sizeof(rows) / sizeof(rows[0])))
        return false;
    *words = rows[i].words;
    *memory = (struct dts_memory){0};
    if (!dts_mesh_shape_find(point, &shape, &ignored))
        return true;
    const bool shards = rows[i].sharded > mesh->sharded && dts_mesh_replicas(&shape) > 1;
    const bool some = mesh->again_layers > 0 && !mesh->again_uniform; // of the blocks
    const bool keeps_less =
        rows[i].keeps > mesh->recompute || (some && rows[i].keeps == DTS_KEEPS_ENTRY);
    if ((rows[i].sharded != DTS_SHARDED_NOTHING && !shards) ||
        (rows[i].keeps != DTS_KEEPS_ALL && !keeps_less))
        return true; // it is so, or cannot be
    if (keeps_less)
        leaner.recompute = rows[i].keeps, leaner.again_layers = 0;
    if (shards)
        shard(&leaner, &shape, rows[i].sharded);
    strategy.self = &leaner;
    other.strategy = &strategy;
    if (!dts_mesh_memory(&other, memory, &ignored))
        *memory = (struct dts_memory){0};
    return true;
}
