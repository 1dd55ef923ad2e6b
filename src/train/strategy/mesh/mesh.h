/* mesh.h -- devices as a mesh with named axes, and a network divided along them.
 *
 * A mesh gives each rank a coordinate on each axis (Shazeer et al. 2018, arXiv:1811.02084).
 * Along one axis something is divided or repeated:
 *
 *     tensor     the matrices of a layer (Megatron-LM; Shoeybi et al. 2019, arXiv:1909.08053)
 *     spatial    the image, or volume, of a sample (Dryden et al. 2019, arXiv:1903.06681)
 *     context    the positions of a sequence (Liu et al. 2023, arXiv:2310.01889)
 *     shard      the state of training of replicas that see other samples
 *     data       nothing: replicas see other samples and sum their gradients
 *     pipeline   the layers: stages (GPipe; Huang et al. 2019, arXiv:1811.06965)
 *
 * Ranks of a job are numbered stage after stage, since a role is a stage. Within a stage tensor
 * is fastest, then spatial, context, shard, data. Which device a rank sits on follows from
 * `order`.
 *
 * Experts have no axis of their own: ranks of context, shard and data that follow one another
 * divide them (Liu et al. 2025, arXiv:2504.14960, "folding"), so that each group of ranks is a
 * stride and a size.
 */
#ifndef DTS_TRAIN_STRATEGY_MESH_MESH_H
#define DTS_TRAIN_STRATEGY_MESH_MESH_H

#include "kernels/compress/compress_cost.h"
#include "train/model/cut/cut.h"
#include "train/strategy/build.h"
#include "train/strategy/coll_choice.h"
#include "train/strategy/mesh/schedule.h"
#include "train/strategy/seat.h"
#include "train/strategy/synchrony.h"

/* In the order in which ranks are numbered, the fastest first. */
enum dts_axis {
    DTS_AXIS_TENSOR,
    DTS_AXIS_SPATIAL,
    DTS_AXIS_CONTEXT,
    DTS_AXIS_SHARD,
    DTS_AXIS_DATA,
    DTS_AXIS_PIPELINE,
    DTS_AXES
};
const char *dts_axis_name(int i); // NULL behind the last

/* What the ranks of the axis "shard" divide; each has all that comes before, too. */
enum dts_sharded {
    DTS_SHARDED_NOTHING,
    DTS_SHARDED_OPTIMIZER,  // ZeRO 1
    DTS_SHARDED_GRADIENTS,  // ZeRO 2
    DTS_SHARDED_PARAMETERS, // ZeRO 3, FSDP
};
const char *dts_sharded_name(int i);

/* What is kept of a layer for backward; the rest is computed again. */
enum dts_keeps {
    DTS_KEEPS_ALL,
    DTS_KEEPS_ENDS,  // of attention: what comes in and goes out (selective; Korthikanti et al.)
    DTS_KEEPS_ENTRY, // of a round: what comes in (full; Chen et al. 2016, arXiv:1604.06174)
};
/* What lies in the memory of the host (ZeRO-Offload; Ren et al. 2021, arXiv:2101.06840.
 * ZeRO-Infinity; Rajbhandari et al. 2021, arXiv:2104.07857). */
enum dts_offload {
    DTS_OFFLOAD_NOTHING,
    DTS_OFFLOAD_OPTIMIZER,  // state and fp32 copy; the host updates
    DTS_OFFLOAD_PARAMETERS, // and weights, which a rank fetches before it gathers them
};
const char *dts_offload_name(int i);

struct dts_mesh_pipeline {
    const char *schedule;
    int chunks;         // parts of the network that each stage has
    bool overlap;       // messages are under way while kernels run; else between them
    bool scatter;       // each tensor rank sends its part of a message, and its peers gather it
    struct dts_cfg cut; // "balanced", "even", or the blocks of each part
};

struct dts_mesh_context {
    const char *exchange;
    enum dts_cut_reach reach;      // that the word stands for
    struct dts_coll_choice choice; // of its collectives
};
const char *dts_reach_name(int i); // "ring", "all_to_all", "all_gather"

struct dts_mesh_spatial {
    struct dts_cfg grid_cfg;
    int grid[DTS_OP_AXES];         // ranks along each axis of an image; product: the axis' size
    int along;                     // axes that they divide
    bool overlap;                  // places that need no halo are computed meanwhile
    struct dts_coll_choice choice; // of halos
};
const char *dts_convolutions_name(int i); // "whole", "filter", "channel", "alternating"

struct dts_mesh_expert {
    int size;
    double skew;
    bool padded; // messages and kernels are of all that the experts could take
    struct dts_coll_choice choice; // of the all-to-all
};

