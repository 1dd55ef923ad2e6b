/* transpose.c -- a block of some rows and a band of columns goes through a copy in the first
 * cache, so that both sides of memory are passed by neighbouring lines; the next block's lines
 * are fetched on both sides, since no processor sees that pattern.
 */
#include "ops/transpose.h"

#include <string.h>

#include "ops/fetch.h"
#include "ops/tile.h"

enum { BAND = DTS_TRANSPOSE_BAND, BLOCK = DTS_TILE_COLUMNS };

static size_t at_most(size_t count, size_t most)
{
    return count < most ? count : most;
}

/* What a whole block copies is a constant: some vectors. */
static void write_block(const float *block, float *to, size_t distance, size_t rows,
                        size_t count)
{
    for (size_t i = 0; i < rows; i++) {
        float *line = to + i * distance;
        if (count == BLOCK)
            memcpy(line, block + i * BLOCK, BLOCK * sizeof(*to));
        else
            memcpy(line, block + i * BLOCK, count * sizeof(*to));
        dts_fetch_to_write(line + BLOCK, BLOCK);
    }
}

void dts_transpose_band(const float *from, float *to, size_t rows, size_t columns, size_t band)
{
    _Alignas(64) float block[BAND * BLOCK];
    const size_t first = band * BAND, width = at_most(columns - first, BAND);
    for (size_t i = 0; i < rows; i += BLOCK) {
        const size_t count = at_most(rows - i, BLOCK);
        const float *next = from + (i + BLOCK) * columns + first;
        for (size_t k = 0; k < at_most(rows - i - count, BLOCK); k++)
            dts_fetch(next + k * columns, width);
        dts_tile_transpose(from + i * columns + first, columns, width, count, block);
        write_block(block, to + first * rows + i, rows, width, count);
    }
}
