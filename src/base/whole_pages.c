/* whole_pages.c -- from the beginning of a page to the end of one. */
#include "base/whole_pages.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *dts_whole_pages(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t pages = bytes / page + 1;
    void *memory = NULL;
    if (posix_memalign(&memory, page, pages * page) != 0)
        return NULL;
    return memset(memory, 0, pages * page);
}
