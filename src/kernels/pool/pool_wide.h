/* pool_wide.h -- windowed pools over images, many windows of a line at once: the usual ones are
 * computed in registers, straight from the lines of the image, also on lines of fewer windows
 * than a vector holds. Vectors at the sides read what lies beside a line, and masks leave it
 * out. What memory gives next is fetched early: lines are read by more than one window, and no
 * processor looks ahead then.
 */
#ifndef DTS_KERNELS_POOL_POOL_WIDE_H
#define DTS_KERNELS_POOL_POOL_WIDE_H

#include "kernels/pool/pool_lines.h"
#include "kernels/vector/fetch.h"
#include "kernels/vector/lanes.h"

enum {
    DTS_POOL_MOST = 3,             // values of a usual window along an axis, windows over one
    DTS_POOL_SIDE = 3 * DTS_LANES, // values beside a line that vectors may read
    DTS_POOL_AHEAD = 512,          // values of the image that are fetched ahead: 2 KiB
};

/* Lines of an array, [.., length]. */
struct dts_pool_array {
    const float *values;
    size_t count;
    int length;
};

/* What a worker has, and all its planes share. inside: -1 along a line, 0 beside it; that and
 * `share`, a number for each of a line's values that is 0 at first, have DTS_POOL_SIDE more on
 * both sides. copy: of lines with what is read beside them; made: room for DTS_MADE_SOME values
 * and a line of vectors. */
struct dts_pool_wide {
    struct dts_pool_array array;
    const int32_t *inside;
    float *share, *copy, *made;
    void *rows; // a DTS_POOL_ROW_BYTES for each line of the image or the windows
};
enum { DTS_POOL_ROW_BYTES = 32 };

/* Bytes of scratch that a worker needs. */
size_t dts_pool_wide_room(const struct dts_pool *pool);

/* Of arrays that are read. */
struct dts_pool_wide dts_pool_wide_of(const struct dts_pool *pool, struct dts_pool_array array,
                                      void *scratch, int worker);

/* `count` lines, at most DTS_POOL_MOST, from the array's value `at` on, or a copy of them: such
 * that DTS_POOL_SIDE values on both sides can be read. step: from one to the next. */
const float *dts_pool_copied(const struct dts_pool_wide *wide, size_t at, int count,
                             size_t *step);

static inline const float *dts_pool_lines_from(const struct dts_pool_wide *wide, size_t at,
                                               int count, size_t *step)
{
    const size_t length = (size_t)wide->array.length;
    *step = length;
    if (at >= DTS_POOL_SIDE && at + (size_t)count * length + DTS_POOL_SIDE <= wide->array.count)
        return wide->array.values + at;
    return dts_pool_copied(wide, at, count, step);
}

/* An image, and a window that has loops of its own in DTS_POOL_WIDE(); lines of two windows and
 * more (with AVX-512 four: of fewer the other way is as fast, ASSUMED). */
static inline bool dts_pool_is_wide(const struct dts_pool *pool)
{
    const int kernel = pool->kernel[DTS_POOL_LAST], stride = pool->stride[DTS_POOL_LAST];
    const bool image = pool->in[0] == 1 && pool->out[0] == 1 && pool->kernel[0] == 1;
    const bool few = pool->kernel[1] <= DTS_POOL_MOST * pool->stride[1];
    return image && few && pool->kernel[1] <= DTS_POOL_MOST &&
           pool->out[DTS_POOL_LAST] >= DTS_LANES / 4 &&
           ((kernel == 3 && stride <= 2) || (kernel == 2 && stride == 2));
}

/* FUNCTION(..., kernel, stride) with constants: along a line of a usual window. */
#define DTS_POOL_WIDE(pool, FUNCTION, ...)                                                     \
    ((pool)->stride[DTS_POOL_LAST] == 1   ? FUNCTION(__VA_ARGS__, 3, 1)                        \
     : (pool)->kernel[DTS_POOL_LAST] == 3 ? FUNCTION(__VA_ARGS__, 3, 2)                        \
                                          : FUNCTION(__VA_ARGS__, 2, 2))

/* FUNCTION(..., rows, kernel, stride): of a window of `rows` lines. */
#define DTS_POOL_WIDE_ROWS(pool, rows, FUNCTION, ...)                                          \
    ((rows) == 3   ? DTS_POOL_WIDE(pool, FUNCTION, __VA_ARGS__, 3)                             \
     : (rows) == 2 ? DTS_POOL_WIDE(pool, FUNCTION, __VA_ARGS__, 2)                             \
                   : DTS_POOL_WIDE(pool, FUNCTION, __VA_ARGS__, 1))

#endif
