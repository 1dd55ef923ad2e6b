/* memory.c -- what a stage holds: its part of the weights and their state, and the activations
 * of the microbatches that the schedule keeps at once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/strategy/mesh/stage_private.h"
#include "train/strategy/mesh/whole.h"

static const struct dts_part_of_model *
part_of(const struct dts_mesh_division *d, const struct dts_mesh *mesh, int stage, int chunk)
{
    return &d->parts[dts_pipeline_place(mesh->schedule, &d->pipeline, stage, chunk).part];
}

/* Has a stage the layer? */
static bool has(const struct dts_mesh_division *d, const struct dts_mesh *mesh, int stage,
                int layer)
{
    for (int c = 0; c < d->pipeline.chunks; c++) {
        const struct dts_part_of_model *part = part_of(d, mesh, stage, c);
        if (layer >= part->first && layer <= part->last)
            return true;
    }
    return false;
}

double dts_mesh_parameters(const struct dts_point *point, const struct dts_mesh_division *d,
                           int number, const struct dts_part_of_model *part, bool experts)
{
    const struct dts_mesh *mesh = point->strategy->self;
    const struct dts_model *m = &point->scenario->model;
    const struct dts_cut *cut = &d->cut;
    double parameters = 0;
    for (int l = part->first; l <= part->last; l++) {
        for (int p = 0; p < m->layers[l].param_count; p++)
            if (dts_stage_of_expert(&d->shape, &cut->layers[l], p) == experts)
                parameters += (double)cut->layers[l].params[p];
        if (!experts && m->layers[l].tied_to >= 0 &&
            !has(d, mesh, number, m->layers[l].tied_to))
            parameters += (double)cut->layers[m->layers[l].tied_to].params[0];
    }
    return parameters;
}

/* A stage while backward goes down through one part: what is kept, what it works with, and the
 * gradients that it has made. Bytes; activations of one sample. */
struct sweep {
    const struct dts_point *point;
    const struct dts_mesh_division *division;
    const struct dts_cut *cut;
    int stage;
    double bytes;                       // of a value
    double kept;                        // from forward to backward, by all layers
    double peak;                        // batch x (left + working), at the worst moment
    struct dts_whole whole;             // at that moment
    double left;                        // at the moment: what is kept still
    double repeated, largest;           // of the round: computed again, tensor
    const struct dts_mesh_again *again; // by layer
    double loss;                        // of the round: arrays of its loss
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
    return from >= 0 ? (double)dts_dims_elements(&cut->layers[from].held) * bytes : 0;
}

/* Is the layer the first of its round, or of those that are computed again at once, or of none?
 */
static bool begins(const struct sweep *w, const struct dts_part_of_model *part, int l)
{
    return l == part->first ||
           dts_round_length(w->point->scenario->model.layers[l].name) == 0 ||
           w->again[l].unit != w->again[l - 1].unit;
}

/* Bytes of the arrays of a loss, where the stack says them; 0: it does not, or it is none. */
static double loss_bytes(const struct dts_point *point, const struct dts_cut *cut, int l)
{
    const struct dts_layer *layer = &point->scenario->model.layers[l];
    if (strcmp(layer->kind->name, "softmax_cross_entropy") != 0)
        return 0;
    return (double)dts_dims_elements(&cut->layers[l].call.inputs[0]) *
           point->scenario->stack.memory.loss_value_bytes;
}

/* Features x positions of a sample that runs through a part. */
static double width_of(const struct dts_point *point, const struct dts_cut *cut,
                       const struct dts_part_of_model *part)
{
    return (double)dts_dims_elements(&point->scenario->model.layers[part->first].output) /
           cut->context;
}

/* Of the round that begins with layer l: what the software keeps of it without need. */
static double block_bytes(const struct sweep *w, const struct dts_part_of_model *part, int l)
{
    const bool block = dts_round_length(w->point->scenario->model.layers[l].name) > 0;
    return block ? width_of(w->point, w->cut, part) / w->cut->ranks *
                       w->point->scenario->stack.memory.block_bytes
                 : 0;
}

/* What a layer keeps from forward to backward. */
static double kept_bytes(const struct sweep *w, const struct dts_part_of_model *part, int l)
{
    const enum dts_keeps keeps = w->again[l].keeps;
    if (loss_bytes(w->point, w->cut, l) > 0)
        return 0; // all of it is among the loss's arrays
    if (keeps != DTS_KEEPS_ENTRY)
        return saved_bytes(&w->cut->layers[l], w->bytes, keeps == DTS_KEEPS_ENDS) +
               (begins(w, part, l) ? block_bytes(w, part, l) : 0);
    return begins(w, part, l) ? entry_bytes(w->point, w->cut, l, w->bytes) : 0;
}

