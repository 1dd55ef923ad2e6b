/* map.c -- open addressing; at most half of the places are taken. */
#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sim/net/map.h"

/* The finalizer of splitmix64 (Steele, Lea, Flood 2014, doi:10.1145/2660193.2660195). */
static uint64_t scatter(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static struct dts_map_entry *find(const struct dts_map *map, uint64_t key)
{
    size_t i = (size_t)scatter(key) & (map->room - 1);
    while (map->entries[i].key_plus_1 != 0 && map->entries[i].key_plus_1 != key + 1)
        i = (i + 1) & (map->room - 1);
    return &map->entries[i];
}

static void make_room(struct dts_map *map)
{
    struct dts_map larger = {.room = map->room > 0 ? map->room * 2 : 64, .count = map->count};
    larger.entries = dts_alloc(larger.room, sizeof(*larger.entries));
    for (size_t i = 0; i < map->room; i++)
        if (map->entries[i].key_plus_1 != 0)
            *find(&larger, map->entries[i].key_plus_1 - 1) = map->entries[i];
    free(map->entries);
    *map = larger;
}

uint64_t *dts_map_at(struct dts_map *map, uint64_t key)
{
    assert(key < UINT64_MAX);
    if (2 * (map->count + 1) > map->room)
        make_room(map);
    struct dts_map_entry *entry = find(map, key);
    if (entry->key_plus_1 == 0) {
        entry->key_plus_1 = key + 1;
        map->count++;
    }
    return &entry->value;
}

void dts_map_free(struct dts_map *map)
{
    free(map->entries);
    *map = (struct dts_map){0};
}
