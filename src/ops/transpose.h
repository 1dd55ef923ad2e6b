/* transpose.h -- matrices transposed, a tile at a time. */
#ifndef DTS_OPS_TRANSPOSE_H
#define DTS_OPS_TRANSPOSE_H

#include <stddef.h>

/* Tiles of a matrix [rows, columns]; those that write the same lines follow one another. */
size_t dts_transpose_tiles(size_t rows, size_t columns);

/* Tile `tile` of from [rows, columns] to its place in to [columns, rows]. */
void dts_transpose_tile(const float *from, float *to, size_t rows, size_t columns, size_t tile);

#endif
