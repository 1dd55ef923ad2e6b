/* past_caches.h -- stores that go to memory past the caches, where there is more than these
 * keep until it is read: a processor reads a line of memory before it writes to a part of it.
 */
#ifndef DTS_KERNELS_VECTOR_PAST_CACHES_H
#define DTS_KERNELS_VECTOR_PAST_CACHES_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/vector/lanes.h"

enum { DTS_LINE_BYTES = 64 };      // of a cache
enum { DTS_MOST_KEPT = 16 << 20 }; // ASSUMED: bytes that a cache keeps until they are read

/* Values from where the line that `to` is in begins. */
static inline size_t dts_behind_a_line(const float *to)
{
    return (uintptr_t)to % DTS_LINE_BYTES / sizeof(*to);
}

/* Whether `bytes` from `to` on should; `to` is where a line begins then. */
static inline bool dts_goes_past_caches(const void *to, size_t bytes)
{
    return DTS_LANES_STREAM && dts_behind_a_line(to) == 0 && bytes > DTS_MOST_KEPT;
}

/* Of `count` values, those before the first line that begins at or behind `to`. */
static inline size_t dts_before_a_line(const float *to, size_t count)
{
    const size_t behind = dts_behind_a_line(to);
    const size_t before = behind == 0 ? 0 : DTS_LINE_BYTES / sizeof(*to) - behind;
    return before < count ? before : count;
}

/* A loop's next turn of `count` values or what is left: the first goes up to where a line
 * begins, so that the others may go past the caches. */
static inline size_t dts_turn(const float *to, size_t left, size_t count)
{
    const size_t before = dts_before_a_line(to, left);
    return before > 0 ? before : left < count ? left : count;
}

/* `count` values, whole registers of them, to where a line begins. */
static inline void dts_store_past_caches(float *to, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i += DTS_LANES)
        dts_lanes_stream(to + i, dts_lanes_load(values + i));
}

/* Whether `rows` of `count` values from `to` on should: each begins a line then. */
static inline bool dts_rows_go_past_caches(const void *to, size_t rows, size_t count)
{
    return count * sizeof(float) % DTS_LINE_BYTES == 0 &&
           dts_goes_past_caches(to, rows * count * sizeof(float));
}

/* Whether a turn of a loop that goes past the caches does. */
static inline bool dts_turn_goes_past(const float *to, size_t count)
{
    return count % DTS_LANES == 0 && dts_behind_a_line(to) == 0;
}

/* Values i .. end - 1 of such a row are made in `block`, to be stored past the caches by
 * dts_end_block(), or else where they belong. */
static inline float *dts_begin_block(float *row, size_t i, float *block, bool past)
{
    return past ? block : row + i;
}

static inline void dts_end_block(float *row, size_t i, size_t end, const float *block,
                                 bool past)
{
    if (past)
        dts_store_past_caches(row + i, block, end - i);
}

#endif
