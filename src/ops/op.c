/* op.c -- the table of operations. */
#include <string.h>

#include "ops/op.h"

extern const struct dts_op dts_op_conv;

extern const struct dts_op dts_op_adaptive_pool;
extern const struct dts_op dts_op_avg_pool;
extern const struct dts_op dts_op_global_pool;
extern const struct dts_op dts_op_max_pool;

extern const struct dts_op dts_op_batch_norm;

extern const struct dts_op dts_op_relu;

extern const struct dts_op dts_op_add;

const struct dts_op *const dts_ops[] = {
    // products
    &dts_op_conv,

    // pools
    &dts_op_adaptive_pool,
    &dts_op_avg_pool,
    &dts_op_global_pool,
    &dts_op_max_pool,

    // normalizations
    &dts_op_batch_norm,

    // functions of one value
    &dts_op_relu,

    // of several inputs, of shapes
    &dts_op_add,
    NULL,
};

const struct dts_op *dts_op_find(const char *name)
{
    for (int i = 0; dts_ops[i] != NULL; i++)
        if (strcmp(dts_ops[i]->name, name) == 0)
            return dts_ops[i];
    return NULL;
}
