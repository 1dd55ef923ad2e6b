/* precision.c -- the table of number formats. */
#include <string.h>

#include "kernels/device.h"

static const struct {
    const char *name;
    size_t bytes;
} precisions[DTS_PRECISIONS] = {
    [DTS_FP32] = {"fp32", 4}, [DTS_TF32] = {"tf32", 4}, [DTS_FP16] = {"fp16", 2},
    [DTS_BF16] = {"bf16", 2}, [DTS_FP64] = {"fp64", 8},
};

const char *dts_precision_name(int i)
{
    return i >= 0 && i < DTS_PRECISIONS ? precisions[i].name : NULL;
}

int dts_precision_find(const char *name)
{
    for (int i = 0; i < DTS_PRECISIONS; i++)
        if (strcmp(precisions[i].name, name) == 0)
            return i;
    return -1;
}

size_t dts_precision_bytes(enum dts_precision precision)
{
    return precisions[precision].bytes;
}
