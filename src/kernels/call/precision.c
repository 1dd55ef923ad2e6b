/* precision.c -- the table of number formats. */
#include <string.h>

#include "kernels/call/precision.h"

static const struct {
    const char *name;
    size_t bytes;
    enum dts_half half; // where bytes is 2
} precisions[DTS_PRECISIONS] = {
    [DTS_FP32] = {.name = "fp32", .bytes = 4},
    [DTS_TF32] = {.name = "tf32", .bytes = 4},
    [DTS_FP16] = {.name = "fp16", .bytes = 2, .half = DTS_HALF_FP16},
    [DTS_BF16] = {.name = "bf16", .bytes = 2, .half = DTS_HALF_BF16},
    [DTS_FP64] = {.name = "fp64", .bytes = 8},
    [DTS_FP8] = {.name = "fp8", .bytes = 2},
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

enum dts_precision dts_precision_beside(enum dts_precision precision)
{
    return precision == DTS_FP8 ? DTS_BF16 : precision;
}

bool dts_precision_is_half(enum dts_precision precision, enum dts_half *half)
{
    *half = precisions[precision].half;
    return precisions[precision].bytes == sizeof(uint16_t) && precision != DTS_FP8;
}