/* Backward is about to leave the round of a layer: all of it is still there. */
static void leave_round(struct sweep *w, const struct dts_part_of_model *part, int layer)
{
    const double working = fmax(2 * w->largest, w->loss) + w->repeated;
    const double activations = w->point->batch * (w->left + working);
    const struct dts_whole whole = dts_mesh_whole(w->point, w->division, w->stage, part, layer);
    if (activations + dts_whole_bytes(&whole) <= w->peak + dts_whole_bytes(&w->whole))
        return;
    w->peak = activations;
    w->whole = whole;
}

/* Backward through a layer. A gradient, and what it came from, are two tensors. */
static void pass_layer(struct sweep *w, const struct dts_part_of_model *part, int l,
                       double *round)
{
    const struct dts_cut_layer *mine = &w->cut->layers[l];
    w->loss = fmax(w->loss, loss_bytes(w->point, w->cut, l));
    w->largest = fmax(w->largest, (double)dts_dims_elements(&mine->held) * w->bytes);
    if (w->again[l].keeps == DTS_KEEPS_ENTRY)
        w->repeated += saved_bytes(mine, w->bytes, false);
    *round += kept_bytes(w, part, l);
}

static void sweep_part(struct sweep *w, const struct dts_part_of_model *part)
{
    double round = 0;
    const struct dts_mesh *mesh = w->point->strategy->self;
    const double whole = mesh->pipeline.scatter ? w->cut->ranks : 1; // it is gathered
    w->kept = (double)part->entry * whole * w->bytes;
    for (int l = part->first; l <= part->last; l++)
        w->kept += kept_bytes(w, part, l);
    w->left = w->kept;
    for (int l = part->last; l >= part->first; l--) {
        pass_layer(w, part, l, &round);
        if (!begins(w, part, l))
            continue;
        leave_round(w, part, l);
        w->left -= round;
        round = w->repeated = w->largest = w->loss = 0;
    }
}

/* What the software holds beside the state: gradients as the kernels made them, copies of them
 * in buckets, the room into which updated weights are gathered. */
static double copies_of(const struct dts_point *point, const struct dts_mesh_division *d,
                        double parameters, double bytes)
{
    const struct dts_mesh *mesh = point->strategy->self;
    const struct dts_stack_memory *software = &point->scenario->stack.memory;
    const bool whole = mesh->sharded == DTS_SHARDED_NOTHING;
    const bool travels = dts_mesh_replicas(&d->shape) * d->shape.size[DTS_AXIS_CONTEXT] *
                             d->shape.size[DTS_AXIS_SPATIAL] >
                         1;
    const bool apart =
        software->gradients_fp32 && !software->gradients_fused && bytes < 4; // from their sums
    const bool rounds = d->shape.shards > 1; // whole.c counts what they divide, round by round
    double values = 0;
    values += apart && !(rounds && mesh->sharded >= DTS_SHARDED_GRADIENTS) ? parameters : 0;
    values += software->bucket_copies && travels && whole ? parameters : 0;
    values += software->gather_copies && travels && !whole &&
                      !(rounds && mesh->sharded == DTS_SHARDED_PARAMETERS)
                  ? parameters
                  : 0;
    return values * bytes;
}

/* What is there all the time, of parameters whose state so many ranks divide. */
static void add_state(const struct dts_point *point, const struct dts_mesh_division *d,
                      double parameters, int shards, struct dts_memory *memory)
{
    const struct dts_scenario *s = point->scenario;
    const double bytes = (double)dts_precision_bytes(s->precision);
    const double state_bytes = bytes > 4 ? bytes : 4, copy_bytes = bytes < 4 ? 4 : 0;
    const struct dts_mesh *mesh = point->strategy->self;
    const double dividers = dts_mesh_dividers(mesh, shards);
    const double by[4] = {1, mesh->sharded >= DTS_SHARDED_OPTIMIZER ? dividers : 1,
                          mesh->sharded >= DTS_SHARDED_GRADIENTS ? shards : 1,
                          mesh->sharded >= DTS_SHARDED_PARAMETERS ? shards : 1};
    const bool sums_fp32 = s->stack.memory.gradients_fp32 || s->stack.memory.gradients_fused;
    const double gradient_bytes = sums_fp32 && bytes < 4 ? 4 : bytes;
    const bool here = mesh->offload == DTS_OFFLOAD_NOTHING;
    const double kept_bytes = mesh->offload == DTS_OFFLOAD_PARAMETERS ? 0 : bytes;
    memory->weights += parameters * (kept_bytes / by[DTS_SHARDED_PARAMETERS] +
                                     (here ? copy_bytes : 0) / by[DTS_SHARDED_OPTIMIZER]);
    memory->gradients += parameters * (gradient_bytes / by[DTS_SHARDED_GRADIENTS] +
                                       (mesh->compression != NULL ? 4 : 0)); // what stays
    memory->optimizer += (here ? 1 : 0) * parameters * s->optimizer->state_values *
                         state_bytes / by[DTS_SHARDED_OPTIMIZER];
    memory->optimizer += parameters * (double)dts_synchrony_outer_bytes(&mesh->synchrony) /
                         by[DTS_SHARDED_OPTIMIZER];
    memory->framework += copies_of(point, d, parameters, bytes);
}

