/* gossip.c -- the rank's side of AD-PSGD (train/strategy/gossip.h).
 *
 * Who answers has two sets of weights: those that it computes with, and those that others
 * change in the meantime, whose turn it is when it updates. Each is changed under a guard, so a
 * mean and an update follow one another, and none is lost.
 */
#include "train/strategy/gossip.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "live/guard.h"
#include "train/live/kernels/synchrony.h"
#include "train/network/outer.h"

struct dts_live_gossip {
    size_t count;
    int every;               // steps from one exchange to the next
    float *theirs;           // who asks: what it took; the plan's
    float *shared;           // who answers: weights that others change; owned
    struct dts_guard *guard; // of those; owned
};

void dts_live_gossip_open(struct dts_live_kernels *k)
{
    const bool asks = k->rank.role->first == 0;
    struct dts_live_gossip *g = dts_alloc(1, sizeof(*g));
    g->count = dts_network_parameters(k->network);
    g->every = dts_point_synchrony(k->point)->local_steps;
    if (asks) {
        g->theirs = k->rank.buffers[DTS_MET];
    } else {
        g->shared = dts_alloc(g->count, sizeof(*g->shared));
        g->guard = dts_guard_new();
    }
    k->gossip = g;
}

void dts_live_gossip_close(struct dts_live_kernels *k)
{
    if (k->gossip == NULL)
        return;
    dts_guard_free(k->gossip->guard);
    free(k->gossip->shared);
    free(k->gossip);
    k->gossip = NULL;
}

void dts_live_gossip_start(struct dts_live_kernels *k)
{
    if (k->gossip != NULL && k->gossip->shared != NULL)
        memcpy(k->gossip->shared, dts_network_weights(k->network),
               k->gossip->count * sizeof(float));
}

void dts_live_gossip_update_begin(struct dts_live_kernels *k)
{
    const struct dts_live_gossip *g = k->gossip;
    if (g == NULL || g->shared == NULL)
        return;
    dts_guard_enter(g->guard);
    memcpy(dts_network_weights(k->network), g->shared, g->count * sizeof(float));
}

void dts_live_gossip_update_end(struct dts_live_kernels *k)
{
    const struct dts_live_gossip *g = k->gossip;
    if (g == NULL || g->shared == NULL)
        return;
    memcpy(g->shared, dts_network_weights(k->network), g->count * sizeof(float));
    dts_guard_leave(g->guard);
}

void dts_live_gossip_average(struct dts_live_kernels *k, const struct dts_op *op)
{
    const struct dts_live_gossip *g = k->gossip;
    if (g->shared == NULL) {
        dts_weights_meet(dts_network_weights(k->network), g->theirs, g->count);
        return;
    }
    dts_guard_enter(g->guard);
    dts_weights_answer(g->shared, k->rank.buffers[DTS_MET + op->call.slot], g->count);
    dts_guard_leave(g->guard);
}

/* What the last step has taken is part of the mean that the next one begins with. */
void dts_live_gossip_settle(const struct dts_live_kernels *k, float *weights)
{
    const struct dts_live_gossip *g = k->gossip;
    if (g == NULL)
        return;
    if (g->shared != NULL)
        memcpy(weights, g->shared, g->count * sizeof(*weights));
    else if (k->step >= 0 && (k->step + 1) % g->every == 0)
        dts_weights_meet(weights, g->theirs, g->count);
}
