/* cache_size.h -- how much the last cache of a core keeps. */
#ifndef DTS_BASE_OS_CACHE_SIZE_H
#define DTS_BASE_OS_CACHE_SIZE_H

/* Bytes of the largest cache that a core uses, as Linux lists them in `folder`, one folder
 * each; NULL: in that of the first core. 0: not known. sysconf() adds up what cores that share
 * no cache have. */
double dts_last_cache_bytes(const char *folder);

#endif
