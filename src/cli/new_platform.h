/* new_platform.h -- the options of `dtsim new platform`. */
#ifndef DTS_CLI_NEW_PLATFORM_H
#define DTS_CLI_NEW_PLATFORM_H

#include <stddef.h>

/* The name of the question that "--nodes" (the first `length` characters of `word`) answers;
 * NULL: none. */
const char *dts_platform_question(const char *word, size_t length);

#endif
