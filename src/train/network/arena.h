/* arena.h -- where each array of a step lies in one piece of memory.
 *
 * An array lives from a moment to a moment; two that never live at the same time may share
 * bytes. Offsets are found greedily, the largest array first (Pisarchyk and Lee 2020,
 * arXiv:2001.03288, "greedy by size").
 */
#ifndef DTS_TRAIN_NETWORK_ARENA_H
#define DTS_TRAIN_NETWORK_ARENA_H

#include <stddef.h>

enum { DTS_ARENA_ALIGN = 64 };

struct dts_lease {
    size_t bytes;
    int birth, death; // moments, both included
    size_t offset;    // found
};

/* Fill the offsets; returns the size of the memory. Offsets are multiples of 64. */
size_t dts_arena_place(struct dts_lease *leases, int count);

/* In the order of their offsets. */
void dts_arena_sort(struct dts_lease *leases, int count);

/* How many bytes of a place lie where others are used behind its birth and before its death,
 * each once. An array is written at its birth and read at its death; between, nothing is known
 * to use it. The leases are sorted. */
size_t dts_arena_used_between(const struct dts_lease *leases, int count,
                              const struct dts_lease *place);

#endif
