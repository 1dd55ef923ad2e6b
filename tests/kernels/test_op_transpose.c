/* test_op_transpose.c -- matrices transposed, by both ways, whatever their sizes. */

#include "base/os/pages.h"
#include "check.h"
#include "kernels/vector/transpose.h"

enum { BEYOND = 64 }; // values around the result, which must stay

/* A result that begins `shift` values after a line of the cache; its parts are done one by one,
 * the last half first. */
static void check_sizes(size_t rows, size_t columns, size_t count, size_t shift)
{
    const size_t values = rows * columns * count;
    float *from = dts_pages(values * sizeof(*from));
    float *room = dts_pages((values + 2 * BEYOND) * sizeof(*room));
    CHECK(from != NULL && room != NULL);
    float *to = room + BEYOND / 2 + shift;
    for (size_t i = 0; i < values; i++)
        from[i] = (float)(i + 1);
    const struct dts_transpose all = {from, to, rows, columns, count};
    const size_t parts = dts_transpose_parts(&all);
    dts_transpose_some(&all, parts / 2, parts - parts / 2);
    for (size_t part = 0; part < parts / 2; part++)
        dts_transpose_some(&all, part, 1);
    size_t wrong = 0;
    for (size_t n = 0; n < count; n++)
        for (size_t j = 0; j < columns; j++)
            for (size_t i = 0; i < rows; i++)
                wrong += to[(n * columns + j) * rows + i] != from[(n * rows + i) * columns + j];
    for (size_t i = 0; i < BEYOND / 2; i++)
        wrong += to[-1 - (ptrdiff_t)i] != 0 || to[values + i] != 0;
    CHECK_INT(wrong, 0);
    dts_pages_free(from);
    dts_pages_free(room);
}

static void small_matrices_of_any_size(void)
{
    for (size_t rows = 1; rows < 300; rows += 33)
        for (size_t columns = 1; columns < 300; columns += 37)
            check_sizes(rows, columns, 2, rows % 3);
    check_sizes(256, 48, 3, 0);
}

static void matrices_larger_than_caches(void)
{
    check_sizes(512, 3136, 3, 0);
    check_sizes(3136, 512, 3, 0);
    check_sizes(1 << 18, 16, 2, 0);
    check_sizes(16, 1 << 18, 2, 0);
    check_sizes(2064, 2080, 1, 0); // no powers of two
}

static void large_matrices_that_are_not_made_of_lines(void)
{
    check_sizes(512, 3136, 3, 1);
    check_sizes(512, 3137, 3, 0);
    check_sizes(513, 3136, 3, 0);
}

TESTS(TEST(small_matrices_of_any_size), TEST(matrices_larger_than_caches),
      TEST(large_matrices_that_are_not_made_of_lines))
