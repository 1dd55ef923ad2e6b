/* row_math.h -- loops over a row of floats that softmax needs, made for vectors. */
#ifndef DTS_OPS_ROW_MATH_H
#define DTS_OPS_ROW_MATH_H

#include <stddef.h>

#include "ops/vector_math.h"

static inline float dts_row_largest(const float *x, size_t count)
{
    float most = x[0];
#pragma omp simd reduction(max : most)
    for (size_t i = 0; i < count; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}

/* The sum of e^(scale x - shift). */
static inline float dts_row_exp_sum(const float *x, float scale, float shift, size_t count)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++)
        sum += dts_exp(scale * x[i] - shift);
    return sum;
}

/* x becomes e^(scale x - shift); its sum. */
static inline float dts_row_exp(float *x, float scale, float shift, size_t count)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++) {
        x[i] = dts_exp(scale * x[i] - shift);
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
