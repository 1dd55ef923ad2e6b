/* keys_parts.c -- the keys of the strategy "mesh" that say how context, spatial and expert
 * ranks work, and stages that have several parts.
 */
#include <stdlib.h>
#include <string.h>

#include "train/strategy/keys.h"
#include "train/strategy/mesh/mesh.h"

const struct dts_field dts_mesh_context_fields[] = {
    {DTS_KEY(struct dts_mesh_context, exchange), .type = DTS_STRING, .choice = dts_reach_name,
     .missing = "null",
     .help = "how attention sees all positions: ring: keys and values go round; all_to_all: "
             "positions are exchanged for heads; all_gather: all gather keys and values; "
             "default: ring"},
    {DTS_ALGORITHM_KEY(struct dts_mesh_context, choice),
     .help = "of all_to_all and all_gather; default: the stack's, or pairwise and ring"},
    {0},
};

const struct dts_field dts_mesh_spatial_fields[] = {
    {.key = "grid",
     .offset = offsetof(struct dts_mesh_spatial, grid_cfg),
     .type = DTS_OTHER,
     .forms = DTS_FORM_NUMBERS,
     .missing = "null",
     .help = "ranks along each axis of the image, a list: depth, height, width, or height, "
             "width; default: all along the first"},
    {DTS_KEY(struct dts_mesh_spatial, overlap), .type = DTS_BOOL, .missing = "null",
     .help = "halos travel while kernels compute the places that need none; default: "
             "false"},
    {0},
};

const struct dts_field dts_mesh_expert_fields[] = {
    {DTS_KEY(struct dts_mesh_expert, size), .type = DTS_INT, .min = 1, .max = 4096,
     .missing = "null",
     .help = "ranks of context, shard and data that divide the experts of each mixture"},
    {DTS_KEY(struct dts_mesh_expert, skew), .type = DTS_REAL, .min = 1, .max = 4096,
     .missing = "null",
     .help = "positions that the busiest rank's experts get, over those of an even spread; "
             "default: 1"},
    {DTS_KEY(struct dts_mesh_expert, padded), .type = DTS_BOOL, .missing = "false",
     .help = "each expert gets as many positions as it could take (GShard), filled up with "
             "zeros; live training needs it"},
    {DTS_ALGORITHM_KEY(struct dts_mesh_expert, choice),
     .help = "how positions go to experts and back, all to all; default: the stack's, or "
             "pairwise"},
    {0},
};

const char *dts_reach_name(int i)
{
    static const char *const words[] = {[DTS_CUT_RING] = "ring",
                                        [DTS_CUT_ALL_TO_ALL] = "all_to_all",
                                        [DTS_CUT_ALL_GATHER] = "all_gather",
                                        NULL};
    return words[i];
}

/* What a stack says is of sums and copies, but for "auto": parts that go from rank to rank have
 * rows of their own, and one channel. */
static bool prepare_parts(struct dts_coll_choice *choice, enum dts_coll_kind kind,
                          const struct dts_stack *stack, const struct dts_cfg *at,
                          struct dts_error *err)
{
    const bool automatic = stack->algorithm != NULL && strcmp(stack->algorithm, "auto") == 0;
    choice->kind = kind;
    if (choice->algorithm == NULL)
        choice->algorithm = automatic              ? "auto"
                            : kind == DTS_ALLTOALL ? "pairwise"
                            : kind == DTS_HALO     ? "neighbors"
                                                   : "ring";
    if (kind >= DTS_ALLTOALL)
        choice->channels = 1;
    return dts_coll_choice_prepare(choice, stack, at, err);
}

