/* sums.h -- sums of floats. Four registers are gathered at a time, so that an addition does not
 * wait for the one before it, from lines behind one another, as a processor looks ahead; their
 * order depends on the count alone. */
#ifndef DTS_KERNELS_VECTOR_SUMS_H
#define DTS_KERNELS_VECTOR_SUMS_H

#include <stddef.h>

#include "kernels/vector/lanes.h"

/* By halves: additions that wait for one another are few. */
DTS_LANES_FN float dts_lanes_sum(dts_lanes v)
{
    float values[DTS_LANES];
    memcpy(values, &v, sizeof(v));
    for (int half = DTS_LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            values[i] += values[half + i];
    return values[0];
}

enum { DTS_SUMS_TOGETHER = 4 * DTS_LANES };

/* sum of x[i] - origin, and of its square */
struct dts_moments {
    float sum, squares;
};

static inline struct dts_moments dts_moments_about(const float *x, float origin, size_t n)
{
    const size_t whole = n / DTS_SUMS_TOGETHER * DTS_SUMS_TOGETHER;
    dts_lanes sums[4] = {{0}}, squares[4] = {{0}};
    for (size_t i = 0; i < whole; i += DTS_SUMS_TOGETHER)
        for (int k = 0; k < 4; k++) {
            const dts_lanes d = dts_lanes_load(x + i + k * DTS_LANES) - origin;
            sums[k] += d;
            squares[k] += d * d;
        }
    float sum = dts_lanes_sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
    float square = dts_lanes_sum((squares[0] + squares[1]) + (squares[2] + squares[3]));
#pragma omp simd reduction(+ : sum, square)
    for (size_t i = whole; i < n; i++) {
        sum += x[i] - origin;
        square += (x[i] - origin) * (x[i] - origin);
    }
    return (struct dts_moments){sum, square};
}

static inline float dts_sum(const float *x, size_t n)
{
    const size_t whole = n / DTS_SUMS_TOGETHER * DTS_SUMS_TOGETHER;
    dts_lanes sums[4] = {{0}};
    for (size_t i = 0; i < whole; i += DTS_SUMS_TOGETHER)
        for (int k = 0; k < 4; k++)
            sums[k] += dts_lanes_load(x + i + k * DTS_LANES);
    float sum = dts_lanes_sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
#pragma omp simd reduction(+ : sum)
    for (size_t i = whole; i < n; i++)
        sum += x[i];
    return sum;
}

#endif
