/* optimizer.c -- the table of optimizers. */
#include <string.h>

#include "train/model/model.h"

const struct dts_optimizer *const dts_optimizers[] = {
    &dts_optimizer_sgd,
    &dts_optimizer_momentum,
    &dts_optimizer_nesterov,
    &dts_optimizer_rmsprop,
    &dts_optimizer_adam,
    &dts_optimizer_adamw,
    &dts_optimizer_lars,
    &dts_optimizer_larc,
    &dts_optimizer_lamb,
    &dts_optimizer_novograd,
    NULL,
};

const struct dts_optimizer *dts_optimizer_find(const char *name)
{
    for (int i = 0; dts_optimizers[i] != NULL; i++)
        if (strcmp(dts_optimizers[i]->name, name) == 0)
            return dts_optimizers[i];
    return NULL;
}

const char *dts_optimizer_name(int i)
{
    return dts_optimizers[i] != NULL ? dts_optimizers[i]->name : NULL;
}