bool dts_mesh_read_context(struct dts_mesh *mesh, const struct dts_stack *stack,
                           const struct dts_cfg *at, struct dts_error *err)
{
    static const enum dts_coll_kind kinds[] = {[DTS_CUT_RING] = DTS_SHIFT,
                                               [DTS_CUT_ALL_TO_ALL] = DTS_ALLTOALL,
                                               [DTS_CUT_ALL_GATHER] = DTS_ALLGATHER};
    struct dts_mesh_context *context = &mesh->context;
    const struct dts_cfg here = dts_cfg_member(at, "context");
    if (mesh->sizes[DTS_AXIS_CONTEXT] <= 1 &&
        (context->exchange != NULL || context->choice.algorithm != NULL))
        return dts_cfg_fail(at, "context", err, "has no effect without mesh.context >= 2");
    for (int i = 0; context->exchange != NULL && dts_reach_name(i) != NULL; i++)
        if (strcmp(dts_reach_name(i), context->exchange) == 0)
            context->reach = (enum dts_cut_reach)i;
    if (context->reach == DTS_CUT_RING && context->choice.algorithm != NULL)
        return dts_cfg_fail(&here, "algorithm", err, "has no effect on a ring");
    return prepare_parts(&context->choice, kinds[context->reach], stack, &here, err);
}

const char *dts_convolutions_name(int i)
{
    static const char *const words[] = {[DTS_CUT_WHOLE] = "whole",
                                        [DTS_CUT_FILTERS] = "filter",
                                        [DTS_CUT_CHANNELS] = "channel",
                                        [DTS_CUT_ALTERNATING] = "alternating",
                                        NULL};
    return words[i];
}

/* "2 x 2 x 3 are 12 ranks, and mesh.spatial has 8". */
static bool check_grid(const struct dts_mesh *mesh, int axes, const struct dts_cfg *at,
                       struct dts_error *err)
{
    const int ranks = mesh->sizes[DTS_AXIS_SPATIAL];
    struct dts_text product = {0};
    double all = 1;
    for (int a = 0; a < axes; a++) {
        dts_text_add(&product, "%s%d", a > 0 ? " x " : "", mesh->spatial.grid[a]);
        all *= mesh->spatial.grid[a];
    }
    const bool good = axes > 0 && all == ranks;
    if (axes == 0)
        dts_cfg_fail(at, "grid", err, "must have the ranks along each axis, not be empty");
    else if (!good)
        dts_cfg_fail(at, "grid", err, "%s %s %.0f rank%s, and mesh.spatial has %d",
                     dts_text_string(&product), axes > 1 ? "are" : "is", all,
                     dts_plural((long)all), ranks);
    dts_text_free(&product);
    return good;
}

/* All ranks along the first axis, or as the list says. */
static bool read_grid(struct dts_mesh *mesh, const struct dts_cfg *at, struct dts_error *err)
{
    int *grid = mesh->spatial.grid, *list = NULL;
    const int ranks = mesh->sizes[DTS_AXIS_SPATIAL];
    const struct dts_cfg cfg = dts_cfg_member(at, "grid");
    size_t count = 0;
    for (int a = 0; a < DTS_OP_AXES; a++)
        grid[a] = 1;
    grid[0] = ranks > 0 ? ranks : 1;
    if (!dts_cfg_exists(&cfg))
        return true;
    if (!dts_cfg_ints(&cfg, 1, 1 << 20, DTS_OP_AXES, &list, &count, err))
        return false;
    for (size_t a = 0; a < count; a++) {
        grid[a] = list[a];
        mesh->spatial.along += list[a] > 1;
    }
    free(list);
    return check_grid(mesh, (int)count, at, err);
}

