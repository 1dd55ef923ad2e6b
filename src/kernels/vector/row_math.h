/* row_math.h -- loops over a row of floats that softmax needs, made for vectors. */
#ifndef DTS_KERNELS_VECTOR_ROW_MATH_H
#define DTS_KERNELS_VECTOR_ROW_MATH_H

#include <stddef.h>

#include "kernels/vector/vector_math.h"

/* In DTS_ROW_LANES parts: compilers do not split a maximum themselves, for fear of NaNs. */
enum { DTS_ROW_LANES = 32 };

static inline float dts_row_largest(const float *x, size_t count)
{
    float most[DTS_ROW_LANES];
    for (size_t l = 0; l < DTS_ROW_LANES; l++)
        most[l] = x[l < count ? l : 0];
    size_t i = 0;
    for (; i + DTS_ROW_LANES <= count; i += DTS_ROW_LANES)
#pragma omp simd
        for (size_t l = 0; l < DTS_ROW_LANES; l++)
            most[l] = x[i + l] > most[l] ? x[i + l] : most[l];
    for (; i < count; i++)
        most[0] = x[i] > most[0] ? x[i] : most[0];
    for (size_t l = 1; l < DTS_ROW_LANES; l++)
        most[0] = most[l] > most[0] ? most[l] : most[0];
    return most[0];
}

/* e^x; of what is not a number neither: a row that is not finite has no sum that is. */
static inline float dts_row_exp_of(float x)
{
    const float e = dts_exp(x);
    return x == x ? e : x;
}

/* The sum of e^(scale x - shift). */
static inline float dts_row_exp_sum(const float *x, float scale, float shift, size_t count)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++)
        sum += dts_row_exp_of(scale * x[i] - shift);
    return sum;
}

/* x becomes e^(scale x - shift); its sum. */
static inline float dts_row_exp(float *x, float scale, float shift, size_t count)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++) {
        x[i] = dts_row_exp_of(scale * x[i] - shift);
        sum += x[i];
    }
    return sum;
}

static inline float dts_row_dot(const float *x, const float *y, size_t count)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++)
        sum += x[i] * y[i];
    return sum;
}

#endif
