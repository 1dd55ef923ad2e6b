/* hash.h -- FNV-1a, 64 bits (Fowler, Noll, Vo; IETF draft-eastlake-fnv): numbers that tell
 * contents apart. */
#ifndef DTS_BASE_HASH_H
#define DTS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Continues from `hash`; begin with 0. */
static inline uint64_t dts_hash_bytes(uint64_t hash, const void *data, size_t count)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ byte[i]) * 1099511628211u;
    return hash;
}

#endif
