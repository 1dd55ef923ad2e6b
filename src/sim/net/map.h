/* map.h -- a table of numbers by number: open addressing, no removal. Fast enough for a look-up
 * per simulated message.
 */
#ifndef DTS_SIM_NET_MAP_H
#define DTS_SIM_NET_MAP_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Empty: {0}. */
struct dts_map {
    struct dts_map_entry {
        uint64_t key_plus_1; // 0: free
        uint64_t value;
    } * entries; // owned
    size_t room, count;
};

/* The value of a key, 0 when it is new; key < UINT64_MAX. Valid until the next call. */
uint64_t *dts_map_at(struct dts_map *map, uint64_t key);
void dts_map_free(struct dts_map *map);

/* Adds a word to a hash, which may begin with any number. */
static inline uint64_t dts_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u; // 2^64 / the golden ratio
    return hash ^ hash >> 32;
}

static inline uint64_t dts_bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

#endif
