/* network_whole.c -- between a stage's arrays and those of the whole model. */
#include <assert.h>
#include <string.h>

#include "train/network/network_private.h"

size_t dts_network_whole_bytes(const struct dts_network *n, enum dts_network_array array)
{
    if (array == DTS_NETWORK_STATES)
        return n->whole_state_bytes;
    size_t values = 0;
    for (int l = 0; l < n->model->layer_count; l++)
        for (int p = 0; p < n->model->layers[l].param_count; p++)
            values += dts_layer_values(&n->model->layers[l], p);
    return values * sizeof(float);
}

static void move_states(const struct dts_network *n, char *whole, bool give)
{
    for (int l = n->first; l < n->end; l++) {
        const struct dts_node *node = &n->nodes[l];
        if (node->state_bytes == 0)
            continue;
        char *mine = (char *)n->states.here + node->state, *other = whole + node->whole_state;
        memcpy(give ? other : mine, give ? mine : other, node->state_bytes);
    }
}

void dts_network_give(const struct dts_network *n, enum dts_network_array array, void *whole)
{
    if (array == DTS_NETWORK_STATES) {
        move_states(n, whole, true);
        return;
    }
    assert(array == DTS_NETWORK_WEIGHTS || n->layout.gradients == n->layout.parameters);
    dts_layout_give(&n->layout, dts_network_mirror(n, array)->here, whole);
}

void dts_network_take(struct dts_network *n, enum dts_network_array array, const void *whole)
{
    if (array == DTS_NETWORK_STATES) {
        move_states(n, (char *)whole, false);
        return;
    }
    assert(array == DTS_NETWORK_WEIGHTS || n->layout.gradients == n->layout.parameters);
    dts_layout_take(&n->layout, dts_network_mirror(n, array)->here, whole);
}
