/* rng.h -- random numbers by counter: the same for the same (seed, stream, counter), on every
 * machine and in any order. Philox 4x32-10 (Salmon et al. 2011, doi:10.1145/2063384.2063405).
 */
#ifndef DTS_BASE_RNG_H
#define DTS_BASE_RNG_H

#include <stdint.h>

uint64_t dts_random(uint64_t seed, uint64_t stream, uint64_t counter); // 64 bits
double dts_uniform(uint64_t seed, uint64_t stream, uint64_t counter);  // in (0, 1)
double dts_normal(uint64_t seed, uint64_t stream, uint64_t counter);   // mean 0, sigma 1

/* 0 .. count - 1 in an order that the seed decides (Fisher and Yates). */
void dts_shuffle(int *items, int count, uint64_t seed, uint64_t stream);

#endif
