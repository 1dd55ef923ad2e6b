/* pages.h -- memory for tensors, in large pages where the system has them. For each page that
 * an array touches, the processor looks its place up; of pages of 2 MiB it remembers enough of
 * them, of pages of 4 KiB too few for a stride through megabytes.
 */
#ifndef DTS_BASE_PAGES_H
#define DTS_BASE_PAGES_H

#include <stddef.h>

/* Zeroed, from the beginning of a cache line on; released with free(). NULL: there is none. */
void *dts_pages(size_t bytes);

/* The same in pages, of whatever size, that nothing else lies in: a GPU's driver pins pages,
 * each once. */
void *dts_whole_pages(size_t bytes);

/* So many bytes or more: as many whole large pages hold them. */
size_t dts_large_pages(size_t bytes);

#endif
