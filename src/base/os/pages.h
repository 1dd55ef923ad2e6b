/* pages.h -- memory for tensors, in large pages where the system has them. For each page that
 * an array touches, the processor looks its place up; of pages of 2 MiB it remembers enough of
 * them, of pages of 4 KiB too few for a stride through megabytes. Large arrays are mapped anew:
 * malloc's memory may have been given in small pages before.
 *
 * Large arrays begin at different lines of a page. Some processors tell lines of the nearest
 * cache apart by a few bits of their addresses, AMD's Zen by twelve and a mix of the next
 * sixteen (Lipp et al. 2020, "Take A Way", ASIA CCS). Arrays that are used together and begin
 * at the same line of a page then drive each other out: docs/log/2026-11-ops.md.
 */
#ifndef DTS_BASE_OS_PAGES_H
#define DTS_BASE_OS_PAGES_H

#include <stddef.h>

/* Zeroed, from the beginning of a cache line on; released with dts_pages_free(). NULL: there is
 * none. */
void *dts_pages(size_t bytes);

/* Nothing happens to NULL. */
void dts_pages_free(void *array);

/* Zeroed, in pages, of whatever size, that nothing else lies in: a GPU's driver pins pages,
 * each once. Released with free(). */
void *dts_whole_pages(size_t bytes);

/* So many bytes or more: as many whole large pages hold them. */
size_t dts_large_pages(size_t bytes);

#endif
