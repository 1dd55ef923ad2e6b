/* made.h -- results that are made one behind another in a cache until there are some, and then
 * go where they belong as whole lines of memory, past the caches if these do not keep them.
 */
#ifndef DTS_KERNELS_VECTOR_MADE_H
#define DTS_KERNELS_VECTOR_MADE_H

#include <string.h>

#include "kernels/vector/fetch.h"
#include "kernels/vector/past_caches.h"

enum { DTS_MADE_SOME = 2048 }; // values that are made before they go

/* `count` values on their way to `to`; there is room for DTS_MADE_SOME and a line of the
 * result, as vectors write it. */
struct dts_made {
    float *values, *to;
    size_t count;
    bool past;
};

/* They go, past the caches up to where a line of memory begins: what is left is less. */
static inline void dts_made_move(struct dts_made *made)
{
    const size_t count = made->count;
    const size_t before = made->past ? dts_before_a_line(made->to, count) : count;
    const size_t whole = (count - before) / DTS_LINE_VALUES * DTS_LINE_VALUES;
    const size_t moved = before + whole;
    memcpy(made->to, made->values, before * sizeof(*made->to));
    dts_store_past_caches(made->to + before, made->values + before, whole);
    made->to += moved;
    made->count -= moved;
    memmove(made->values, made->values + moved, made->count * sizeof(*made->to));
}

/* So many more are made. */
static inline void dts_made_more(struct dts_made *made, size_t more)
{
    made->count += more;
    if (made->count >= DTS_MADE_SOME)
        dts_made_move(made);
}

/* The last ones go. */
static inline void dts_made_end(struct dts_made *made)
{
    dts_made_move(made);
    memcpy(made->to, made->values, made->count * sizeof(*made->to));
    dts_lanes_streamed();
}

#endif
