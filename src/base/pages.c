/* pages.c -- Linux gives large pages to those who ask, or to all, or to nobody:
 * /sys/kernel/mm/transparent_hugepage/enabled. A process that nobody gives them works as well,
 * so no answer is an error.
 */
#include "base/pages.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LINE = 64, LARGE_PAGE = 2 << 20 }; // x86-64; ARM with pages of 4 KiB

size_t dts_large_pages(size_t bytes)
{
    return (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
}

void *dts_pages(size_t bytes)
{
    const bool large = bytes >= LARGE_PAGE;
    void *memory = NULL;
    if (posix_memalign(&memory, large ? LARGE_PAGE : LINE, bytes > 0 ? bytes : LINE) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (large) // whole ones: what is left over would take memory that nobody asked for
        madvise(memory, bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
#endif
    memset(memory, 0, bytes);
    return memory;
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
