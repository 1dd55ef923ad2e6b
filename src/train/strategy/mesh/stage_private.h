/* stage_private.h -- what the files that build the plan of a stage tell one another. */
#ifndef DTS_TRAIN_STRATEGY_MESH_STAGE_PRIVATE_H
#define DTS_TRAIN_STRATEGY_MESH_STAGE_PRIVATE_H

#include "train/strategy/mesh/mesh.h"

/* The buffer behind DTS_GRADIENTS and DTS_WEIGHTS: what ranks of a stage exchange between
 * calls, one tensor at a time. */
enum { DTS_STAGE_SUMS = DTS_WEIGHTS + 1 };

/* Buffers of a chunk, in the order in which a plan has them behind DTS_STAGE_SUMS. Each has the
 * values of one microbatch for each slot. */
enum dts_stage_buffer {
    DTS_STAGE_ENTRY,          // activations that arrived
    DTS_STAGE_EXIT,           // activations that leave
    DTS_STAGE_ENTRY_GRADIENT, // their gradients, that leave
    DTS_STAGE_EXIT_GRADIENT,  // and that arrived
    DTS_STAGE_BUFFERS
};

static inline int dts_stage_buffer_of(int chunk, enum dts_stage_buffer which)
{
    return DTS_STAGE_SUMS + 1 + chunk * DTS_STAGE_BUFFERS + (int)which;
}

/* Operations that last used a set of activations; -1: none in this step. */
struct dts_slot {
    int used;     // the backward call after which it is free
    int sent;     // the message that took its exit away
    int returned; // the message that took its entry's gradient away
};

/* A part of the network that the stage has. */
struct dts_stage_chunk {
    struct dts_pipeline_place place;
    int before, behind;   // stages that have the parts before and behind; -1: there is none
    int behind_chunk;     // of that stage
    int first_microbatch; // of those that it sees in a step
};

struct dts_stage_work {
    const struct dts_stage *stage;
    int stages, chunks;
    struct dts_stage_chunk *at; // of each chunk
    struct dts_pipeline_pass *passes;
    int *slots, length;   // of each pass
    int *most;            // slots of each chunk
    int most_slots;       // of any
    struct dts_slot *use; // chunk * most_slots + slot
    int *ready;           // by layer: the call that last changed its gradients
    int *begin; // room: the first layers of calls, of each pass that runs with another
    int *open, open_count; // waits for the update of the step before
    size_t open_room;
    struct dts_gradient *gradients; // of the stage, in the order of the buffer; owned
    int gradient_count;
    size_t parameters;
    int dense_count; // gradients, and parameters, that come before those of experts
    size_t dense_parameters;
    struct dts_stage_sum *sums; // collectives between calls that are known; owned
    int sum_count;
    size_t sum_room;
    int *unit_ends, unit_count; // the last call of each round that was passed through, in order
    size_t unit_room;
    int last_unit;           // its first layer
    int offloaded;           // the last copy of gradients to the host; -1: none
    int ended;               // the operation that ended the last pass; -1: none yet
    int here;                // the pass's last operation on the stream of kernels; -1: none
    int side;                // one on another stream that the next kernel waits for; -1: none
    int held[4], held_count; // messages that the next kernel waits for, needed or not

    /* Rounds whose gradients are summed in each microbatch: the span, and the last operation
     * that does; owned. */
    struct dts_scattered {
        int first, last; // layers
        struct dts_span span;
        int op;
    } * scattered;
    int scattered_count;
    size_t scattered_room;
    int wire;       // the buffer of compressed messages
    int reduced[2]; // the last operations that sum gradients of rounds: of experts, [1], and of
                    // all else; -1: none
    bool failed;    // *err says why
    struct dts_error *err;
};

static inline const struct dts_part_of_model *dts_stage_part(const struct dts_stage_work *w,
                                                             int chunk)
{
    return &w->stage->parts[w->at[chunk].place.part];
}

