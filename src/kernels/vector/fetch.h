/* fetch.h -- have memory fetched that is read next. Where the same values are passed again
 * while they are in a cache, the processor's own looking ahead stops with the first pass, and
 * memory would idle. What lies behind the end of an array may be named: it is never read.
 */
#ifndef DTS_KERNELS_VECTOR_FETCH_H
#define DTS_KERNELS_VECTOR_FETCH_H

#include <stddef.h>

enum { DTS_LINE_VALUES = 16 }; // floats of a cache line

static inline void dts_fetch(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i += DTS_LINE_VALUES)
        __builtin_prefetch(values + i);
}

/* The same into the second cache, of which more requests are under way at once: for what is
 * read once all of it is there. */
static inline void dts_fetch_near(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i += DTS_LINE_VALUES)
        __builtin_prefetch(values + i, 0, 2);
}

/* The same for what is written next. */
static inline void dts_fetch_to_write(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i += DTS_LINE_VALUES)
        __builtin_prefetch(values + i, 1);
}

#endif
