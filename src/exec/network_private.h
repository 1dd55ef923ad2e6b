/* network_private.h -- what the files of the network tell one another. */
#ifndef DTS_EXEC_NETWORK_PRIVATE_H
#define DTS_EXEC_NETWORK_PRIVATE_H

#include "exec/network.h"
#include "train/calls.h"

/* What a layer's call works with. Offsets are in bytes into the arena. */
struct dts_node {
    const struct dts_operation *op; // NULL: nothing runs
    size_t output, saved, gradient, scratch_forward, scratch_backward;
    size_t more[DTS_OP_INPUTS]; // where the gradient of an input goes that others add to, too
    size_t state;               // into network->states
    struct dts_sparse *rows;    // gradient of its table; owned; NULL: dense
    void *target;               // owned
    size_t targets;             // values of it for a sample
};

struct dts_network {
    const struct dts_model *model;
    struct dts_network_options options;
    struct dts_layer_call *calls; // owned; one for each layer
    struct dts_node *nodes;       // owned; the same
    size_t *offsets;              // owned; of the first parameter tensor of each layer
    size_t *gradient_offsets;     // owned; the same among the gradients
    float *weights, *gradients;   // owned where the next two say so
    bool owns_weights, owns_gradients;
    size_t parameter_count, gradient_count;
    bool lists;                 // gradients of sparse tables are
    struct dts_sparse spare[2]; // owned; what lists are added with
    void *input;                // owned
    uint16_t *input_half;       // owned; what the first layers read in mixed precision
    bool tokens;
    char *arena, *states; // owned
    size_t arena_bytes, state_bytes;
    struct dts_workers *workers; // owned
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

/* Find what lives when, and where it lies. The nodes have their operations. */
void dts_network_place(struct dts_network *network);

/* Of a layer, or the input: DTS_CALL_ENTRY. */
void *dts_network_output(const struct dts_network *network, int tensor);

#endif
