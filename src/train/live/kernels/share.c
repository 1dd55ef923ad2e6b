/* share.c -- what rank 0 has becomes what all ranks have. */
#include "train/live/kernels/share.h"

#include <stdlib.h>

#include "base/mem.h"
#include "train/live/kernels/mirrors.h"
#include "train/live/kernels/server.h"
#include "train/live/kernels/whole.h"
#include "train/strategy/build.h"

/* What rank 0 begins with becomes what all begin with, but for servers that have more digits.
 */
void dts_live_share_weights(struct dts_live_kernels *k)
{
    if (dts_live_divided(k)) {
        float *whole = dts_live_whole_weights(k);
        dts_live_take_weights(k, whole);
        free(whole);
        return;
    }
    float *weights = k->network != NULL ? dts_network_weights(k->network)
                                        : dts_live_server_weights(k->server);
    const size_t count = (size_t)k->point->scenario->model.parameters;
    float *ignored = NULL;
    if (k->server != NULL && dts_live_server_keeps_weights(k->server))
        weights = ignored = dts_alloc(count, sizeof(*weights));
    dts_wire_share(k->wire, weights, count * sizeof(*weights));
    if (k->network != NULL)
        dts_mirror_store_all(dts_network_mirror(k->network, DTS_NETWORK_WEIGHTS));
    else
        dts_live_server_begin(k->server);
    free(ignored);
}

/* Running statistics are of each rank's own samples, where batch normalization is local: from
 * time to time those of rank 0 count for all, as PyTorch's DistributedDataParallel has it.
 * (Where it is synchronized, all have the same.) A server only listens. */
void dts_live_share_states(struct dts_live_kernels *k)
{
    size_t bytes;
    if (dts_live_divided(k)) {
        void *whole = dts_live_whole_states(k, &bytes);
        dts_live_take_states(k, whole);
        free(whole);
        return;
    }
    const struct dts_mirror none = {.bytes = 0};
    const struct dts_network *network = k->network;
    const struct dts_mirror *states =
        network != NULL ? dts_network_mirror(network, DTS_NETWORK_STATES) : &none;
    bytes = states->bytes;
    dts_wire_share(k->wire, &bytes, sizeof(bytes)); // rank 0 is a worker
    void *ignored = network == NULL ? dts_alloc(1, bytes) : NULL;
    dts_mirror_fetch_all(states);
    dts_wire_share(k->wire, network != NULL ? states->here : ignored, bytes);
    dts_mirror_store_all(states);
    dts_live_mirrors_check(k);
    free(ignored);
}
