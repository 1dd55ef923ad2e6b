/* sizes.h -- the smaller and the larger of two sizes, and how many parts make a whole. */
#ifndef DTS_BASE_SIZES_H
#define DTS_BASE_SIZES_H

#include <stddef.h>

static inline size_t dts_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t dts_most(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* a / b, rounded up; b > 0. */
static inline size_t dts_ceil_div(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

#endif
