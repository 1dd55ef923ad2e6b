/* network_update.c -- new weights from a network's gradients, dense ones and lists of rows. */
#include "exec/network_private.h"
#include "exec/optimizer.h"

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