bool dts_mesh_read_spatial(struct dts_mesh *mesh, const struct dts_stack *stack,
                           const struct dts_cfg *at, struct dts_error *err)
{
    const struct dts_cfg here = dts_cfg_member(at, "spatial");
    const bool there =
        dts_cfg_exists(&here) && dts_cfg_is_object(&here) && dts_cfg_key(&here, 0) != NULL;
    if (mesh->sizes[DTS_AXIS_SPATIAL] <= 1 && there)
        return dts_cfg_fail(at, "spatial", err, "has no effect without mesh.spatial >= 2");
    for (int i = 0; dts_convolutions_name(i) != NULL; i++)
        if (strcmp(dts_convolutions_name(i), mesh->convolutions_word) == 0)
            mesh->convolutions = (enum dts_cut_convolutions)i;
    if (mesh->convolutions != DTS_CUT_WHOLE && mesh->sizes[DTS_AXIS_TENSOR] <= 1)
        return dts_cfg_fail(at, "convolutions", err, "has no effect without mesh.tensor >= 2");
    const bool read = read_grid(mesh, &here, err);
    mesh->spatial.grid_cfg = (struct dts_cfg){0}; // its parents end here
    return read && prepare_parts(&mesh->spatial.choice, DTS_HALO, stack, &here, err);
}

bool dts_mesh_read_expert(struct dts_mesh *mesh, const struct dts_stack *stack,
                          const struct dts_cfg *at, struct dts_error *err)
{
    struct dts_mesh_expert *expert = &mesh->expert;
    const struct dts_cfg here = dts_cfg_member(at, "expert");
    if (expert->size <= 1 &&
        (expert->skew > 0 || expert->padded || expert->choice.algorithm != NULL))
        return dts_cfg_fail(at, "expert", err, "has no effect without expert.size >= 2");
    if (expert->padded && expert->skew > 0)
        return dts_cfg_fail(&here, "skew", err, "has no effect with padded: all get as many");
    if (expert->skew <= 0)
        expert->skew = 1;
    return prepare_parts(&expert->choice, DTS_ALLTOALL, stack, &here, err);
}

static bool read_chunks(struct dts_mesh *mesh, const struct dts_cfg *at, struct dts_error *err)
{
    const struct dts_pipeline_schedule *schedule = mesh->schedule;
    const int fixed = schedule->chunks > 0 ? schedule->chunks : 1;
    if (!schedule->interleaves && mesh->pipeline.chunks > 0 && mesh->pipeline.chunks != fixed)
        return dts_cfg_fail(at, "chunks", err,
                            "must be %d with the schedule %s, which has %s on each stage",
                            fixed, schedule->name, fixed == 1 ? "one part" : "two parts");
    if (mesh->pipeline.chunks == 0)
        mesh->pipeline.chunks = schedule->interleaves ? 2 : fixed;
    return true;
}

/* Stages that feed one another would each wait until the other takes what it sends; and copies
 * of weights are summed at the end of a step, not in each microbatch. */
static bool check_copies(struct dts_mesh *mesh, const struct dts_cfg *at, struct dts_error *err)
{
    const struct dts_cfg here = dts_cfg_member(at, "pipeline");
    const struct dts_cfg overlap = dts_cfg_member(&here, "overlap");
    const bool twice = dts_pipeline_copies(mesh->schedule) > 1;
    if (!dts_cfg_exists(&overlap))
        mesh->pipeline.overlap = true;
    if (twice && !mesh->pipeline.overlap)
        return dts_cfg_fail(&here, "overlap", err,
                            "must be true with the schedule %s, whose stages send both ways",
                            mesh->schedule->name);
    return !twice || mesh->sharded <= DTS_SHARDED_OPTIMIZER ||
           dts_cfg_fail(at, "sharded", err,
                        "must be optimizer or nothing with the schedule %s, whose stages have "
                        "copies of the weights of others",
                        mesh->schedule->name);
}

bool dts_mesh_read_schedule(struct dts_mesh *mesh, const struct dts_cfg *at,
                            struct dts_error *err)
{
    const struct dts_cfg here = dts_cfg_member(at, "pipeline");
    mesh->schedule = mesh->pipeline.schedule != NULL
                         ? dts_pipeline_schedule_find(mesh->pipeline.schedule)
                         : dts_pipeline_schedules[0];
    return read_chunks(mesh, &here, err) && check_copies(mesh, at, err);
}
