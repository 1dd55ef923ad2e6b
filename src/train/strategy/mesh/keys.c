/* keys.c -- the keys of the strategy "mesh". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "train/strategy/keys.h"
#include "train/strategy/mesh/mesh.h"

static const struct dts_field size_fields[] = {
    {.key = "tensor",
     .offset = DTS_AXIS_TENSOR * sizeof(int),
     .type = DTS_INT,
     .min = 1,
     .max = 1024,
     .missing = "null",
     .help = "ranks that divide the matrices of a layer"},
    {.key = "spatial",
     .offset = DTS_AXIS_SPATIAL * sizeof(int),
     .type = DTS_INT,
     .min = 1,
     .max = 1 << 20,
     .missing = "null",
     .help = "ranks that divide the image of a sample"},
    {.key = "context",
     .offset = DTS_AXIS_CONTEXT * sizeof(int),
     .type = DTS_INT,
     .min = 1,
     .max = 1 << 20,
     .missing = "null",
     .help = "ranks that divide the positions of a sequence"},
    {.key = "shard",
     .offset = DTS_AXIS_SHARD * sizeof(int),
     .type = DTS_INT,
     .min = 1,
     .max = 1 << 20,
     .missing = "null",
     .help = "replicas that divide the state of training"},
    {.key = "data",
     .offset = DTS_AXIS_DATA * sizeof(int),
     .type = DTS_INT,
     .min = 1,
     .max = 1 << 20,
     .missing = "null",
     .help = "replicas that hold all of it"},
    {.key = "pipeline",
     .offset = DTS_AXIS_PIPELINE * sizeof(int),
     .type = DTS_INT,
     .min = 1,
     .max = 4096,
     .missing = "null",
     .help = "stages that divide the layers"},
    {0},
};

static const struct dts_field pipeline_fields[] = {
    {DTS_KEY(struct dts_mesh_pipeline, schedule), .type = DTS_STRING,
     .choice = dts_pipeline_schedule_name, .missing = "null",
     .help = "the order of passes on a stage; default: 1f1b"},
    {DTS_KEY(struct dts_mesh_pipeline, chunks), .type = DTS_INT, .min = 1, .max = 64,
     .missing = "null", .help = "interleaved: parts of the network on each stage; default: 2"},
    {DTS_KEY(struct dts_mesh_pipeline, overlap), .type = DTS_BOOL, .missing = "null",
     .help = "messages travel while kernels run; else kernels wait for them to be sent and "
             "received; default: true"},
    {.key = "scatter_gather",
     .offset = offsetof(struct dts_mesh_pipeline, scatter),
     .type = DTS_BOOL,
     .missing = "null",
     .help = "each tensor rank sends its part of a message, and those behind gather it; "
             "default: false"},
    {.key = "stages",
     .offset = offsetof(struct dts_mesh_pipeline, cut),
     .type = DTS_OTHER,
     .forms = DTS_FORM_STRING | DTS_FORM_NUMBERS,
     .missing = "null",
     .help = "balanced: the slowest part as fast as can be; even: as many blocks each; or the "
             "blocks of each part, a list (0 at both ends: embedding and head alone)"},
    {0},
};

const struct dts_field dts_mesh_fields[] = {
    {.key = "mesh",
     .offset = offsetof(struct dts_mesh, sizes),
     .type = DTS_OBJECT,
     .fields = size_fields,
     .missing = "{}",
     .help = "sizes of the axes; those left out are 1, data is what is left over"},
    {.key = "order",
     .offset = offsetof(struct dts_mesh, order_cfg),
     .type = DTS_OTHER,
     .forms = DTS_FORM_STRINGS,
     .missing = "null",
     .help = "axes over neighbouring devices, the nearest first; default: tensor, spatial, "
             "context, "
             "shard, data, pipeline"},
    {DTS_KEY(struct dts_mesh, pipeline), .type = DTS_OBJECT, .fields = pipeline_fields,
     .missing = "{}", .help = "how stages work"},
    {DTS_KEY(struct dts_mesh, context), .type = DTS_OBJECT, .fields = dts_mesh_context_fields,
     .missing = "{}", .help = "how ranks of the axis context work"},
    {DTS_KEY(struct dts_mesh, spatial), .type = DTS_OBJECT, .fields = dts_mesh_spatial_fields,
     .missing = "{}", .help = "how ranks of the axis spatial work"},
    {DTS_KEY(struct dts_mesh, expert), .type = DTS_OBJECT, .fields = dts_mesh_expert_fields,
     .missing = "{}", .help = "mixtures whose experts are on several ranks"},
    {.key = "convolutions",
     .offset = offsetof(struct dts_mesh, convolutions_word),
     .type = DTS_STRING,
     .choice = dts_convolutions_name,
     .missing = "\"whole\"",
     .help = "how tensor ranks divide convolutions: whole: not; filter: a part of the outputs "
             "each, then gathered; channel: a part of the inputs, outputs summed; alternating: "
             "one after the other, else what exchanges less"},
    {DTS_KEY(struct dts_mesh, sequence_parallel), .type = DTS_BOOL, .missing = "false",
     .help = "tensor ranks divide the positions, too, where they do not divide matrices"},
    {.key = "recompute",
     .offset = offsetof(struct dts_mesh, recompute_cfg),
     .type = DTS_OTHER,
     .fields = dts_mesh_recompute_fields,
     .forms = DTS_FORM_STRING | DTS_FORM_OBJECT,
     .missing = "\"none\"",
     .help = "activations that backward computes again: none; selective: those of attention; "
             "full: of each block all but what comes in; {layers: N, method: block}: so of N "
             "blocks of each part of the network; method uniform: of all, N at once"},
    {.key = "sharded",
     .offset = offsetof(struct dts_mesh, sharded_word),
     .type = DTS_STRING,
     .choice = dts_sharded_name,
     .missing = "null",
     .help = "what ranks of the axis shard divide: optimizer, gradients (and that), parameters "
             "(and both); default: parameters, where the axis is there"},
    {.key = "offload",
     .offset = offsetof(struct dts_mesh, offload_word),
     .type = DTS_STRING,
     .choice = dts_offload_name,
     .missing = "\"nothing\"",
     .help = "what lies in the host's memory: optimizer: its state, and the host updates; "
             "parameters: and the weights that a rank keeps"},
    {DTS_KEY(struct dts_mesh, prefetch), .type = DTS_INT, .min = 0, .max = 64,
     .missing = "null", .help = "sharded parameters: blocks gathered ahead; default: 1"},
    {DTS_KEY(struct dts_mesh, reshard_after_forward), .type = DTS_BOOL, .missing = "null",
     .help = "sharded parameters: gather again for backward; default: true"},
    {DTS_ALGORITHM_KEY(struct dts_mesh, choice),
     .help = "how gradients are summed over replicas; default: the stack's"},
    {DTS_BETWEEN_KEY(struct dts_mesh, choice)},
    {DTS_SHARDS_KEY(struct dts_mesh, choice),
     .help = "hierarchical: devices of a node that exchange with other nodes; default: the "
             "stack's, or all"},
    {DTS_CHANNELS_KEY(struct dts_mesh, choice),
     .help = "parts of a bucket that go round at once; default: the stack's"},
    {DTS_PIECE_KEY(struct dts_mesh, choice)},
    {DTS_BUCKET_KEY(struct dts_mesh)},
    {DTS_FIRST_BUCKET_KEY(struct dts_mesh)},
    {.key = "compression",
     .offset = offsetof(struct dts_mesh, compression_word),
     .type = DTS_STRING,
     .choice = dts_compression_name,
     .missing = "null",
     .help = "what gradients between replicas are on the wire; default: as they are"},
    {DTS_KEY(struct dts_mesh, compression_share), .type = DTS_REAL, .min = 1e-6, .max = 1,
     .missing = "null", .help = "top_k: the share of the values that is sent; default: 0.01"},
    {DTS_LOCAL_STEPS_KEY(struct dts_mesh),
     .help = "updates that each replica on the axis data makes alone before all take the mean "
             "of their weights; default: gradients are summed in each step"},
    {DTS_LOCAL_AFTER_KEY(struct dts_mesh)},
    {DTS_OUTER_RATE_KEY(struct dts_mesh)},
    {DTS_OUTER_MOMENTUM_KEY(struct dts_mesh)},
    {DTS_KEY(struct dts_mesh, overlap), .type = DTS_BOOL, .missing = "null",
     .help = "exchange while backward computes; else after it; default: as the stack does"},
    {0},
};

const char *dts_mesh_default_name(const void *self)
{
    return ((const struct dts_mesh *)self)->name;
}

static bool read_order(struct dts_mesh *mesh, const struct dts_cfg *at, struct dts_error *err)
{
    const struct dts_cfg list = dts_cfg_member(at, "order");
    bool seen[DTS_AXES] = {false};
    for (int i = 0; i < DTS_AXES; i++)
        mesh->order[i] = i;
    if (!dts_cfg_exists(&list))
        return true;
    const size_t count = dts_cfg_is_list(&list) ? dts_cfg_length(&list) : 0;
    if (count == 0 || count > DTS_AXES)
        return dts_cfg_fail(at, "order", err, "must be a list of axes, the nearest first");
    int n = 0;
    for (size_t i = 0; i < count; i++) {
        const struct dts_cfg item = dts_cfg_item(&list, i);
        if (!dts_cfg_choice(&item, dts_axis_name, &mesh->order[n], err))
            return false;
        if (seen[mesh->order[n]])
            return dts_cfg_fail(&item, NULL, err, "\"%s\" is there twice",
                                dts_axis_name(mesh->order[n]));
        seen[mesh->order[n++]] = true;
    }
    for (int axis = 0; axis < DTS_AXES; axis++) // what is left out is of size 1, or furthest
        if (!seen[axis])
            mesh->order[n++] = axis;
    return true;
}

static const char *cut_name(int i)
{
    static const char *const words[] = {"balanced", "even", NULL};
    return words[i];
}

static bool read_cut(struct dts_mesh *mesh, const struct dts_cfg *at, struct dts_error *err)
{
    const struct dts_cfg pipeline = dts_cfg_member(at, "pipeline");
    const struct dts_cfg cut = dts_cfg_member(&pipeline, "stages");
    int word = 0;
    mesh->pipeline.cut = (struct dts_cfg){0}; // its parents end here
    if (!dts_cfg_exists(&cut))
        return true;
    if (dts_cfg_is_list(&cut))
        return dts_cfg_ints(&cut, 0, 1 << 20, 1 << 18, &mesh->blocks, &mesh->block_count, err);
    if (!dts_cfg_choice(&cut, cut_name, &word, err))
        return false;
    mesh->even = word == 1;
    return true;
}

static bool read_pipeline(struct dts_mesh *mesh, const struct dts_cfg *at,
                          struct dts_error *err)
{
    const struct dts_cfg here = dts_cfg_member(at, "pipeline");
    const bool alone = mesh->sizes[DTS_AXIS_PIPELINE] <= 1;
    if (alone && dts_cfg_exists(&here) && dts_cfg_is_object(&here) &&
        dts_cfg_key(&here, 0) != NULL)
        return dts_cfg_fail(at, "pipeline", err, "has no effect without mesh.pipeline >= 2");
    if (!dts_mesh_read_schedule(mesh, at, err))
        return false;
    if (mesh->pipeline.scatter &&
        (mesh->sizes[DTS_AXIS_TENSOR] <= 1 || mesh->sequence_parallel))
        return dts_cfg_fail(&here, "scatter_gather", err, "has no effect %s",
                            mesh->sequence_parallel
                                ? "with sequence_parallel, where ranks send their positions"
                                : "without mesh.tensor >= 2");
    return read_cut(mesh, at, err);
}

/* A key that says how to shard makes the axis that is left over that of the shards. */
static bool read_sharded(struct dts_mesh *mesh, const struct dts_cfg *at, struct dts_error *err)
{
    const struct dts_cfg sizes = dts_cfg_member(at, "mesh");
    const struct dts_cfg shard = dts_cfg_member(&sizes, "shard");
    const struct dts_cfg reshard = dts_cfg_member(at, "reshard_after_forward");
    const struct dts_cfg prefetch = dts_cfg_member(at, "prefetch");
    const bool axis = dts_cfg_exists(&shard), told = mesh->sharded_word != NULL;
    mesh->sharded = axis ? DTS_SHARDED_PARAMETERS : DTS_SHARDED_NOTHING;
    for (int i = 0; told && dts_sharded_name(i) != NULL; i++)
        if (strcmp(dts_sharded_name(i), mesh->sharded_word) == 0)
            mesh->sharded = (enum dts_sharded)i;
    if (axis && mesh->sharded == DTS_SHARDED_NOTHING)
        return dts_cfg_fail(at, "sharded", err,
                            "must divide something: the axis shard is there");
    if (mesh->sharded != DTS_SHARDED_PARAMETERS &&
        (dts_cfg_exists(&reshard) || dts_cfg_exists(&prefetch)))
        return dts_cfg_fail(at,
                            dts_cfg_exists(&prefetch) ? "prefetch" : "reshard_after_forward",
                            err, "has no effect without sharded parameters");
    if (mesh->sharded != DTS_SHARDED_NOTHING && !axis && mesh->sizes[DTS_AXIS_DATA] == 0) {
        mesh->sizes[DTS_AXIS_DATA] = 1; // the rest are shards
        mesh->fill = DTS_AXIS_SHARD;
    } else {
        mesh->fill = DTS_AXIS_DATA;
    }
    if (!dts_cfg_exists(&reshard))
        mesh->reshard_after_forward = true;
    if (!dts_cfg_exists(&prefetch))
        mesh->prefetch = 1;
    return true;
}

