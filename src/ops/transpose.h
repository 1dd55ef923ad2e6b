/* transpose.h -- matrices transposed, many rows at a time. */
#ifndef DTS_OPS_TRANSPOSE_H
#define DTS_OPS_TRANSPOSE_H

#include <stddef.h>

/* A matrix [rows, columns] becomes one [columns, rows] by bands of this many of its columns:
 * who does one writes lines of memory of its own from end to end. */
enum { DTS_TRANSPOSE_BAND = 32 };

static inline size_t dts_transpose_bands(size_t columns)
{
    return (columns + DTS_TRANSPOSE_BAND - 1) / DTS_TRANSPOSE_BAND;
}

void dts_transpose_band(const float *from, float *to, size_t rows, size_t columns, size_t band);

#endif
