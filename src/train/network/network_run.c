/* network_run.c -- forward and backward calls of single layers. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/mixed.h"
#include "kernels/reduce/reduce.h"
#include "train/network/network_private.h"

size_t dts_network_row_values(const struct dts_network *n, int layer)
{
    const struct dts_operation *op = n->nodes[layer].op;
    return op != NULL && op->row_values != NULL
               ? op->row_values(&n->calls[layer].call, n->options.batch)
               : 0;
}

/* The arrays of a layer's call in this step, and this part of it. */
static const struct dts_arrays *now(const struct dts_network *n, int layer, bool backward)
{
    const struct dts_network_slot *slot = dts_network_now(n);
    const struct dts_node *node = &n->nodes[layer];
    const bool again = !backward && n->part.again;
    struct dts_arrays *a = &(backward || again ? slot->arrays_back : slot->arrays)[layer];
    a->scratch = dts_network_at(n, n->slot,
                                backward ? node->scratch_backward
                                : again  ? node->scratch_again
                                         : node->scratch_forward);
    a->part = n->part.part;
    a->sums = n->part.sums;
    a->ranks = n->part.ranks;
    a->rank = n->part.rank;
    a->rows = n->part.rows;
    a->training = slot->step.training;
    a->step = slot->step.number;
    a->first_sample = slot->step.first_sample;
    return a;
}

void dts_network_begin(struct dts_network *n, const struct dts_network_step *step)
{
    struct dts_network_slot *slot = &n->slots[n->slot];
    slot->step = *step;
    n->part = (struct dts_network_part){.part = DTS_OP_WHOLE};
    dts_network_take_positions(n);
    dts_mirror_store_all(&slot->input);
    for (int l = 0; l < n->model->layer_count; l++)
        dts_mirror_store_all(&slot->target[l]);
    if (slot->input_half == NULL)
        return;
    const struct dts_place *place = dts_network_where(n);
    dts_space_enter(n->space);
    dts_reduce_narrow(n->half, slot->input_half, slot->input.there,
                      (size_t)n->options.batch * dts_dims_elements(&n->model->input), place);
    dts_space_leave(n->space);
}

void dts_network_divide(struct dts_network *n, int layer, size_t first, size_t all)
{
    assert(n->nodes[layer].op != NULL && n->nodes[layer].op->divides);
    n->nodes[layer].first = first;
    n->nodes[layer].all = all;
    dts_network_gather(n);
}

void dts_network_take_part(struct dts_network *n, const struct dts_network_part *part)
{
    n->part = *part;
}

/* All gradients follow from those of the losses, which are few values: scaled here, none has to
 * be scaled later. */
static void scale_loss(const struct dts_network *n, int layer, const struct dts_arrays *a,
                       float scale)
{
    const struct dts_op_call *call = &n->calls[layer].call;
    const struct dts_place *place = dts_network_where(n);
    for (int i = 0; i < call->input_count && scale != 1; i++)
        if (a->dx[i] != NULL)
            dts_reduce_scale(a->dx[i], scale,
                             (size_t)a->batch * dts_dims_elements(&call->inputs[i]), place);
}

static void run(const struct dts_network *n, int layer, const struct dts_arrays *a,
                bool backward)
{
    const struct dts_operation *op = n->nodes[layer].op;
    const struct dts_op_call *call = &n->calls[layer].call;
    const struct dts_place *place = dts_network_where(n);
    const struct dts_op_version *version = dts_place_version(place, op);
    const double loss_scale = dts_network_now(n)->step.loss_scale;
    const float scale = loss_scale > 0 ? (float)loss_scale : 1;
    const struct dts_mixed mixed = {.half = n->half, .loss_scale = scale};
    if (n->mixed)
        (backward ? dts_mixed_backward : dts_mixed_forward)(op, &mixed, call, a, place);
    else
        (backward ? version->backward : version->forward)(call, a, place);
    if (!n->mixed && backward && op->loss)
        scale_loss(n, layer, a, scale);
}

/* The gradient of an input that others take, too. */
static void add_gradient(struct dts_network *n, int layer, int input, const void *more,
                         size_t count)
{
    const struct dts_place *place = dts_network_where(n);
    void *sum = dts_network_gradient_sum(n, layer, input);
    if (n->mixed)
        dts_reduce_add_half(n->half, sum, more, count, place);
    else
        dts_reduce_add(sum, more, count, place);
}

/* Layer by layer, and not at once: gradients of the step before of other layers may still be
 * on their way to servers. */
