/* dropout_bits.h -- which values dropout keeps, many blocks of Philox at once, vectorized. */
#ifndef DTS_OPS_DROPOUT_BITS_H
#define DTS_OPS_DROPOUT_BITS_H

#include "base/philox.h"
#include "ops/op.h"

enum { DTS_DROPOUT_MOST_BLOCKS = 64 };

/* keep[p] for 8 values of each of `blocks` blocks, a constant where this is used: value p is
 * part p / blocks (16 bits, the lowest first) of block p % blocks. The counter of block i is
 * (first + i, counter[0], counter[1], counter[2]). */
static inline void dts_dropout_draw(uint64_t seed, uint32_t first, const uint32_t counter[3],
                                    int blocks, uint32_t threshold, uint8_t *restrict keep)
{
    uint32_t words[4][DTS_DROPOUT_MOST_BLOCKS];
    for (int i = 0; i < blocks; i++) {
        words[0][i] = first + (uint32_t)i;
        for (int w = 1; w < 4; w++)
            words[w][i] = counter[w - 1];
    }
    for (uint32_t round = 0; round < DTS_PHILOX_ROUNDS; round++) {
        const struct dts_philox_key key = dts_philox_key(seed, round);
#pragma omp simd
        for (int i = 0; i < blocks; i++)
            dts_philox_round(key, &words[0][i], &words[1][i], &words[2][i], &words[3][i]);
    }
    for (int word = 0; word < 4; word++)
        for (int i = 0; i < blocks; i++) {
            keep[2 * word * blocks + i] = (words[word][i] & 0xffff) >= threshold;
            keep[(2 * word + 1) * blocks + i] = words[word][i] >> 16 >= threshold;
        }
}

#endif
