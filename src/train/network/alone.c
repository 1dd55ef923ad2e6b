/* alone.c -- copies of weights, and means in double. */
#include "train/network/alone.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

bool dts_alone_open(struct dts_alone *a, struct dts_network *network,
                    const struct dts_optimizer *optimizer,
                    const struct dts_alone_request *request, struct dts_error *err)
{
    const size_t count = dts_network_parameters(network), ranks = (size_t)request->ranks;
    *a = (struct dts_alone){.network = network, .request = *request, .count = count};
    a->weights = dts_alloc(ranks * count, sizeof(*a->weights));
    a->begun = dts_alloc(count, sizeof(*a->begun));
    a->moving = dts_alloc(count, sizeof(*a->moving));
    a->optimizers = dts_alloc(ranks, sizeof(struct dts_optimizer_run *));
    for (int r = 0; r < request->ranks; r++) {
        dts_alone_give(a, r);
        if (!dts_network_optimizer(network, optimizer, &a->optimizers[r], err))
            return false;
    }
    for (size_t i = 0; i < count; i++)
        a->begun[i] = (double)a->weights[i];
    return true;
}

void dts_alone_close(struct dts_alone *a)
{
    for (int r = 0; a->optimizers != NULL && r < a->request.ranks; r++)
        dts_optimizer_free(a->optimizers[r]);
    free(a->optimizers);
    free(a->weights);
    free(a->begun);
    free(a->moving);
    *a = (struct dts_alone){0};
}

static float *of_rank(const struct dts_alone *a, int rank)
{
    return a->weights + (size_t)rank * a->count;
}

void dts_alone_take(struct dts_alone *a, int rank)
{
    memcpy(dts_network_weights(a->network), of_rank(a, rank), a->count * sizeof(float));
}

void dts_alone_give(struct dts_alone *a, int rank)
{
    memcpy(of_rank(a, rank), dts_network_weights(a->network), a->count * sizeof(float));
}

static double mean(const struct dts_alone *a, size_t i)
{
    double sum = 0;
    for (int r = 0; r < a->request.ranks; r++)
        sum += (double)of_rank(a, r)[i];
    return sum / a->request.ranks;
}

void dts_alone_meet(struct dts_alone *a)
{
    const double rate = a->request.outer_rate, momentum = a->request.outer_momentum;
    float *weights = dts_network_weights(a->network);
    for (size_t i = 0; i < a->count; i++) {
        const double moved = a->begun[i] - mean(a, i);
        a->moving[i] = momentum * a->moving[i] + moved;
        weights[i] = (float)(a->begun[i] - rate * (moved + momentum * a->moving[i]));
        a->begun[i] = (double)weights[i];
    }
    for (int r = 0; r < a->request.ranks; r++)
        dts_alone_give(a, r);
}

void dts_alone_mean(struct dts_alone *a)
{
    float *weights = dts_network_weights(a->network);
    for (size_t i = 0; i < a->count; i++)
        weights[i] = (float)mean(a, i);
}
