/* op_shapes.h -- cases of operations by their shapes alone. */
#ifndef DTS_TESTS_OP_SHAPES_H
#define DTS_TESTS_OP_SHAPES_H

#include "kernels/op_check.h"

/* An operation with an output of the inputs' shape, all of them alike. */
static inline struct op_case op_alike(const char *op, int batch, struct dts_dims dims,
                                      int inputs)
{
    struct op_case c = {.batch = batch,
                        .call = {.op = op, .input_count = inputs, .output = dims}};
    for (int i = 0; i < inputs; i++)
        c.call.inputs[i] = dims;
    return c;
}

#endif
