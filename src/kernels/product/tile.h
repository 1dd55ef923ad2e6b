/* tile.h -- the product of two packed blocks, with all sums in registers. */
#ifndef DTS_KERNELS_PRODUCT_TILE_H
#define DTS_KERNELS_PRODUCT_TILE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/vector/lanes.h"

/* Rows and columns of a tile: as many sums as there are vector registers, but a few. */
#if defined(__AVX512F__)
enum { DTS_TILE_LANES = DTS_LANES, DTS_TILE_ROWS = 14 };
#else
enum { DTS_TILE_LANES = DTS_LANES, DTS_TILE_ROWS = 6 };
#endif

/* Products of one sum in a packed block, and how far apart the rows of a packed `a` are: not
 * a power of 2, so that rows fall into different sets of the cache. */
enum { DTS_TILE_COLUMNS = 2 * DTS_TILE_LANES, DTS_TILE_DEPTH = 256, DTS_TILE_STEP = 272 };
enum { DTS_TILE_BLOCK = DTS_TILE_ROWS * DTS_TILE_STEP }; // floats of a packed a

/* c[rows, COLUMNS] = a[rows, depth] b[depth, COLUMNS], or added to c. Rows of a are STEP apart,
 * of b COLUMNS, of c `distance`. rows <= ROWS, depth <= DEPTH. */
void dts_tile(size_t rows, size_t depth, const float *a, const float *b, float *c,
              size_t distance, bool add);

/* to[i, j] = from[j, i] for i < rows and j < COLUMNS, zero from column `columns` on. Rows of
 * `from` are `distance` apart, of `to` COLUMNS. */
void dts_tile_transpose(const float *from, size_t distance, size_t rows, size_t columns,
                        float *to);

#endif
