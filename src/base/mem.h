/* mem.h -- allocation that cannot fail, for everything but tensors.
 *
 * dts_alloc() returns zeroed memory and never NULL: out of memory ends the program with one
 * line and exit status 1. All of it is released with free().
 */
#ifndef DTS_BASE_MEM_H
#define DTS_BASE_MEM_H

#include <stddef.h>

/* count x size bytes, zeroed; the product is checked for overflow. */
void *dts_alloc(size_t count, size_t size);

/* Room for at least `needed` elements of `size` bytes: `items` itself or a larger copy of it.
 * Capacity doubles, new elements are zero. Use: list = dts_grow(list, &capacity, n + 1,
 * sizeof(*list)); */
void *dts_grow(void *items, size_t *capacity, size_t needed, size_t size);

/* A copy of the string, to be released with free(). */
char *dts_copy(const char *string);

#endif
