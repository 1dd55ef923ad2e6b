/* update.c -- the table of updates. */
#include <string.h>

#include "kernels/update/update_host.h"

extern const struct dts_update dts_update_sgd;
extern const struct dts_update dts_update_momentum;
extern const struct dts_update dts_update_nesterov;
extern const struct dts_update dts_update_rmsprop;
extern const struct dts_update dts_update_adam;
extern const struct dts_update dts_update_adamw;
extern const struct dts_update dts_update_lars;
extern const struct dts_update dts_update_larc;
extern const struct dts_update dts_update_lamb;
extern const struct dts_update dts_update_novograd;

const struct dts_update *const dts_updates[] = {
    &dts_update_sgd,
    &dts_update_momentum,
    &dts_update_nesterov,
    &dts_update_rmsprop,
    &dts_update_adam,
    &dts_update_adamw,
    &dts_update_lars,
    &dts_update_larc,
    &dts_update_lamb,
    &dts_update_novograd,
    NULL,
};

const struct dts_update *dts_update_find(const char *name)
{
    for (int i = 0; dts_updates[i] != NULL; i++)
        if (strcmp(dts_updates[i]->optimizer->name, name) == 0)
            return dts_updates[i];
    return NULL;
}

size_t dts_update_state_values(const struct dts_update *update, size_t count)
{
    return (size_t)update->optimizer->state_values * count + (size_t)update->scalars;
}

size_t dts_update_scratch_bytes(const struct dts_update *update, size_t count)
{
    const size_t blocks = (count + DTS_UPDATE_BLOCK - 1) / DTS_UPDATE_BLOCK;
    return update->norms ? 2 * (blocks + 1) * sizeof(double) : 0; // on a GPU with factors
}