/* What tensor ranks hold gathered though nobody reads it any more. */
static double gathered(const struct dts_point *point, const struct dts_mesh_division *d,
                       const struct dts_part_of_model *part)
{
    const int *size = d->shape.size;
    const bool there = size[DTS_AXIS_TENSOR] > 1 && size[DTS_AXIS_PIPELINE] == 1;
    return there ? point->batch * width_of(point, &d->cut, part) *
                       point->scenario->stack.memory.gathered_bytes
                 : 0;
}

/* Weights of products in 8 bits, in both orders; those that are gathered are not kept. */
static double eight_bits(const struct dts_point *point, const struct dts_mesh_division *d,
                         const struct dts_part_of_model *part)
{
    const struct dts_mesh *mesh = point->strategy->self;
    const struct dts_layer *layers = point->scenario->model.layers;
    double parameters = 0;
    for (int l = part->first; l <= part->last; l++)
        for (int p = 0; p < layers[l].param_count && layers[l].eight; p++)
            parameters += (double)d->cut.layers[l].params[p];
    const bool there =
        point->scenario->precision == DTS_FP8 && mesh->sharded != DTS_SHARDED_PARAMETERS;
    return there ? 2 * parameters : 0;
}

/* What is there all the time of a stage's part. */
static void add_part(const struct dts_point *point, const struct dts_mesh_division *d,
                     int number, const struct dts_part_of_model *part,
                     struct dts_memory *memory)
{
    const struct dts_mesh *mesh = point->strategy->self;
    for (int experts = 0; experts < 2; experts++)
        add_state(
            point, d, dts_mesh_parameters(point, d, number, part, experts == 1),
            dts_mesh_group(&d->shape, experts == 1 ? DTS_AMONG_EXPERT_SHARDS : DTS_AMONG_SHARDS)
                .size,
            memory);
    memory->framework += gathered(point, d, part);
    memory->weights += eight_bits(point, d, part);
    if (!mesh->reshard_after_forward)
        memory->unsharded += dts_mesh_gathered(point, d, number, part);
}

/* Of one stage; all its chunks. Only one of them computes at a time: what it works with is the
 * most of any. */
static struct dts_memory of_stage(const struct dts_point *point,
                                  const struct dts_mesh_division *d, int number)
{
    const struct dts_mesh *mesh = point->strategy->self;
    int *most = dts_pipeline_most(mesh->schedule, &d->pipeline, number);
    struct dts_memory memory = {.framework = point->scenario->stack.memory.context_bytes};
    struct dts_whole whole = {0};
    double working = 0;
    for (int c = 0; c < d->pipeline.chunks; c++) {
        const struct dts_part_of_model *part = part_of(d, mesh, number, c);
        struct sweep w = {
            .point = point,
            .division = d,
            .cut = &d->cut,
            .stage = number,
            .bytes = (double)dts_precision_bytes(point->scenario->precision),
            .again = d->again,
        };
        sweep_part(&w, part);
        add_part(point, d, number, part, &memory);
        memory.activations += point->batch * most[c] * w.kept;
        const double mine = w.peak - point->batch * w.kept; // below 0: some had been left
        if (mine + dts_whole_bytes(&w.whole) > working + dts_whole_bytes(&whole))
            working = mine, whole = w.whole;
    }
    memory.activations += working;
    memory.unsharded += dts_whole_bytes(&whole);
    memory.total = memory.weights + memory.gradients + memory.optimizer + memory.activations +
                   memory.framework + memory.unsharded;
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
    const int stages = d.shape.size[DTS_AXIS_PIPELINE];
    double first = 0;
    for (int s = 0; s < stages; s++) {
        const struct dts_memory one = of_stage(point, &d, s);
        first = s == 0 ? one.total : first;
        if (one.total > memory->total)
            *memory = one;
    }
    memory->host = dts_mesh_host(point, &d);
    memory->host_for = "weights and state that are offloaded";
    memory->first_stage = stages > 1 ? first : 0;
    dts_mesh_division_free(&d);
    return true;
}
