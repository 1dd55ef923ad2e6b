/* network_private.h -- what the files of the network tell one another. */
#ifndef DTS_TRAIN_NETWORK_NETWORK_PRIVATE_H
#define DTS_TRAIN_NETWORK_NETWORK_PRIVATE_H

#include "kernels/place.h"
#include "train/model/calls.h"
#include "train/network/arena.h"
#include "train/network/network.h"

/* What a layer's call works with. Offsets are in bytes into the arena, those of slot 0. */
struct dts_node {
    const struct dts_operation *op; // NULL: nothing runs
    size_t output, saved, gradient, scratch_forward, scratch_backward;
    size_t output_again, saved_again; // the same in backward, where the layer runs again,
    size_t scratch_again;
    int again_at; // at that moment; -1: it does not
    bool inside;  // in its backward call
    int back_at;  // the moment of which

    /* Where ranks have parts (train/model/part.h): parts of the sums that the output is; the
     * output with the positions of all; their gradients, the latter's in parts of sums. */
    size_t sum, sum_again, sum_gradient;
    size_t wide, wide_again, wide_gradient;
    size_t more[DTS_OP_INPUTS]; // where the gradient of an input goes that others add to, too
    size_t state, whole_state;  // into network->states, and into those of the whole model
    size_t state_bytes;         // rounded up
    struct dts_sparse *rows;    // gradient of its table; owned; NULL: dense
    int first_tensor, tensors;  // of the layout: those at the layer's place, its own and
                                // borrowed ones
    size_t first, all;          // of its table or its classes, where they are divided
    struct dts_op_places drawn; // of what its dropout draws
    size_t shift;               // of its first tensor, to the values of the rank's positions
    size_t targets;             // values of it for a sample; 0: the layer is no loss
    float *zeros;               // in place of a bias that another rank adds; owned; or NULL
};

/* A microbatch in flight. */
struct dts_network_slot {
    struct dts_network_step step;
    struct dts_mirror input;   // here NULL: nobody reads it
    void *input_half;          // owned; what the first layers read in mixed precision
    struct dts_mirror *target; // owned; by layer; here NULL: it is no loss

    /* Where ranks have parts of the positions: those of the input and of targets, as kernels
     * read them; owned. */
    void *input_part, **target_parts;
    struct dts_mirror edges[DTS_NETWORK_EDGES];

    /* By layer, by dts_network_gather(); a call sets what is its own. Owned. */
    struct dts_arrays *arrays, *arrays_back; // forward; again, and backward
};

struct dts_network {
    const struct dts_model *model;
    struct dts_network_options options;
    int first, end;                 // of the range
    int entry, exit;                // tensors of the cuts at its ends; DTS_CALL_ENTRY: none
    bool reads_input;               // of the model
    struct dts_layer_call *calls;   // owned; one for each layer
    struct dts_node *nodes;         // owned; the same
    struct dts_network_slot *slots; // owned; options.slots of them
    int slot;                       // the one that is selected
    struct dts_layout layout;
    struct dts_mirror weights, gradients, states;
    void *weights_room, *gradients_room; // what these lie in; NULL: elsewhere
    struct dts_sparse spare[2];          // owned; what lists are added with
    bool tokens;
    void *arena;              // owned
    struct dts_lease *leases; // owned; what lies in it when
    int lease_count;

    /* In the arena first lies what all slots share, then what each has of its own. */
    size_t shared_bytes, kept_bytes, arena_bytes;
    size_t state_bytes, whole_state_bytes;
    int moments;
    int context, contexts; // which of so many ranks that have parts of the positions
    struct dts_space *space, *own_space; // own_space: owned; NULL: the options say which
    bool mixed;
    enum dts_half half; // where it is
    struct dts_network_part part;
};

/* Bytes of a value that layers hand one another. */
static inline size_t dts_network_real(const struct dts_network *n)
{
    return n->mixed ? sizeof(uint16_t) : sizeof(float);
}

/* All but memory: its calls, their operations, and what lies where. Zeros before; to be freed
 * with dts_network_free(), whatever it returns. */
bool dts_network_prepare(struct dts_network *network, const struct dts_model *model,
                         const struct dts_network_options *options, struct dts_error *err);

/* Find what lives when, and where it lies. The nodes have their operations. */
void dts_network_place(struct dts_network *network);

/* Scratch of a layer's call, forward or backward. */
size_t dts_network_scratch_bytes(const struct dts_network *network, int layer, bool backward);

/* Moments of a step (network_again.c): of backward calls, and of those that run again. */
void dts_network_find_moments(struct dts_network *network);

/* A layer's output, from its forward call on; again: from its second call on, to the end; -1:
 * it lives once. */
struct dts_lives {
    int death, again, end;
};
void dts_network_find_lives(const struct dts_network *network, struct dts_lives *lives);

static inline const struct dts_place *dts_network_where(const struct dts_network *n)
{
    return dts_space_place(n->space);
}

/* Where the gradient of an input is, as a layer takes it: of all that take it so. */
void *dts_network_gradient_sum(const struct dts_network *network, int layer, int input);

/* Finds the arrays of all calls, again when one lies elsewhere: a small call would spend a
 * large part of its time on finding its own. */
void dts_network_gather(struct dts_network *network);

/* What lies at an offset of the arena for a slot. */
static inline void *dts_network_at(const struct dts_network *n, int slot, size_t offset)
{
    const size_t further = offset < n->shared_bytes ? 0 : (size_t)slot * n->kept_bytes;
    return (char *)n->arena + offset + further;
}

static inline const struct dts_network_slot *dts_network_now(const struct dts_network *n)
{
    return &n->slots[n->slot];
}

/* Of a layer, or the input: DTS_CALL_ENTRY; in the selected slot. There, for kernels. */
void *dts_network_output(const struct dts_network *network, int tensor);

/* Bytes of a tensor, or of its gradient, for a batch; of an input of a call, as it takes it. */
size_t dts_network_tensor_bytes(const struct dts_network *network, int tensor);
size_t dts_network_input_bytes(const struct dts_network *network, int layer, int input);

/* Does a call leave parts of sums, of which the rank keeps those of its positions? */
static inline bool dts_network_scatters(const struct dts_network *n, int layer)
{
    return n->model->layers[layer].part != NULL && n->model->layers[layer].part->scatters;
}

/* The range, and what goes over its cuts (network_range.c): calls and operations are those of
 * the whole model before, and of the range behind. */
bool dts_network_cut_out(struct dts_network *network, struct dts_error *err);

/* Memory of all slots; network_slots.c. */
bool dts_network_get_slots(struct dts_network *n, struct dts_error *err);
void dts_network_free_slots(struct dts_network *n);

/* The rank's positions of the input and the targets of the selected slot. */
void dts_network_take_positions(struct dts_network *n);

/* Memory for weights and gradients, zeros; network_lines.c. */
bool dts_network_get_parameters(struct dts_network *n, struct dts_error *err);

/* Gives a room back that nothing lies in any more. */
void dts_network_leave_room(struct dts_network *n, void **room);

#endif