static bool check_offload(const struct dts_mesh *mesh, const struct dts_cfg *at,
                          struct dts_error *err)
{
    return mesh->offload != DTS_OFFLOAD_PARAMETERS || mesh->sharded == DTS_SHARDED_PARAMETERS ||
           dts_cfg_fail(at, "offload", err,
                        "\"parameters\" needs sharded parameters, block by block");
}

/* Tensor ranks use what the stack uses; in a node there are no levels. */
static bool prepare_within(struct dts_mesh *mesh, const struct dts_stack *stack,
                           const struct dts_cfg *at, struct dts_error *err)
{
    if (mesh->sequence_parallel && mesh->sizes[DTS_AXIS_TENSOR] <= 1)
        return dts_cfg_fail(at, "sequence_parallel", err,
                            "has no effect without mesh.tensor >= 2");
    const bool automatic = stack->algorithm != NULL && strcmp(stack->algorithm, "auto") == 0;
    mesh->within.algorithm = automatic ? "auto" : "ring";
    return dts_coll_choice_prepare(&mesh->within, stack, at, err);
}

bool dts_mesh_prepare(void *self, const struct dts_stack *stack, const struct dts_cfg *at,
                      struct dts_error *err)
{
    struct dts_mesh *mesh = self;
    const struct dts_cfg overlap = dts_cfg_member(at, "overlap");
    if (!dts_cfg_exists(&overlap))
        mesh->overlap = !stack->exchanges_after;
    for (int i = 0; dts_offload_name(i) != NULL; i++)
        if (strcmp(dts_offload_name(i), mesh->offload_word) == 0)
            mesh->offload = (enum dts_offload)i;
    if (!read_sharded(mesh, at, err) || !dts_mesh_read_recompute(mesh, at, err) ||
        !dts_mesh_read_compression(mesh, at, err) || !check_offload(mesh, at, err) ||
        !read_order(mesh, at, err) || !read_pipeline(mesh, at, err) ||
        !dts_mesh_read_context(mesh, stack, at, err) ||
        !dts_mesh_read_spatial(mesh, stack, at, err) ||
        !dts_mesh_read_expert(mesh, stack, at, err) ||
        !dts_coll_choice_prepare(&mesh->choice, stack, at, err) ||
        !prepare_within(mesh, stack, at, err) || !dts_mesh_read_local(mesh, at, err))
        return false;
    mesh->order_cfg = (struct dts_cfg){0};
    mesh->policy =
        dts_bucket_policy_of(at, stack, mesh->bucket_bytes, mesh->first_bucket_bytes);
    mesh->policy.cycle_s = 0;
    dts_mesh_set_name(mesh);
    return true;
}

void dts_mesh_release(void *self)
{
    free(((struct dts_mesh *)self)->blocks);
}
