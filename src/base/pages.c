/* pages.c -- Linux gives large pages to those who ask, or to all, or to nobody:
 * /sys/kernel/mm/transparent_hugepage/enabled. A process that nobody gives them works as well,
 * so no answer is an error.
 */
#include "base/pages.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LINE = 64, LARGE_PAGE = 2 << 20 }; // x86-64; ARM with pages of 4 KiB

size_t dts_large_pages(size_t bytes)
{
    return (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
}

/* Bytes from what was allocated to the array: some lines of a page of 4 KiB, and of arrays
 * behind one another never the same. */
static size_t next_shift(void)
{
    enum { LINES = 64, APART = 23 };
    static _Atomic unsigned arrays;
    const unsigned number = atomic_fetch_add_explicit(&arrays, 1, memory_order_relaxed);
    return (size_t)LINE * (1 + (number * APART) % LINES); // a line at least, see whole_of()
}

/* Where what was allocated begins; kept in the line before the array. */
static void **whole_of(void *array)
{
    return (void **)((char *)array - LINE);
}

void *dts_pages(size_t bytes)
{
    const bool large = bytes >= LARGE_PAGE;
    const size_t shift = large ? next_shift() : LINE;
    void *whole = NULL;
    if (bytes > SIZE_MAX - shift ||
        posix_memalign(&whole, large ? LARGE_PAGE : LINE, shift + bytes) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (large) // whole ones: what is left over would take memory that nobody asked for
        madvise(whole, (shift + bytes) / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
#endif
    void *array = (char *)whole + shift;
    *whole_of(array) = whole;
    return memset(array, 0, bytes);
}

void dts_pages_free(void *array)
{
    if (array != NULL)
        free(*whole_of(array));
}

void *dts_whole_pages(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t pages = bytes / page + 1;
    void *memory = NULL;
    if (posix_memalign(&memory, page, pages * page) != 0)
        return NULL;
    return memset(memory, 0, pages * page);
}
