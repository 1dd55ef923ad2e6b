/* op.c -- the table of operations. */
#include <string.h>

#include "ops/op.h"

extern const struct dts_op dts_op_conv;

const struct dts_op *const dts_ops[] = {
    &dts_op_conv,
    NULL,
};

const struct dts_op *dts_op_find(const char *name)
{
    for (int i = 0; dts_ops[i] != NULL; i++)
        if (strcmp(dts_ops[i]->name, name) == 0)
            return dts_ops[i];
    return NULL;
}
