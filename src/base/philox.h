/* philox.h -- Philox 4x32-10 (Salmon et al. 2011, doi:10.1145/2063384.2063405), for loops that
 * draw many numbers; one at a time: rng.h. Ten rounds turn a counter of 128 bits into 128
 * random bits. Constants of the paper, table 2. */
#ifndef DTS_BASE_PHILOX_H
#define DTS_BASE_PHILOX_H

#include <stdint.h>

enum { DTS_PHILOX_ROUNDS = 10 };
#define DTS_PHILOX_FACTOR_0 0xD2511F53
#define DTS_PHILOX_FACTOR_2 0xCD9E8D57

struct dts_philox_key {
    uint32_t low, high;
};

/* The key of a round, from 0. */
static inline struct dts_philox_key dts_philox_key(uint64_t key, uint32_t round)
{
    const uint32_t golden_ratio = 0x9E3779B9, root_3_less_1 = 0xBB67AE85;
    return (struct dts_philox_key){(uint32_t)key + round * golden_ratio,
                                   (uint32_t)(key >> 32) + round * root_3_less_1};
}

static inline void dts_philox_round(struct dts_philox_key key, uint32_t *x0, uint32_t *x1,
                                    uint32_t *x2, uint32_t *x3)
{
    const uint64_t p0 = (uint64_t)DTS_PHILOX_FACTOR_0 * *x0,
                   p1 = (uint64_t)DTS_PHILOX_FACTOR_2 * *x2;
    *x0 = (uint32_t)(p1 >> 32) ^ *x1 ^ key.low;
    *x1 = (uint32_t)p1;
    *x2 = (uint32_t)(p0 >> 32) ^ *x3 ^ key.high;
    *x3 = (uint32_t)p0;
}

static inline void dts_philox(uint32_t x[4], uint64_t key)
{
    for (uint32_t round = 0; round < DTS_PHILOX_ROUNDS; round++)
        dts_philox_round(dts_philox_key(key, round), &x[0], &x[1], &x[2], &x[3]);
}

#endif
