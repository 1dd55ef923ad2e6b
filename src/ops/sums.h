/* sums.h -- sums of floats. Four are gathered at a time, each vectorized, so that an addition
 * does not wait for the one before it; their order depends on the count alone. */
#ifndef DTS_OPS_SUMS_H
#define DTS_OPS_SUMS_H

#include <stddef.h>

/* Below, one is gathered: there is little to wait for. */
enum { DTS_SUMS_LEAST = 256 };

/* sum of x[i] - origin, and of its square */
struct dts_moments {
    float sum, squares;
};

static inline struct dts_moments dts_moments_about(const float *x, float origin, size_t n)
{
    const size_t q = n >= DTS_SUMS_LEAST ? n / 4 : 0;
    float a = 0, b = 0, c = 0, d = 0, a2 = 0, b2 = 0, c2 = 0, d2 = 0;
#pragma omp simd reduction(+ : a, b, c, d, a2, b2, c2, d2)
    for (size_t i = 0; i < q; i++) {
        const float ai = x[i] - origin, bi = x[q + i] - origin;
        const float ci = x[2 * q + i] - origin, di = x[3 * q + i] - origin;
        a += ai;
        b += bi;
        c += ci;
        d += di;
        a2 += ai * ai;
        b2 += bi * bi;
        c2 += ci * ci;
        d2 += di * di;
    }
#pragma omp simd reduction(+ : a, a2)
    for (size_t i = 4 * q; i < n; i++) {
        a += x[i] - origin;
        a2 += (x[i] - origin) * (x[i] - origin);
    }
    return (struct dts_moments){(a + b) + (c + d), (a2 + b2) + (c2 + d2)};
}

static inline float dts_sum(const float *x, size_t n)
{
    const size_t q = n >= DTS_SUMS_LEAST ? n / 4 : 0;
    float a = 0, b = 0, c = 0, d = 0;
#pragma omp simd reduction(+ : a, b, c, d)
    for (size_t i = 0; i < q; i++) {
        a += x[i];
        b += x[q + i];
        c += x[2 * q + i];
        d += x[3 * q + i];
    }
#pragma omp simd reduction(+ : a)
    for (size_t i = 4 * q; i < n; i++)
        a += x[i];
    return (a + b) + (c + d);
}

#endif
