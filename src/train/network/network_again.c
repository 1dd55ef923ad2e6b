/* network_again.c -- moments of a step, and from when to when a tensor is needed.
 *
 * Forward of layer l is moment l. Behind the last one come the backward calls, the last layer's
 * first, each behind those of layers that run again before it (train/model/again.h). Of n
 * layers none of which does, backward of layer l is moment 2 n - 1 - l.
 *
 * What a layer makes that runs again lives twice: from its forward call to the last that reads
 * it forward, and from its second call on. What backward reads before that is kept all the
 * while, and written a second time with what is there already: what leaves the layers that run
 * again, or what comes out of attention.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "train/network/network_private.h"

void dts_network_find_moments(struct dts_network *n)
{
    const struct dts_network_options *o = &n->options;
    int moment = n->model->layer_count;
    for (int l = 0; l < n->model->layer_count; l++)
        n->nodes[l].again_at = -1;
    for (int l = n->model->layer_count - 1; l >= 0; l--) {
        for (int u = 0; u < o->again_count; u++)
            for (int k = o->again[u].first; o->again[u].before == l && k <= o->again[u].last;
                 k++) {
                n->nodes[k].again_at = moment++;
                n->nodes[k].inside = o->again[u].inside;
            }
        n->nodes[l].back_at = moment++;
    }
    n->moments = moment;
}

/* When a tensor is read: last of all before the turn, first and last of all behind it. */
struct reads {
    int forward, first, last; // first: the number of moments, where there is none
};

static void read(const struct dts_network *n, struct reads *tensor, int moment)
{
    if (moment < n->model->layer_count) {
        tensor->forward = moment > tensor->forward ? moment : tensor->forward;
        return;
    }
    tensor->first = moment < tensor->first ? moment : tensor->first;
    tensor->last = moment > tensor->last ? moment : tensor->last;
}

/* A loss is read whenever somebody wants to know it. */
static void find_reads(const struct dts_network *n, struct reads *tensors)
{
    for (int l = 0; l < n->model->layer_count; l++)
        tensors[l] = (struct reads){l, n->moments, -1};
    for (int l = 0; l < n->model->layer_count; l++) {
        const struct dts_node *node = &n->nodes[l];
        const struct dts_layer_call *c = &n->calls[l];
        if (node->op == NULL)
            continue;
        for (int i = 0; i < c->call.input_count; i++) {
            if (c->inputs[i] == DTS_CALL_ENTRY)
                continue;
            struct reads *input = &tensors[c->inputs[i]];
            if (c->gathers && !c->brings) // it takes what another one brought
                continue;
            read(n, input, l);
            if (node->again_at >= 0)
                read(n, input, node->again_at);
            if (c->learns && node->op->needs_x && !c->gathers)
                read(n, input, node->back_at);
        }
        if (node->op->loss)
            read(n, &tensors[l], n->moments);
        else if (c->learns && (node->op->needs_y || c->call.relu))
            read(n, &tensors[l], node->back_at);
    }
}

static int later(int a, int b)
{
    return a > b ? a : b;
}

void dts_network_find_lives(const struct dts_network *n, struct dts_lives *lives)
{
    struct reads *tensors = dts_alloc((size_t)n->model->layer_count, sizeof(*tensors));
    find_reads(n, tensors);
    for (int l = 0; l < n->model->layer_count; l++) {
        const struct dts_node *node = &n->nodes[l];
        const struct reads *t = &tensors[l];
        const bool loss = node->op != NULL && node->op->loss;
        const bool twice = node->again_at >= 0 && !loss && t->first >= node->again_at;
        lives[l] = (struct dts_lives){.death = later(t->forward, t->last), .again = -1};
        if (twice)
            lives[l] = (struct dts_lives){.death = t->forward,
                                          .again = node->again_at,
                                          .end = later(node->again_at, t->last)};
        else
            lives[l].death = later(lives[l].death, node->again_at);
    }
    free(tensors);
}
