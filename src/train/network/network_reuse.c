/* network_reuse.c -- leases that lie where a call's scratch does, by when they were used. */
#include "train/network/network_reuse.h"

#include "base/mem.h"
#include "train/network/network_private.h"

/* The share of a call's scratch that others use between two moments; of none all. */
static double share_used(const struct dts_network *n, size_t offset, size_t bytes, int since,
                         int now)
{
    const struct dts_lease scratch = {bytes, since, now, offset};
    const size_t used = dts_arena_used_between(n->leases, n->lease_count, &scratch);
    return bytes > 0 ? (double)used / (double)bytes : 1;
}

bool dts_network_reuse(const struct dts_model *model, const struct dts_network_options *options,
                       struct dts_reuse *layers, struct dts_error *err)
{
    const int update = -1; // before the first moment
    struct dts_network *n = dts_alloc(1, sizeof(*n));
    const bool good = dts_network_prepare(n, model, options, err);
    if (good)
        dts_arena_sort(n->leases, n->lease_count);
    for (int l = 0; l < model->layer_count; l++) {
        layers[l] = (struct dts_reuse){1, 1};
        if (!good || n->nodes[l].op == NULL)
            continue;
        const struct dts_node *node = &n->nodes[l];
        layers[l].forward = share_used(n, node->scratch_forward,
                                       dts_network_scratch_bytes(n, l, false), update, l);
        if (n->calls[l].learns)
            layers[l].backward =
                share_used(n, node->scratch_backward, dts_network_scratch_bytes(n, l, true), l,
                           n->nodes[l].back_at);
    }
    dts_network_free(n);
    return good;
}