/* What the keys of the strategy say, completed from the stack. */
struct dts_mesh {
    int sizes[DTS_AXES]; // 0: not said
    enum dts_axis fill;  // which is what is left over, where it is not said
    struct dts_cfg order_cfg;
    int order[DTS_AXES]; // axes, the fastest first, over the devices
    struct dts_mesh_pipeline pipeline;
    struct dts_mesh_context context;
    struct dts_mesh_spatial spatial;
    const char *convolutions_word;
    enum dts_cut_convolutions convolutions;
    struct dts_mesh_expert expert;
    const struct dts_pipeline_schedule *schedule;
    int *blocks; // of each part, by hand; owned; NULL: not so
    size_t block_count;
    bool even;
    struct dts_coll_choice choice; // how gradients are summed
    struct dts_coll_choice within; // how tensor ranks sum: as the stack does
    bool sequence_parallel;
    const char *offload_word;
    enum dts_offload offload;
    struct dts_cfg recompute_cfg;
    enum dts_keeps recompute;
    int again_layers;   // blocks that are computed again, or at once; 0: all, one by one
    bool again_uniform; // at once
    const char *sharded_word;
    enum dts_sharded sharded;
    int prefetch; // rounds whose weights are gathered ahead
    bool reshard_after_forward;
    double bucket_bytes, first_bucket_bytes;
    bool overlap;
    struct dts_bucket_policy policy;
    const char *compression_word;
    const struct dts_compression_cost *compression; // of what replicas exchange; NULL: none
    double compression_share;                       // of the values, where not all are sent
    struct dts_synchrony synchrony;                 // of replicas
    char name[128];
};

/* keys_parts.c: what an object of the keys holds, and what follows from it. */
extern const struct dts_field dts_mesh_context_fields[], dts_mesh_expert_fields[],
    dts_mesh_spatial_fields[], dts_mesh_recompute_fields[];
bool dts_mesh_read_spatial(struct dts_mesh *mesh, const struct dts_stack *stack,
                           const struct dts_cfg *at, struct dts_error *err);
bool dts_mesh_read_context(struct dts_mesh *mesh, const struct dts_stack *stack,
                           const struct dts_cfg *at, struct dts_error *err);
bool dts_mesh_read_schedule(struct dts_mesh *mesh, const struct dts_cfg *at,
                            struct dts_error *err);
/* recompute.c: the key of that name, of which an object says how many blocks. */
struct dts_mesh_again_keys {
    int layers;
    const char *method;
};
bool dts_mesh_read_recompute(struct dts_mesh *mesh, const struct dts_cfg *at,
                             struct dts_error *err);
void dts_mesh_recompute_name(const struct dts_mesh *mesh, char *name, size_t size);

bool dts_mesh_read_expert(struct dts_mesh *mesh, const struct dts_stack *stack,
                          const struct dts_cfg *at, struct dts_error *err);

/* local.c: what replicas that train alone cannot be beside. */
bool dts_mesh_read_local(struct dts_mesh *mesh, const struct dts_cfg *at,
                         struct dts_error *err);

/* name.c: sets mesh->name, of all that is not 1 or left out: "mesh_p4_t2_interleaved". */
void dts_mesh_set_name(struct dts_mesh *mesh);
/* compress.c: the keys, and whether they can act on a mesh. */
bool dts_mesh_read_compression(struct dts_mesh *mesh, const struct dts_cfg *at,
                               struct dts_error *err);
struct dts_mesh_shape;
bool dts_mesh_check_compression(const struct dts_point *point,
                                const struct dts_mesh_shape *shape, struct dts_error *err);

/* keys.c: a row of strategies (train/strategy/strategy.h). */
extern const struct dts_field dts_mesh_fields[];
const char *dts_mesh_default_name(const void *self);
bool dts_mesh_prepare(void *self, const struct dts_stack *stack, const struct dts_cfg *at,
                      struct dts_error *err);
void dts_mesh_release(void *self);

/* The mesh of a point: all sizes known. */
struct dts_mesh_shape {
    int size[DTS_AXES];
    int stride[DTS_AXES]; // between devices in the order of the placement
    int stage_ranks;      // tensor x spatial x context x shard x data
    int experts;          // ranks that divide them
    int shards;           // ranks that divide the state of training: spatial x context x
                          // shard, or 1
};

/* Fills sizes that were left out. Refuses devices that they do not divide. */
bool dts_mesh_shape_find(const struct dts_point *point, struct dts_mesh_shape *shape,
                         struct dts_error *err);

struct dts_pipeline_shape dts_mesh_pipeline_shape(const struct dts_point *point,
                                                  const struct dts_mesh_shape *shape);

/* Refuses a pipeline that its schedule cannot do. */
bool dts_mesh_check(const struct dts_point *point, const struct dts_mesh_shape *shape,
                    struct dts_error *err);