static void clear_gradients(struct dts_network *n, int layer)
{
    const struct dts_node *node = &n->nodes[layer];
    size_t first = 0, count = 0; // neighbours at once
    if (node->rows != NULL)
        node->rows->count = 0;
    for (int i = 0; i <= node->tensors; i++) {
        const struct dts_layout_tensor *t =
            i < node->tensors ? &n->layout.tensors[node->first_tensor + i] : NULL;
        if (t != NULL && t->listed)
            continue;
        if (t != NULL && count > 0 && t->gradient == first + count) {
            count += t->param->count;
            continue;
        }
        if (count > 0)
            dts_space_clear(n->space, (float *)n->gradients.there + first,
                            count * sizeof(float));
        first = t != NULL ? t->gradient : 0;
        count = t != NULL ? t->param->count : 0;
    }
}

static void find_rows(struct dts_network *n, int layer, const struct dts_arrays *a,
                      struct dts_sparse *list)
{
    const struct dts_op_call *call = &n->calls[layer].call;
    if (n->mixed)
        dts_mixed_rows(list, n->nodes[layer].op, n->half, call, a, dts_network_where(n));
    else
        dts_sparse_gradient(list, call, a, dts_network_where(n)->workers);
}

/* The list of a table's rows grows by those of this microbatch. */
static void add_rows(struct dts_network *n, int layer, const struct dts_arrays *a)
{
    struct dts_sparse *rows = n->nodes[layer].rows, *more = &n->spare[0], *sum = &n->spare[1];
    struct dts_workers *workers = dts_network_where(n)->workers;
    if (rows->count == 0) {
        find_rows(n, layer, a, rows);
        return;
    }
    find_rows(n, layer, a, more);
    dts_sparse_merge(sum, rows, more, workers);
    const struct dts_sparse keep = *rows;
    *rows = *sum;
    *sum = keep;
}

/* What lives from step to step is of the first call alone: statistics count a batch once. */
static void run_again(struct dts_network *n, int layer)
{
    const struct dts_node *node = &n->nodes[layer];
    char *state = (char *)n->states.there + node->state; // of a CPU
    char *kept = dts_alloc(node->state_bytes, 1);
    memcpy(kept, state, node->state_bytes);
    assert(node->again_at >= 0);
    run(n, layer, now(n, layer, false), false);
    memcpy(state, kept, node->state_bytes);
    free(kept);
}

void dts_network_forward(struct dts_network *n, int layer)
{
    const struct dts_network_step *step = &dts_network_now(n)->step;
    assert(layer >= n->first && layer < n->end);
    if (step->training && !step->keep_gradients && !n->part.again)
        clear_gradients(n, layer);
    if (n->nodes[layer].op == NULL)
        return;
    dts_space_enter(n->space);
    if (n->part.again)
        run_again(n, layer);
    else
        run(n, layer, now(n, layer, false), false);
    dts_space_leave(n->space);
}

/* Is this part of a backward call the one that leaves the gradients of inputs? */
static bool makes_gradients(enum dts_op_part part)
{
    return part == DTS_OP_WHOLE || part == DTS_OP_REST || part == DTS_OP_RETURN;
}

void dts_network_backward(struct dts_network *n, int layer)
{
    struct dts_node *node = &n->nodes[layer];
    const struct dts_layer_call *c = &n->calls[layer];
    assert(layer >= n->first && layer < n->end);
    if (node->op == NULL || !c->learns)
        return;
    dts_space_enter(n->space);
    if (node->inside) {
        n->part.again = true;
        run_again(n, layer);
        n->part.again = false;
    }
    const struct dts_arrays *a = now(n, layer, true);
    if (node->rows != NULL)
        add_rows(n, layer, a);
    else
        run(n, layer, a, true);
    for (int i = 0; i < c->call.input_count && makes_gradients(n->part.part); i++)
        if (c->adds[i])
            add_gradient(n, layer, c->inputs[i], a->dx[i],
                         (size_t)n->options.batch * dts_dims_elements(&c->call.inputs[i]));
    dts_space_leave(n->space);
}

double dts_network_loss(const struct dts_network *n)
{
    double sum = 0;
    for (int l = 0; l < n->model->layer_count; l++) {
        if (n->nodes[l].op == NULL || !n->nodes[l].op->loss)
            continue;
        void *copy;
        const float *each = dts_space_look(n->space, dts_network_output(n, l),
                                           (size_t)n->options.batch * sizeof(*each), &copy);
        for (int i = 0; i < n->options.batch; i++)
            sum += (double)each[i] / n->options.batch;
        free(copy);
    }
    return sum;
}