static inline struct dts_slot *dts_stage_slot(struct dts_stage_work *w, int chunk, int slot)
{
    return &w->use[chunk * w->most_slots + slot];
}

static inline bool dts_stage_is_forward(enum dts_pass pass)
{
    return pass == DTS_FORWARD || pass == DTS_RECOMPUTE;
}

/* Do ranks sum something up amid the layer's call? */
static inline bool dts_stage_has_halves(const struct dts_cut_layer *layer, bool forward)
{
    return layer->exchange_count[forward ? DTS_CUT_AMID_FORWARD : DTS_CUT_AMID_BACKWARD] > 0;
}

/* Adds the second half of a call, which its first one becomes, of so many seconds. A loss over
 * a part of the classes has halves around what ranks gather; nearly all its time is in the
 * first. */
int dts_stage_rest(struct dts_stage_work *work, int first, double seconds);

/* Adds a call that sums up over all ranks' places, in halves, and what is between them. The
 * first waits for `waits`. Returns the second. */
int dts_stage_halves(struct dts_stage_work *work, const struct dts_pipeline_pass *pass,
                     int slot, int layer, const int *waits, int count);

/* Adds a call of layers first .. last, and before it one of the places of its first layer that
 * need nothing of the halo under way. Returns the former. */
int dts_stage_beside(struct dts_stage_work *work, const struct dts_pipeline_pass *pass,
                     int slot, int first, int last, const int *waits, int count);

/* Adds the buffer of what ranks exchange between calls. */
void dts_stage_sums(struct dts_stage_work *work);

/* positions.c: elements of the gradients that tensor ranks add up, and the collective that
 * does, behind operation `first` and all that follow; returns it, or -1: there are none. */
size_t dts_stage_summed(const struct dts_stage_work *work);
int dts_stage_sum_positions(struct dts_stage_work *work, int first);

/* A collective between calls, but for its data. What a library chooses for one size it chooses
 * for all of that size. NULL: it failed. */
const struct dts_collective *dts_stage_collective(struct dts_stage_work *work,
                                                  enum dts_cut_among among,
                                                  enum dts_coll_kind kind, size_t count);

/* Adds what ranks exchange around a layer at that moment; the first operation waits for `after`
 * (-1: for nothing more). Returns the last operation; -1: nothing is exchanged. */
int dts_stage_exchanges(struct dts_stage_work *work, const struct dts_pipeline_pass *pass,
                        int slot, int layer, enum dts_cut_moment moment, int after);

/* Adds the calls of attention in a ring, and what goes round; the first of each waits for
 * `waits`. Returns the operation behind which all is there. */
enum { DTS_STAGE_WAITS = 8 }; // of a call, at most
int dts_stage_ring(struct dts_stage_work *work, const struct dts_pipeline_pass *pass, int slot,
                   int layer, const int *waits, int count);

/* The operation that was added last is the first behind messages between kernels. */
void dts_stage_await_held(struct dts_stage_work *work);

/* Adds one call of layers first .. last, or a part of it. */
int dts_stage_call(struct dts_stage_work *work, const struct dts_pipeline_pass *pass, int slot,
                   int first, int last, double share);

/* The operation that was added last waits for what is under way on another stream; or it is
 * there itself, and waits for the kernels before it. */
void dts_stage_await_side(struct dts_stage_work *work);
void dts_stage_await_here(struct dts_stage_work *work, int after);

/* What calls of a pass through a round wait for; -1: for nothing. */
struct dts_stage_awaited {
    int after;        // before what tensor ranks exchange
    int gather;       // brings the weights
    int scattered[2]; // take the gradients of the microbatch before away
    int sent;         // the call that writes there alone: takes away what the microbatch
                      // before left
};

/* Adds what ranks exchange before the call of layers first .. last, as dts_stage_exchanges().
 */
