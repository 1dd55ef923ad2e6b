/* dims.c -- the shape of one sample. */
#include <stdio.h>
#include <string.h>

#include "kernels/call/dims.h"

size_t dts_dims_elements(const struct dts_dims *dims)
{
    size_t elements = 1;
    for (int i = 0; i < dims->count; i++)
        elements *= dims->size[i];
    return elements;
}

bool dts_dims_equal(const struct dts_dims *a, const struct dts_dims *b)
{
    return a->count == b->count &&
           memcmp(a->size, b->size, (size_t)a->count * sizeof(a->size[0])) == 0;
}

struct dts_dims_text dts_dims_text(const struct dts_dims *dims)
{
    struct dts_dims_text text = {""};
    int length = 0;
    for (int i = 0; i < dims->count; i++)
        length += snprintf(text.chars + length, sizeof(text.chars) - (size_t)length, "%s%zu",
                           i > 0 ? " x " : "", dims->size[i]);
    return text;
}

size_t dts_dims_features(const struct dts_dims *dims)
{
    return dims->size[dims->count - 1];
}

size_t dts_dims_positions(const struct dts_dims *dims)
{
    return dts_dims_elements(dims) / dts_dims_features(dims);
}
