/* op.c -- the table of operations. */
#include <string.h>

#include "ops/op.h"

extern const struct dts_op dts_op_conv;
extern const struct dts_op dts_op_linear;
extern const struct dts_op dts_op_mean_squared_error;
extern const struct dts_op dts_op_softmax_cross_entropy;

const struct dts_op *const dts_ops[] = {
    &dts_op_conv,
    &dts_op_linear,
    &dts_op_mean_squared_error,
    &dts_op_softmax_cross_entropy,
    NULL,
};

const struct dts_op *dts_op_find(const char *name)
{
    for (int i = 0; dts_ops[i] != NULL; i++)
        if (strcmp(dts_ops[i]->name, name) == 0)
            return dts_ops[i];
    return NULL;
}
