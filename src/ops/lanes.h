/* lanes.h -- as many floats as a vector register holds, where a loop would not become what it
 * should: sums that stay in registers, and every second value. A compiler's own vectors, so
 * that one text does for all processors.
 */
#ifndef DTS_OPS_LANES_H
#define DTS_OPS_LANES_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
enum { DTS_LANES = 16 };
#define DTS_EVEN_ 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define DTS_ODD_  1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define DTS_LOW_  0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define DTS_HIGH_ 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif defined(__AVX2__)
enum { DTS_LANES = 8 };
#define DTS_EVEN_ 0, 2, 4, 6, 8, 10, 12, 14
#define DTS_ODD_  1, 3, 5, 7, 9, 11, 13, 15
#define DTS_LOW_  0, 8, 1, 9, 2, 10, 3, 11
#define DTS_HIGH_ 4, 12, 5, 13, 6, 14, 7, 15
#else
enum { DTS_LANES = 4 };
#define DTS_EVEN_ 0, 2, 4, 6
#define DTS_ODD_  1, 3, 5, 7
#define DTS_LOW_  0, 4, 1, 5
#define DTS_HIGH_ 2, 6, 3, 7
#endif

typedef float dts_lanes __attribute__((vector_size(DTS_LANES * sizeof(float))));
typedef int32_t dts_int_lanes __attribute__((vector_size(DTS_LANES * sizeof(int32_t))));

#define DTS_LANES_FN static inline __attribute__((always_inline))

/* Clang and GCC name what mixes two vectors differently. */
#if defined(__clang__)
#define DTS_MIXED_(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define DTS_MIXED_(a, b, ...) __builtin_shuffle(a, b, (dts_int_lanes){__VA_ARGS__})
#endif

DTS_LANES_FN dts_lanes dts_lanes_load(const float *from)
{
    dts_lanes v;
    memcpy(&v, from, sizeof(v));
    return v;
}

DTS_LANES_FN void dts_lanes_store(float *to, dts_lanes v)
{
    memcpy(to, &v, sizeof(v));
}

DTS_LANES_FN void dts_int_lanes_store(int32_t *to, dts_int_lanes v)
{
    memcpy(to, &v, sizeof(v));
}

/* The values 0, 2, 4, ... of a and b behind one another; and 1, 3, 5, ... */
DTS_LANES_FN dts_lanes dts_lanes_even(dts_lanes a, dts_lanes b)
{
    return DTS_MIXED_(a, b, DTS_EVEN_);
}

DTS_LANES_FN dts_lanes dts_lanes_odd(dts_lanes a, dts_lanes b)
{
    return DTS_MIXED_(a, b, DTS_ODD_);
}

DTS_LANES_FN dts_int_lanes dts_int_lanes_even(dts_int_lanes a, dts_int_lanes b)
{
    return DTS_MIXED_(a, b, DTS_EVEN_);
}

DTS_LANES_FN dts_int_lanes dts_int_lanes_odd(dts_int_lanes a, dts_int_lanes b)
{
    return DTS_MIXED_(a, b, DTS_ODD_);
}

/* a and b by turns, to 2 DTS_LANES places */
DTS_LANES_FN void dts_lanes_store_by_turns(float *to, dts_lanes a, dts_lanes b)
{
    dts_lanes_store(to, DTS_MIXED_(a, b, DTS_LOW_));
    dts_lanes_store(to + DTS_LANES, DTS_MIXED_(a, b, DTS_HIGH_));
}

/* which: all bits of a place, or none, as a comparison gives them */
DTS_LANES_FN dts_int_lanes dts_int_lanes_select(dts_int_lanes which, dts_int_lanes yes,
                                                dts_int_lanes no)
{
    return (which & yes) | (~which & no);
}

DTS_LANES_FN dts_lanes dts_lanes_select(dts_int_lanes which, dts_lanes yes, dts_lanes no)
{
    return (dts_lanes)dts_int_lanes_select(which, (dts_int_lanes)yes, (dts_int_lanes)no);
}

#endif
