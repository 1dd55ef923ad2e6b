/* dropout_bits.h -- which values dropout keeps, many blocks of Philox at once, vectorized. */
#ifndef DTS_OPS_DROPOUT_BITS_H
#define DTS_OPS_DROPOUT_BITS_H

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "base/philox.h"
#include "ops/op.h"

enum { DTS_DROPOUT_LANES = 16 };

/* keep[part * distance + i] for 8 parts of block i of DTS_DROPOUT_LANES: 16 bits each, the
 * lowest first. The counter of block i is (first + i, counter[0], counter[1], counter[2]). */
#if defined(__AVX512F__)
struct dts_dropout_product {
    __m512i low, high;
};

/* Of 32 bits times 32, which a compiler makes of 64 times 64, at five times the cost. */
static inline struct dts_dropout_product dts_dropout_multiply(__m512i x, uint32_t by)
{
    const __m512i factor = _mm512_set1_epi64(by);
    const __m512i even = _mm512_mul_epu32(x, factor);
    const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), factor);
    return (struct dts_dropout_product){
        _mm512_mask_shuffle_epi32(even, 0xaaaa, odd, _MM_PERM_CCAA),
        _mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB)};
}

static inline void dts_dropout_lanes(uint64_t seed, uint32_t first, const uint32_t counter[3],
                                     int distance, uint32_t threshold, uint8_t *keep)
{
    const __m512i number =
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i most = _mm512_set1_epi32((int)threshold), one = _mm512_set1_epi32(1);
    __m512i x[4] = {_mm512_add_epi32(_mm512_set1_epi32((int)first), number),
                    _mm512_set1_epi32((int)counter[0]), _mm512_set1_epi32((int)counter[1]),
                    _mm512_set1_epi32((int)counter[2])};
    for (uint32_t round = 0; round < DTS_PHILOX_ROUNDS; round++) { // as dts_philox_round
        const struct dts_philox_key key = dts_philox_key(seed, round);
        const struct dts_dropout_product p0 = dts_dropout_multiply(x[0], DTS_PHILOX_FACTOR_0);
        const struct dts_dropout_product p1 = dts_dropout_multiply(x[2], DTS_PHILOX_FACTOR_2);
        const __m512i low = _mm512_set1_epi32((int)key.low);
        const __m512i high = _mm512_set1_epi32((int)key.high);
        x[0] = _mm512_xor_si512(_mm512_xor_si512(p1.high, x[1]), low);
        x[2] = _mm512_xor_si512(_mm512_xor_si512(p0.high, x[3]), high);
        x[1] = p1.low;
        x[3] = p0.low;
    }
    for (int part = 0; part < 8; part++) {
        const __m512i word = x[part / 2];
        const __m512i bits = part % 2 == 0 ? _mm512_and_si512(word, _mm512_set1_epi32(0xffff))
                                           : _mm512_srli_epi32(word, 16);
        const __m512i kept = _mm512_maskz_mov_epi32(_mm512_cmpge_epu32_mask(bits, most), one);
        _mm_storeu_si128((__m128i *)(void *)(keep + part * distance),
                         _mm512_cvtepi32_epi8(kept));
    }
}
#else
static inline void dts_dropout_lanes(uint64_t seed, uint32_t first, const uint32_t counter[3],
                                     int distance, uint32_t threshold, uint8_t *restrict keep)
{
    enum { LANES = DTS_DROPOUT_LANES };
    uint32_t words[4][LANES];
    for (int i = 0; i < LANES; i++) {
        words[0][i] = first + (uint32_t)i;
        for (int w = 1; w < 4; w++)
            words[w][i] = counter[w - 1];
    }
    for (uint32_t round = 0; round < DTS_PHILOX_ROUNDS; round++) {
        const struct dts_philox_key key = dts_philox_key(seed, round);
#pragma omp simd
        for (int i = 0; i < LANES; i++)
            dts_philox_round(key, &words[0][i], &words[1][i], &words[2][i], &words[3][i]);
    }
    for (int word = 0; word < 4; word++)
        for (int i = 0; i < LANES; i++) {
            keep[2 * word * distance + i] = (words[word][i] & 0xffff) >= threshold;
            keep[(2 * word + 1) * distance + i] = words[word][i] >> 16 >= threshold;
        }
}
#endif

/* The same for `blocks`, a multiple of DTS_DROPOUT_LANES. */
static inline void dts_dropout_draw(uint64_t seed, uint32_t first, const uint32_t counter[3],
                                    int blocks, int distance, uint32_t threshold, uint8_t *keep)
{
    for (int i = 0; i < blocks; i += DTS_DROPOUT_LANES)
        dts_dropout_lanes(seed, first + (uint32_t)i, counter, distance, threshold, keep + i);
}

#endif
