/* network_update.c -- new weights from a network's gradients, dense ones and lists of rows. */
#include "train/network/network_private.h"
#include "train/network/optimizer.h"

bool dts_network_optimizer(const struct dts_network *n, const struct dts_optimizer *optimizer,
                           struct dts_optimizer_run **run, struct dts_error *err)
{
    return dts_network_optimizer_of(n, optimizer, NULL, run, err);
}

bool dts_network_optimizer_of(const struct dts_network *n,
                              const struct dts_optimizer *optimizer,
                              const struct dts_optimizer_part *part,
                              struct dts_optimizer_run **run, struct dts_error *err)
{
    return dts_optimizer_make_of(run, &n->layout, optimizer, n->space, part, err);
}

bool dts_network_finite(struct dts_network *n, const struct dts_optimizer_run *optimizer)
{
    dts_space_enter(n->space);
    struct dts_workers *workers = dts_network_workers(n);
    bool finite = dts_optimizer_finite(optimizer, n->gradients.there, workers);
    for (int l = 0; l < n->model->layer_count; l++)
        if (n->nodes[l].rows != NULL)
            finite = finite && dts_sparse_finite(n->nodes[l].rows, workers);
    dts_space_leave(n->space);
    return finite;
}

void dts_network_update(struct dts_network *n, struct dts_optimizer_run *optimizer,
                        const struct dts_update_settings *settings, float factor)
{
    const bool scaled = factor < 1 || factor > 1;
    struct dts_workers *workers = dts_network_workers(n);
    dts_space_enter(n->space);
    if (scaled)
        dts_optimizer_scale(optimizer, factor, n->gradients.there, workers);
    dts_optimizer_step(optimizer, settings, n->weights.there, n->gradients.there, workers);
    for (int l = n->model->layer_count - 1; l >= 0; l--) {
        struct dts_sparse *rows = n->nodes[l].rows;
        if (rows == NULL)
            continue;
        if (scaled)
            dts_sparse_scale(rows, factor, workers);
        dts_optimizer_rows(optimizer, settings, n->weights.there, l, rows, workers);
    }
    dts_space_leave(n->space);
}
