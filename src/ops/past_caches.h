/* past_caches.h -- stores that go to memory past the caches, where there is more than these
 * keep until it is read: a processor reads a line of memory before it writes to a part of it.
 */
#ifndef DTS_OPS_PAST_CACHES_H
#define DTS_OPS_PAST_CACHES_H

#include <stdbool.h>
#include <stdint.h>

#include "ops/lanes.h"

enum { DTS_MOST_KEPT = 16 << 20 }; // ASSUMED: bytes that a cache keeps until they are read

/* Values from where the line that `to` is in begins. */
static inline size_t dts_behind_a_line(const float *to)
{
    enum { LINE_BYTES = 64 };
    return (uintptr_t)to % LINE_BYTES / sizeof(*to);
}

/* Whether `bytes` from `to` on should; `to` is where a line begins then. */
static inline bool dts_goes_past_caches(const void *to, size_t bytes)
{
    return DTS_LANES_ARE_A_LINE && dts_behind_a_line(to) == 0 && bytes > DTS_MOST_KEPT;
}

/* `count` values, whole registers of them, to where a line begins. */
static inline void dts_store_past_caches(float *to, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i += DTS_LANES)
        dts_lanes_stream(to + i, dts_lanes_load(values + i));
}

#endif
