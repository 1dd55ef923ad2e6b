/* pages.c -- Linux gives large pages to those who ask, or to all, or to nobody:
 * /sys/kernel/mm/transparent_hugepage/enabled. A process that nobody gives them works as well,
 * so no answer is an error.
 */
#include "base/os/pages.h"

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

/* What an array lies in; kept in the line before it. */
struct whole {
    void *begin;
    size_t mapped; // bytes; 0: malloc's
};

static struct whole *whole_of(void *array)
{
    return (struct whole *)(void *)((char *)array - LINE);
}

static void *get(size_t bytes, size_t align, struct whole *whole)
{
    *whole = (struct whole){.mapped = 0};
    return posix_memalign(&whole->begin, align, bytes) == 0 ? whole->begin : NULL;
}

/* Not malloc's: it gives again what it gave before in small pages, and those stay small. A
 * sanitizer knows the ends of what it allocates alone. Returns where the first large page
 * begins. */
static void *get_large(size_t bytes, struct whole *whole)
{
#ifdef __SANITIZE_ADDRESS__
    return get(bytes, LARGE_PAGE, whole);
#else
    *whole = (struct whole){.mapped = bytes + LARGE_PAGE};
    whole->begin =
        mmap(NULL, whole->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return whole->begin == MAP_FAILED ? NULL : (void *)dts_large_pages((uintptr_t)whole->begin);
#endif
}

void *dts_pages(size_t bytes)
{
    const bool large = bytes >= LARGE_PAGE;
    const size_t shift = large ? next_shift() : LINE;
    struct whole whole;
    if (bytes > SIZE_MAX - shift - LARGE_PAGE)
        return NULL;
    char *first = large ? get_large(shift + bytes, &whole) : get(shift + bytes, LINE, &whole);
    if (first == NULL)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (large) // whole ones: what is left over would take memory that nobody asked for
        madvise(first, (shift + bytes) / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
#endif
    char *array = first + shift;
    *whole_of(array) = whole;
    return memset(array, 0, bytes); // all of it is there from now on
}

void dts_pages_free(void *array)
{
    if (array == NULL)
        return;
    const struct whole whole = *whole_of(array);
    if (whole.mapped > 0)
        munmap(whole.begin, whole.mapped);
    else
        free(whole.begin);
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
