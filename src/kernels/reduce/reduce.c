/* reduce.c -- the table of reductions. */
#include <string.h>

#include "kernels/reduce/reduce.h"

extern const struct dts_reduction dts_reduction_add;
extern const struct dts_reduction dts_reduction_add_doubles;
extern const struct dts_reduction dts_reduction_add_half;
extern const struct dts_reduction dts_reduction_add_widened;
extern const struct dts_reduction dts_reduction_scale;
extern const struct dts_reduction dts_reduction_finite;
extern const struct dts_reduction dts_reduction_narrow;
extern const struct dts_reduction dts_reduction_widen;
extern const struct dts_reduction dts_reduction_round;

const struct dts_reduction *const dts_reductions[] = {
    &dts_reduction_add,
    &dts_reduction_add_doubles,
    &dts_reduction_add_half,
    &dts_reduction_add_widened,
    &dts_reduction_scale,
    &dts_reduction_finite,
    &dts_reduction_narrow,
    &dts_reduction_widen,
    &dts_reduction_round,
    // ends the table
    NULL,
};

const struct dts_reduction *dts_reduction_find(const char *name)
{
    for (int i = 0; dts_reductions[i] != NULL; i++)
        if (strcmp(dts_reductions[i]->name, name) == 0)
            return dts_reductions[i];
    return NULL;
}
