/* outer.c -- means and outer updates, by kernels that updates and messages have, too. */
#include "train/network/outer.h"

#include "kernels/place.h"

struct dts_trained_arrays dts_network_arrays(struct dts_network *network)
{
    const struct dts_mirror *weights = dts_network_mirror(network, DTS_NETWORK_WEIGHTS);
    return (struct dts_trained_arrays){
        .weights = weights->there,
        .gradients = dts_network_mirror(network, DTS_NETWORK_GRADIENTS)->there,
        .count = dts_network_parameters(network),
        .space = weights->space,
        .workers = dts_network_workers(network)};
}

static struct dts_place place_of(const struct dts_trained_arrays *arrays)
{
    return arrays->space != NULL ? *dts_space_place(arrays->space)
                                 : (struct dts_place){.workers = arrays->workers};
}

void dts_weights_divide(const struct dts_trained_arrays *arrays, int ranks)
{
    const struct dts_place place = place_of(arrays);
    dts_space_enter(arrays->space);
    dts_reduce_scale(arrays->weights, 1 / (float)ranks, arrays->count, &place);
    dts_space_leave(arrays->space);
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

bool dts_outer_open(struct dts_outer *outer, const struct dts_layout *layout,
                    struct dts_space *space, double rate, double momentum,
                    struct dts_error *err)
{
    void *begun;
    *outer = (struct dts_outer){.rate = rate, .momentum = momentum, .space = space};
    if (!dts_space_get(space, layout->parameters * sizeof(float), &begun, err))
        return false;
    outer->begun = begun;
    return dts_optimizer_make_of(&outer->run, layout, &dts_optimizer_nesterov, space, NULL,
                                 err);
}

void dts_outer_close(struct dts_outer *outer)
{
    dts_optimizer_free(outer->run);
    if (outer->begun != NULL)
        dts_space_give_back(outer->space, outer->begun);
    *outer = (struct dts_outer){.rate = 0};
}

void dts_outer_begin(struct dts_outer *outer, const struct dts_trained_arrays *a)
{
    const struct dts_place place = place_of(a);
    dts_space_enter(a->space);
    dts_place_copy(outer->begun, a->weights, a->count * sizeof(float), &place);
    dts_space_leave(a->space);
}

/* The gradient is what the mean moved back by. */
void dts_outer_update(struct dts_outer *outer, const struct dts_trained_arrays *a)
{
    const struct dts_place place = place_of(a);
    struct dts_update_settings settings = {.rate = outer->rate, .momentum = outer->momentum};
    settings.step = ++outer->updates;
    dts_space_enter(a->space);
    dts_place_copy(a->gradients, a->weights, a->count * sizeof(float), &place);
    dts_reduce_scale(a->gradients, -1, a->count, &place);
    dts_reduce_add(a->gradients, outer->begun, a->count, &place);
    dts_place_copy(a->weights, outer->begun, a->count * sizeof(float), &place);
    dts_optimizer_step(outer->run, &settings, a->weights, a->gradients, a->workers);
    dts_space_leave(a->space);
    dts_outer_begin(outer, a);
}
