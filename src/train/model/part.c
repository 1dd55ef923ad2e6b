/* part.c -- between a part of a tensor and the whole. */
#include "train/model/part.h"

#include <string.h>

void dts_param_slice_move(const struct dts_param_slice *slice, size_t first, size_t count,
                          float *part, float *whole, bool give)
{
    for (size_t i = first, end = first + count; i < end;) {
        const size_t left = slice->length - i % slice->length;
        const size_t run = left < end - i ? left : end - i;
        float *mine = part + (i - first), *other = whole + dts_param_slice_at(slice, i);
        memcpy(give ? other : mine, give ? mine : other, run * sizeof(float));
        i += run;
    }
}