int dts_stage_before(struct dts_stage_work *work, const struct dts_pipeline_pass *pass,
                     int slot, int first, int last, int after);

/* Adds the call of layers first .. last, and what ranks exchange behind it. Returns the last
 * operation. */
int dts_stage_segment(struct dts_stage_work *work, const struct dts_pipeline_pass *pass,
                      int slot, int first, int last, const struct dts_stage_awaited *awaited);

/* Gathers what arrived from another stage in parts, whole on each tensor rank. Returns what
 * kernels wait for. */
int dts_stage_gather_parts(struct dts_stage_work *work, const struct dts_pipeline_pass *pass,
                           int arrived);

/* A pass, and what it waits for. */
enum { DTS_STAGE_TOGETHER = 2 };
struct dts_stage_pass {
    const struct dts_pipeline_pass *pass;
    int slot;
    int arrived; // the first operation waits for it; -1: for nothing
    int sent;    // the one that begins to write a tensor for another stage waits for it
    int op;      // filled: the last operation
};

/* Adds all calls of passes that run together, and what ranks of the stage exchange between
 * them. Up to DTS_STAGE_TOGETHER. */
void dts_stage_passes(struct dts_stage_work *work, struct dts_stage_pass *passes, int count);

/* The operation that was added last waits for the update of the step before. */
void dts_stage_after_update(struct dts_stage_work *work);

/* Gathers the weights of layers first .. last, which a pass needs next; -1: they are there. */
int dts_stage_gather(struct dts_stage_work *work, enum dts_pass pass, int first, int last);

/* The operation that sums gradients of the microbatch before, of these layers and of those
 * whose weights they share, where each microbatch does; -1: none. */
void dts_stage_scattered(const struct dts_stage_work *work, int first, int last, int ops[2]);

/* Call `op` was the last of a pass through these layers: their gradients may leave. */
void dts_stage_unit_end(struct dts_stage_work *work, enum dts_pass pass, int first, int last,
                        int op);

static inline bool dts_stage_is_of_experts(const struct dts_stage_work *w,
                                           const struct dts_span *span)
{
    return span->first >= w->dense_parameters;
}

/* The ranks that divide a span, or those that have the same part of it each. */
static inline enum dts_mesh_among dts_stage_shards_of(const struct dts_stage_work *w,
                                                      const struct dts_span *span)
{
    return dts_stage_is_of_experts(w, span) ? DTS_AMONG_EXPERT_SHARDS : DTS_AMONG_SHARDS;
}

static inline enum dts_mesh_among dts_stage_copies_of(const struct dts_stage_work *w,
                                                      const struct dts_span *span)
{
    return span->first < w->dense_parameters ? DTS_AMONG_COPIES : DTS_AMONG_EXPERT_COPIES;
}

static inline int dts_stage_group_size(const struct dts_stage_work *w,
                                       enum dts_mesh_among among)
{
    return dts_mesh_group(w->stage->shape, among).size;
}

/* A collective of ranks of the stage. */
int dts_stage_collect(struct dts_stage_work *work, enum dts_stream stream,
                      enum dts_mesh_among among, enum dts_coll_kind kind, const char *label,
                      struct dts_span data);

/* Sums what lies in a buffer over shard and data: reduce-scatter and all-reduce, or either. */
int dts_stage_sum(struct dts_stage_work *work, enum dts_stream stream, int number,
                  struct dts_span span, int after);

/* Sums a part of the gradients over shard and data; returns the operation that ends it. */
int dts_stage_reduce(struct dts_stage_work *work, enum dts_stream stream, int number,
                     struct dts_span span, int after);

/* Where two copies of the network are: half of a part of the gradients is summed over both, and
 * over the replicas, when operation `ready` is done; then the halves are exchanged, after which
 * all is there. The second returns the operation. */
struct dts_twin_sum {
    int bucket;
    struct dts_span mine, other; // halves
    int sent, done;              // operations: the other half left, this one is summed
};
struct dts_twin_sum dts_stage_twin_halves(const struct dts_stage_work *work, int number,
                                          struct dts_span span);
