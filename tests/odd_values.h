/* odd_values.h -- numbers that casts and sums may stumble over, from counters; and what is the
 * same. tests/oracle/gradients.py makes the same numbers. */
#ifndef DTS_TESTS_ODD_VALUES_H
#define DTS_TESTS_ODD_VALUES_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "kernels/half_reference.h"
#include "kernels/oracle_values.h"

/* Ends of ranges, any bits at all, common numbers, and what lies at or beside the middle of two
 * neighbours of bf16 and of fp16. */
static inline float odd_float(uint32_t stream, uint32_t i)
{
    static const float ends[] = {0,     -0.0f,           INFINITY, -INFINITY,
                                 NAN,   0x1p-149f,       0x1p-24f, -0x1p-25f,
                                 65504, 65520 - 0x1p-8f, 65520,    FLT_MAX};
    enum { ENDS = sizeof(ends) / sizeof(ends[0]) };
    static const uint32_t rests[] = {0, 0x7fff, 0x8000, 0x8001};
    const uint32_t bits = oracle_word(stream, i);
    const uint32_t fp16 = (bits & 0x80000000) | ((100u << 23) + bits % (45u << 23));
    if (i < ENDS)
        return ends[(i + stream) % ENDS];
    switch (i % 4) {
    case 0:
        return dts_bits_float(bits);
    case 1:
        return (float)oracle_real(stream, i);
    case 2:
        return dts_bits_float((bits & 0xffff0000) | rests[bits % 4]);
    default:
        return dts_bits_float((fp16 & ~0x1fffu) | rests[bits % 4] >> 3);
    }
}

/* What a value is its bytes say: 8 of a double, 4 of a float, 2 in 16 bits. */
static inline void odd_fill(void *array, size_t each, size_t count, uint32_t stream)
{
    for (uint32_t i = 0; i < count; i++)
        if (each == sizeof(uint16_t))
            ((uint16_t *)array)[i] = (uint16_t)oracle_word(stream, i);
        else if (each == sizeof(float))
            ((float *)array)[i] = odd_float(stream, i);
        else
            ((double *)array)[i] = ldexp((double)odd_float(stream, i), (int)(i % 300));
}

static inline double odd_value(const void *array, size_t each, size_t i, enum dts_half half)
{
    if (each == sizeof(uint16_t))
        return dts_half_value(half, ((const uint16_t *)array)[i]);
    return each == sizeof(float) ? (double)((const float *)array)[i]
                                 : ((const double *)array)[i];
}

/* To the bit, but that any NaN is like any other. */
static inline bool odd_same(const void *got, const void *want, size_t each, size_t i,
                            enum dts_half half)
{
    const char *a = (const char *)got + i * each, *b = (const char *)want + i * each;
    return memcmp(a, b, each) == 0 ||
           (isnan(odd_value(got, each, i, half)) && isnan(odd_value(want, each, i, half)));
}

#endif
