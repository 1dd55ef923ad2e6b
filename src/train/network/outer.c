/* outer.c -- means and outer updates, by kernels that updates and messages have, too. */
#include "train/network/outer.h"

#include "kernels/place.h"

static float *there(const struct dts_network *network, enum dts_network_array array)
{
    return dts_network_mirror(network, array)->there;
}

static struct dts_space *space_of(const struct dts_network *network)
{
    return dts_network_mirror(network, DTS_NETWORK_WEIGHTS)->space;
}

static struct dts_place place_of(struct dts_network *network)
{
    const struct dts_space *space = space_of(network);
    return space != NULL ? *dts_space_place(space)
                         : (struct dts_place){.workers = dts_network_workers(network)};
}

void dts_weights_divide(struct dts_network *network, int ranks)
{
    const struct dts_place place = place_of(network);
    dts_space_enter(space_of(network));
    dts_reduce_scale(there(network, DTS_NETWORK_WEIGHTS), 1 / (float)ranks,
                     dts_network_parameters(network), &place);
    dts_space_leave(space_of(network));
}

void dts_weights_answer(float *own, float *other, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const float before = own[i];
        own[i] = 0.5F * (before + other[i]);
        other[i] = before;
    }
}

void dts_weights_meet(float *own, const float *other, size_t count)
{
    for (size_t i = 0; i < count; i++)
        own[i] = 0.5F * (own[i] + other[i]);
}

bool dts_outer_open(struct dts_outer *outer, struct dts_network *network, double rate,
                    double momentum, struct dts_error *err)
{
    void *begun;
    *outer = (struct dts_outer){.rate = rate, .momentum = momentum, .network = network};
    if (!dts_space_get(space_of(network), dts_network_parameters(network) * sizeof(float),
                       &begun, err))
        return false;
    outer->begun = begun;
    return dts_network_optimizer(network, &dts_optimizer_nesterov, &outer->run, err);
}

void dts_outer_close(struct dts_outer *outer)
{
    dts_optimizer_free(outer->run);
    if (outer->network != NULL)
        dts_space_give_back(space_of(outer->network), outer->begun);
    *outer = (struct dts_outer){.rate = 0};
}

void dts_outer_begin(struct dts_outer *outer)
{
    const struct dts_place place = place_of(outer->network);
    dts_space_enter(space_of(outer->network));
    dts_place_copy(outer->begun, there(outer->network, DTS_NETWORK_WEIGHTS),
                   dts_network_parameters(outer->network) * sizeof(float), &place);
    dts_space_leave(space_of(outer->network));
}

/* The gradient is what the mean moved back by. */
void dts_outer_update(struct dts_outer *outer)
{
    struct dts_network *network = outer->network;
    const struct dts_place place = place_of(network);
    const size_t count = dts_network_parameters(network);
    float *weights = there(network, DTS_NETWORK_WEIGHTS);
    float *moved = there(network, DTS_NETWORK_GRADIENTS);
    struct dts_update_settings settings = {.rate = outer->rate, .momentum = outer->momentum};
    settings.step = ++outer->updates;
    dts_space_enter(space_of(network));
    dts_place_copy(moved, weights, count * sizeof(float), &place);
    dts_reduce_scale(moved, -1, count, &place);
    dts_reduce_add(moved, outer->begun, count, &place);
    dts_place_copy(weights, outer->begun, count * sizeof(float), &place);
    dts_space_leave(space_of(network));
    dts_network_update(network, outer->run, &settings, 1);
    dts_outer_begin(outer);
}
