/* values.c -- floats into messages and back. */
#include "live/values.h"

#include <string.h>

void dts_values_pack(const struct dts_values *v, void *message, float *values, size_t count,
                     bool round)
{
    uint16_t *restrict out = message;
    if (v->half == DTS_HALF_BF16)
        for (size_t e = 0; e < count; e++)
            out[e] = dts_to_bf16(values[e]);
    else
        for (size_t e = 0; e < count; e++)
            out[e] = dts_to_fp16(values[e]);
    if (round)
        dts_values_take(v, values, message, count);
}

void dts_values_round(const struct dts_values *v, float *values, size_t count)
{
    if (v->half == DTS_HALF_BF16)
        for (size_t e = 0; e < count; e++)
            values[e] = dts_from_bf16(dts_to_bf16(values[e]));
    else
        for (size_t e = 0; e < count; e++)
            values[e] = dts_from_fp16(dts_to_fp16(values[e]));
}

void dts_values_take(const struct dts_values *v, void *to, const void *message, size_t count)
{
    const uint16_t *restrict from = message;
    float *values = to;
    if (!dts_values_narrow(v))
        memcpy(to, message, count * v->bytes);
    else if (v->half == DTS_HALF_BF16)
        for (size_t e = 0; e < count; e++)
            values[e] = dts_from_bf16(from[e]);
    else
        for (size_t e = 0; e < count; e++)
            values[e] = dts_from_fp16(from[e]);
}

void dts_values_add_floats(float *restrict sum, const float *restrict values, size_t count)
{
    for (size_t e = 0; e < count; e++)
        sum[e] += values[e];
}

static void add_doubles(double *sum, const double *values, size_t count)
{
    for (size_t e = 0; e < count; e++)
        sum[e] += values[e];
}

void dts_values_add(const struct dts_values *v, void *to, const void *message, size_t count)
{
    const uint16_t *restrict from = message;
    float *sum = to;
    if (v->bytes == sizeof(double))
        add_doubles(to, message, count);
    else if (!dts_values_narrow(v))
        dts_values_add_floats(to, message, count);
    else if (v->half == DTS_HALF_BF16)
        for (size_t e = 0; e < count; e++)
            sum[e] += dts_from_bf16(from[e]);
    else
        for (size_t e = 0; e < count; e++)
            sum[e] += dts_from_fp16(from[e]);
}