/* Replicas: ranks that see samples of their own. */
static inline int dts_mesh_replicas(const struct dts_mesh_shape *shape)
{
    return shape->size[DTS_AXIS_SHARD] * shape->size[DTS_AXIS_DATA];
}

/* Ranks that divide the optimizer's state of parameters that so many ranks of a stage do: those
 * of a stage with the same layers, too. */
int dts_mesh_dividers(const struct dts_mesh *mesh, int shards);

/* The device of a rank, counted in the order of the placement. */
int dts_mesh_device(const struct dts_mesh_shape *shape, int rank);

/* Operations of products, of a sample, of the layers that are computed again. */
double dts_mesh_repeated_flops(const struct dts_point *point);

/* Ranks of a stage that do something together. */
enum dts_mesh_among {
    DTS_AMONG_TENSOR,
    DTS_AMONG_SPATIAL,
    DTS_AMONG_CONTEXT,
    DTS_AMONG_EXPERT,
    DTS_AMONG_SHARDS, // of weights that all but tensor ranks and stages have alike
    DTS_AMONG_COPIES, // ranks that have the same shard, each
    DTS_AMONG_EXPERT_SHARDS,
    DTS_AMONG_EXPERT_COPIES,
};
struct dts_group dts_mesh_group(const struct dts_mesh_shape *shape, enum dts_mesh_among among);
struct dts_members dts_mesh_members(const struct dts_point *point,
                                    const struct dts_mesh_shape *shape,
                                    enum dts_mesh_among among);

/* Neighbours along an axis of an image; the last axis is the fastest of spatial ranks. */
struct dts_members dts_mesh_row_members(const struct dts_point *point,
                                        const struct dts_mesh_shape *shape, const int *grid,
                                        int axis);

/* A part of the network: layers first .. last run on one stage, one after another. */
struct dts_part_of_model {
    int first, last;
    size_t entry, exit; // values of a sample that a rank takes and sends; 0: the network's ends
};

/* Cuts the network into `count` parts, which its schedule gives to stages. A cut lies where a
 * single tensor crosses. The caller frees *parts. */
bool dts_mesh_parts(const struct dts_point *point, const struct dts_cut *cut, int count,
                    struct dts_part_of_model **parts, struct dts_error *err);

/* Of a layer: what is kept of it, and the unit that backward goes through at once, whose number
 * is its first layer: a round, several that are computed again together, or layers of none. */
struct dts_mesh_again {
    enum dts_keeps keeps;
    int unit;
};

/* Of all layers. Refuses more blocks than a part has. The caller frees *again. */
bool dts_mesh_again_find(const struct dts_point *point, const struct dts_part_of_model *parts,
                         int count, struct dts_mesh_again **again, struct dts_error *err);

/* The mesh of a point, and the network divided along it. */
struct dts_mesh_division {
    struct dts_mesh_shape shape;
    struct dts_cut cut;
    struct dts_pipeline_shape pipeline;
    struct dts_part_of_model *parts; // owned
    struct dts_mesh_again *again;    // by layer; owned
};

bool dts_mesh_divide(const struct dts_point *point, struct dts_mesh_division *division,
                     struct dts_error *err);
void dts_mesh_division_free(struct dts_mesh_division *division);

/* What runs again before backward, of a part, for ranks that train; the caller frees it. */
struct dts_again *dts_mesh_repeats(const struct dts_point *point,
                                   const struct dts_mesh_division *division,
                                   const struct dts_part_of_model *part, int *count);

/* All that the plan of a stage follows from. */
struct dts_stage {
    const struct dts_point *point;
    const struct dts_mesh *mesh;
    const struct dts_mesh_shape *shape;
    const struct dts_cut *cut;
    const struct dts_pipeline_shape *pipeline;
    const struct dts_part_of_model *parts; // of all stages
    const struct dts_mesh_again *again;    // by layer
    int number;
    struct dts_plan *plan;
};

/* Fills the plan of a stage. */
bool dts_stage_plan(const struct dts_stage *stage, struct dts_error *err);

/* The axes in lines of text. */
void dts_mesh_describe(const struct dts_point *point, const struct dts_job *job,
                       struct dts_text *text);

/* The memory of the stage that needs most, and which it is. */
bool dts_mesh_memory(const struct dts_point *point, struct dts_memory *memory,
                     struct dts_error *err);

/* What a rank of a stage has, and why it cannot train for real (train/strategy/seat.h). */
bool dts_mesh_seat(const struct dts_point *point, int rank, struct dts_seat *seat,
                   struct dts_error *err);

/* Variation i of a mesh that needs less memory, and how much; total 0: it is so already, or
 * cannot be. False behind the last one. */
bool dts_mesh_lean(const struct dts_point *point, int i, const char **words,
                   struct dts_memory *memory);

#endif
