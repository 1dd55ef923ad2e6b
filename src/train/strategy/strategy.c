/* strategy.c -- the one place where strategies are listed. */
#include "train/strategy/strategy.h"

#include <string.h>

extern const struct dts_strategy_kind dts_strategy_allreduce;
extern const struct dts_strategy_kind dts_strategy_collective;
extern const struct dts_strategy_kind dts_strategy_hybrid;
extern const struct dts_strategy_kind dts_strategy_mesh;
extern const struct dts_strategy_kind dts_strategy_ps;
extern const struct dts_strategy_kind dts_strategy_traffic;

const struct dts_strategy_kind *const dts_strategies[] = {
    &dts_strategy_allreduce,
    &dts_strategy_ps,
    &dts_strategy_hybrid,
    &dts_strategy_mesh,
    &dts_strategy_collective,
    &dts_strategy_traffic,
    NULL,
};

const struct dts_strategy_kind *dts_strategy_find(const char *name)
{
    for (int i = 0; dts_strategies[i] != NULL; i++)
        if (strcmp(dts_strategies[i]->name, name) == 0)
            return dts_strategies[i];
    return NULL;
}

const char *dts_strategy_name(int i)
{
    int count = (int)(sizeof(dts_strategies) / sizeof(dts_strategies[0])) - 1;
    return i >= 0 && i < count ? dts_strategies[i]->name : NULL;
}
