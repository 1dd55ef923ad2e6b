/* lanes_transpose.h -- squares of a matrix, transposed in registers. */
#ifndef DTS_KERNELS_VECTOR_LANES_TRANSPOSE_H
#define DTS_KERNELS_VECTOR_LANES_TRANSPOSE_H

#include "kernels/vector/lanes.h"

/* to[j, i] = from[i, j], a square of DTS_LANES: rounds that interleave the first half of the
 * rows with the second. */
DTS_LANES_FN void dts_lanes_transpose_by(void (*store)(float *to, dts_lanes v),
                                         const float *from, size_t from_distance, float *to,
                                         size_t to_distance)
{
    dts_lanes a[DTS_LANES], b[DTS_LANES];
#pragma GCC unroll 16
    for (size_t i = 0; i < DTS_LANES; i++)
        a[i] = dts_lanes_load(from + i * from_distance);
#pragma GCC unroll 4
    for (int round = 1; round < DTS_LANES; round *= 2) {
#pragma GCC unroll 8
        for (int i = 0; i < DTS_LANES / 2; i++) {
            b[2 * i] = dts_lanes_low(a[i], a[i + DTS_LANES / 2]);
            b[2 * i + 1] = dts_lanes_high(a[i], a[i + DTS_LANES / 2]);
        }
#pragma GCC unroll 16
        for (int i = 0; i < DTS_LANES; i++)
            a[i] = b[i];
    }
#pragma GCC unroll 16
    for (size_t i = 0; i < DTS_LANES; i++)
        store(to + i * to_distance, a[i]);
}

DTS_LANES_FN void dts_lanes_transpose(const float *from, size_t from_distance, float *to,
                                      size_t to_distance)
{
    dts_lanes_transpose_by(dts_lanes_store, from, from_distance, to, to_distance);
}

#endif
