/* transpose.c -- two ways to move a matrix by squares that fit into registers.
 *
 * By tiles, where the results stay in a cache for whoever reads them next, and where sizes are
 * odd. Meanwhile the lines of the next tile are fetched, on both sides, so that it lies in the
 * second cache when its turn comes.
 *
 * By strips of as many rows as fill a line of the cache, or some, where there is more than
 * caches keep. The rows of a strip are read from end to end, which the processor sees coming;
 * what is written are whole lines far apart, which it would not, and would read before it
 * writes: they go to memory past the caches.
 */
#include "kernels/vector/transpose.h"

#include <stdbool.h>

#include "base/sizes.h"
#include "kernels/vector/fetch.h"
#include "kernels/vector/lanes_transpose.h"
#include "kernels/vector/past_caches.h"

enum { MOST_STRIP = (DTS_LANES_ARE_A_LINE ? 1 : 2) * DTS_LINE_VALUES }; // rows
enum { SIDE = 128 }; // of a tile: 64 KiB, four times: this and the next, read and written
// values between those of a strip that are read and those fetched
enum { AHEAD = DTS_LANES_ARE_A_LINE ? 32 : 64 };

struct tile {
    size_t row, rows, column, columns;
};

static size_t along(size_t count)
{
    return (count + SIDE - 1) / SIDE;
}

static size_t tiles_of(size_t rows, size_t columns)
{
    return along(rows) * along(columns);
}

static struct tile tile_of(size_t rows, size_t columns, size_t number)
{
    const size_t row = number % along(rows) * SIDE, column = number / along(rows) * SIDE;
    return (struct tile){row, dts_least(rows - row, SIDE), column,
                         dts_least(columns - column, SIDE)};
}

/* A matrix to fetch a tile of. */
struct side {
    const float *begin;
    size_t distance; // from a line of the tile to the next
    size_t lines, values;
};

/* Lines first .. first + count - 1 of a tile, on both sides; a line need not begin where one of
 * the cache does. */
static void fetch_some(const struct side *from, const struct side *to, size_t first,
                       size_t count)
{
    for (size_t i = first; i < dts_least(first + count, from->lines); i++)
        dts_fetch(from->begin + i * from->distance, from->values + DTS_LINE_VALUES - 1);
    for (size_t i = first; i < dts_least(first + count, to->lines); i++)
        dts_fetch_to_write(to->begin + i * to->distance, to->values + DTS_LINE_VALUES - 1);
}

/* What does not fill squares. */
static void move_one_by_one(const float *from, float *to, size_t rows, size_t columns,
                            size_t from_distance, size_t to_distance)
{
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++)
            to[j * to_distance + i] = from[i * from_distance + j];
}

static void move_tile(const float *from, float *to, size_t rows, size_t columns, size_t number)
{
    enum { N = DTS_LANES };
    const struct tile tile = tile_of(rows, columns, number);
    const size_t last = tiles_of(rows, columns) - 1;
    const struct tile next = tile_of(rows, columns, number < last ? number + 1 : 0);
    const size_t ahead = number < last ? 0 : rows * columns; // the next matrix lies behind
    const struct side read = {from + ahead + next.row * columns + next.column, columns,
                              next.rows, next.columns};
    const struct side written = {to + ahead + next.column * rows + next.row, rows, next.columns,
                                 next.rows};
    const float *begin = from + tile.row * columns + tile.column;
    float *target = to + tile.column * rows + tile.row;
    const size_t whole_rows = tile.rows / N * N, whole_columns = tile.columns / N * N;
    const size_t squares = whole_rows / N * (whole_columns / N);
    const size_t most = next.rows > next.columns ? next.rows : next.columns;
    const size_t each = squares > 0 ? (most + squares - 1) / squares : 0;
    size_t line = 0;
    for (size_t j = 0; j < whole_columns; j += N)
        for (size_t i = 0; i < whole_rows; i += N, line += each) {
            fetch_some(&read, &written, line, each);
            dts_lanes_transpose(begin + i * columns + j, columns, target + j * rows + i, rows);
        }
    move_one_by_one(begin + whole_columns, target + whole_columns * rows, tile.rows,
                    tile.columns - whole_columns, columns, rows);
    move_one_by_one(begin + whole_rows * columns, target + whole_rows, tile.rows - whole_rows,
                    whole_columns, columns, rows);
}

/* Rows of a strip, 0: there are none. Where a register is a part of a line, and lines are made
 * in a cache first, two of them behind one another go to memory together. */
static size_t strip_of(size_t rows)
{
    size_t strip = MOST_STRIP;
    while (rows % strip != 0)
        strip /= 2;
    return strip < DTS_LINE_VALUES ? 0 : strip;
}

/* A strip's values of each of DTS_LANES columns, past the caches: whole lines, each at once. */
static void move_lines(const float *from, size_t columns, float *to, size_t rows, size_t strip)
{
    if (DTS_LANES_ARE_A_LINE) {
        dts_lanes_transpose_by(dts_lanes_stream, from, columns, to, rows);
        return;
    }
    float lines[DTS_LANES][MOST_STRIP];
    for (size_t i = 0; i < strip; i += DTS_LANES)
        dts_lanes_transpose(from + i * columns, columns, lines[0] + i, MOST_STRIP);
    for (size_t j = 0; j < DTS_LANES; j++)
        dts_store_past_caches(to + j * rows, lines[j], strip);
}

/* Rows of strip `number`. What lies ahead of a row's end is the next strip's. */
static void move_strip(const float *from, float *to, size_t rows, size_t columns, size_t number)
{
    const size_t strip = strip_of(rows);
    from += number * strip * columns;
    to += number * strip;
    for (size_t j = 0; j < columns; j += DTS_LANES) {
        const float *next = from + j + AHEAD;
        if (j + AHEAD >= columns)
            next += (strip - 1) * columns;
        for (size_t i = 0; i < strip; i++)
            dts_fetch(next + i * columns, DTS_LANES);
        move_lines(from + j, columns, to + j * rows, rows, strip);
    }
}

static bool goes_by_strips(const struct dts_transpose *all)
{
    return strip_of(all->rows) > 0 && all->columns % DTS_LANES == 0 &&
           dts_goes_past_caches(all->to, all->rows * all->columns * all->count * sizeof(float));
}

static size_t parts_of_one(const struct dts_transpose *all)
{
    return goes_by_strips(all) ? all->rows / strip_of(all->rows)
                               : tiles_of(all->rows, all->columns);
}

size_t dts_transpose_parts(const struct dts_transpose *all)
{
    return all->count * parts_of_one(all);
}

void dts_transpose_some(const struct dts_transpose *all, size_t first, size_t count)
{
    const bool by_strips = goes_by_strips(all);
    const size_t parts = parts_of_one(all);
    for (size_t k = first; k < first + count; k++) {
        const size_t at = k / parts * all->rows * all->columns;
        (by_strips ? move_strip : move_tile)(all->from + at, all->to + at, all->rows,
                                             all->columns, k % parts);
    }
    if (by_strips)
        dts_lanes_streamed();
}
