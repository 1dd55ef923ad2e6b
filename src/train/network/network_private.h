/* network_private.h -- what the files of the network tell one another. */
#ifndef DTS_TRAIN_NETWORK_NETWORK_PRIVATE_H
#define DTS_TRAIN_NETWORK_NETWORK_PRIVATE_H

#include "kernels/place.h"
#include "train/model/calls.h"
#include "train/network/arena.h"
#include "train/network/network.h"

/* What a layer's call works with. Offsets are in bytes into the arena. */
struct dts_node {
    const struct dts_operation *op; // NULL: nothing runs
    size_t output, saved, gradient, scratch_forward, scratch_backward;
    size_t more[DTS_OP_INPUTS]; // where the gradient of an input goes that others add to, too
    size_t state;               // into network->states
    struct dts_sparse *rows;    // gradient of its table; owned; NULL: dense
    struct dts_mirror target;   // here NULL: the layer is no loss
    size_t targets;             // values of it for a sample
    struct dts_arrays arrays;   // by dts_network_gather(); a call sets what is its own
};

struct dts_network {
    const struct dts_model *model;
    struct dts_network_options options;
    struct dts_layer_call *calls; // owned; one for each layer
    struct dts_node *nodes;       // owned; the same
    size_t *offsets;              // owned; of the first parameter tensor of each layer
    size_t *gradient_offsets;     // owned; the same among the gradients
    struct dts_mirror weights, gradients, states, input;
    void *weights_room, *gradients_room; // what these lie in; NULL: elsewhere
    size_t parameter_count, gradient_count;
    bool lists;                 // gradients of sparse tables are
    struct dts_sparse spare[2]; // owned; what lists are added with
    void *input_half;           // owned; what the first layers read in mixed precision
    bool tokens;
    void *arena;              // owned
    struct dts_lease *leases; // owned; what lies in it when
    int lease_count;
    size_t arena_bytes, state_bytes;
    struct dts_space *space, *own_space; // own_space: owned; NULL: the options say which
    struct dts_network_step step;
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

/* The moment of a step at which a layer's call runs backward; forward its number is. */
static inline int dts_network_backward_at(const struct dts_network *n, int layer)
{
    return 2 * n->model->layer_count - 1 - layer;
}

static inline const struct dts_place *dts_network_where(const struct dts_network *n)
{
    return dts_space_place(n->space);
}

/* Finds the arrays of all calls, again when one lies elsewhere: a small call would spend a
 * large part of its time on finding its own. */
void dts_network_gather(struct dts_network *network);

/* What lies at an offset of the arena. */
static inline void *dts_network_at(const struct dts_network *n, size_t offset)
{
    return (char *)n->arena + offset;
}

/* Of a layer, or the input: DTS_CALL_ENTRY. There, for kernels. */
void *dts_network_output(const struct dts_network *network, int tensor);

/* Memory for weights and gradients, zeros; network_lines.c. */
bool dts_network_get_parameters(struct dts_network *n, struct dts_error *err);

/* Gives a room back that nothing lies in any more. */
void dts_network_leave_room(struct dts_network *n, void **room);

#endif
