/* network_update.c -- new weights from a network's gradients, dense ones and lists of rows. */
#include "exec/network_private.h"
#include "exec/optimizer.h"

bool dts_network_optimizer(const struct dts_network *n, const struct dts_optimizer *optimizer,
                           struct dts_optimizer_run **run, struct dts_error *err)
{
    return n->lists ? dts_optimizer_make_sparse(run, n->model, optimizer, err)
                    : dts_optimizer_make(run, n->model, optimizer, err);
}

void dts_network_update(struct dts_network *n, struct dts_optimizer_run *optimizer,
                        const struct dts_update_settings *settings, float factor)
{
    const bool scaled = factor < 1 || factor > 1;
    if (scaled)
        dts_optimizer_scale(optimizer, factor, n->gradients, n->workers);
    dts_optimizer_step(optimizer, settings, n->weights, n->gradients, n->workers);
    for (int l = n->model->layer_count - 1; l >= 0; l--) {
        struct dts_sparse *rows = n->nodes[l].rows;
        if (rows == NULL)
            continue;
        if (scaled)
            dts_sparse_scale(rows, factor, n->workers);
        dts_optimizer_rows(optimizer, settings, n->weights, l, rows, n->workers);
    }
}
