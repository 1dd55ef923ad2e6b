/* least.h -- the smaller of two sizes. */
#ifndef DTS_BASE_LEAST_H
#define DTS_BASE_LEAST_H

#include <stddef.h>

static inline size_t dts_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

#endif