struct dts_twin_sum dts_stage_twin_sum(struct dts_stage_work *work, int number,
                                       struct dts_span span, int ready);
int dts_stage_twin_exchange(struct dts_stage_work *work, const struct dts_twin_sum *sum);

/* Where gradients are compressed (compress.c): the buffer of messages, and the sum of a part of
 * the gradients by them, as dts_stage_reduce(). */
void dts_stage_wire(struct dts_stage_work *work);
int dts_stage_sum_messages(struct dts_stage_work *work, int number, struct dts_span span,
                           int after);

/* Gathers what each rank has updated of the weights. */
void dts_stage_gather_updated(struct dts_stage_work *work, const struct dts_bucket *buckets,
                              int count, int update);

/* Do ranks of the stage divide the optimizer's state of a span? */
bool dts_stage_divides(const struct dts_stage_work *work, struct dts_span span);

/* What a rank keeps of a span of gradients or weights, and of all parameters. */
double dts_stage_part_bytes(const struct dts_stage_work *work, struct dts_span span);
double dts_stage_kept(const struct dts_stage_work *work);

/* Of the host: a copy of so many bytes between it and the device, behind `after`; its update of
 * what the rank keeps. Return the operation. */
int dts_stage_copy(struct dts_stage_work *work, const char *label, double bytes, int after);
int dts_stage_host_update(struct dts_stage_work *work, int after);

/* Fails where the platform does not say what is needed to offload. */
bool dts_stage_can_offload(const struct dts_stage *stage, struct dts_error *err);

/* The characters of a layer's name that say its round: of "h.3.fc" those of "h.3"; 0: none. */
size_t dts_round_length(const char *name);

/* The last layer of a round that has to run again for what backward reads: the last that keeps
 * something and is read in the round. What leaves the round is kept as the next one's entry. */
int dts_stage_last_again(const struct dts_point *point, int first, int last);

/* The part of a layer's backward seconds that makes the gradients of its inputs. */
double dts_stage_input_share(const struct dts_point *point, int layer);

/* Is a tensor of a layer one that expert ranks divide? */
static inline bool dts_stage_of_expert(const struct dts_mesh_shape *shape,
                                       const struct dts_cut_layer *layer, int param)
{
    return shape->experts > 1 && layer->expert_params >= 0 && param >= layer->expert_params;
}

/* Lists the gradients of the stage and adds their buffer: first what all replicas have, then
 * experts; each in the order in which backward ends, the last chunk first, in it the last
 * layer, in it the last tensor. A tied weight whose owner is on another stage is a tensor of
 * its own here, behind the layer's others. */
void dts_stage_gradients(struct dts_stage_work *work);

/* Call `op` was the last of a microbatch that changed the gradients of layers first .. last. */
void dts_stage_ready(struct dts_stage_work *work, int first, int last, int op);

/* A part of the gradients, cut where a weight lies that another stage shares: of both copies a
 * rank has the same shares then. Returns how many pieces; pieces of gradients and of weights
 * lie alike. Without shards there is one. */
enum { DTS_STAGE_PIECES = 3 };
int dts_stage_pieces(const struct dts_stage_work *work, struct dts_span span,
                     struct dts_span pieces[DTS_STAGE_PIECES]);

/* local.c: adds what replicas that train alone do when they meet, behind the update, which is
 * the last operation. Returns the operation after which the weights of the step are there. */
int dts_stage_average(struct dts_stage_work *work, const struct dts_bucket *buckets, int count,
                      int update);

/* Adds what sums gradients over replicas, and tied weights over stages. Fills the buckets,
 * which the caller frees. */
bool dts_stage_exchange(struct dts_stage_work *work, struct dts_bucket **buckets, int *count,
                        struct dts_error *err);

#endif
