/* whole_pages.h -- memory that can be pinned: a GPU's driver pins pages, each once. */
#ifndef DTS_BASE_WHOLE_PAGES_H
#define DTS_BASE_WHOLE_PAGES_H

#include <stddef.h>

/* Zeros in pages that nothing else lies in, to be released with free(). NULL: there is none. */
void *dts_whole_pages(size_t bytes);

#endif
