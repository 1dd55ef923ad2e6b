/* dropout_bits.h -- which values dropout keeps, many blocks of Philox at once, vectorized. */
#ifndef DTS_KERNELS_DROPOUT_DROPOUT_BITS_H
#define DTS_KERNELS_DROPOUT_DROPOUT_BITS_H

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "base/philox.h"
#include "kernels/op.h"

enum { DTS_DROPOUT_LANES = 16 };

/* The keys of all rounds, of which a register is filled from memory at no cost. */
struct dts_dropout_keys {
    struct dts_philox_key round[DTS_PHILOX_ROUNDS];
};

static inline struct dts_dropout_keys dts_dropout_keys(uint64_t seed)
{
    struct dts_dropout_keys keys;
    for (uint32_t r = 0; r < DTS_PHILOX_ROUNDS; r++)
        keys.round[r] = dts_philox_key(seed, r);
    return keys;
}

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

static inline void dts_dropout_lanes(const struct dts_dropout_keys *keys, uint32_t first,
                                     const uint32_t counter[3], int distance,
                                     uint32_t threshold, uint8_t *keep)
{
    const __m512i number =
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i most = _mm512_set1_epi32((int)threshold), one = _mm512_set1_epi32(1);
    __m512i x[4] = {_mm512_add_epi32(_mm512_set1_epi32((int)first), number),
                    _mm512_set1_epi32((int)counter[0]), _mm512_set1_epi32((int)counter[1]),
                    _mm512_set1_epi32((int)counter[2])};
    for (uint32_t round = 0; round < DTS_PHILOX_ROUNDS; round++) { // as dts_philox_round
        const struct dts_philox_key key = keys->round[round];
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
#elif defined(__AVX2__)
enum { DTS_DROPOUT_QUADS = 4, DTS_DROPOUT_PAIR = 2 };

/* Words of four blocks, each in the lower half of 64 bits, where a product's are what the next
 * round begins with: what is in the upper halves is never read. */
struct dts_dropout_quad {
    __m256i x[4];
};

static inline void dts_dropout_round(const struct dts_philox_key *key,
                                     struct dts_dropout_quad *quad)
{
    __m256i *x = quad->x;
    const __m256i p0 = _mm256_mul_epu32(x[0], _mm256_set1_epi32((int)DTS_PHILOX_FACTOR_0));
    const __m256i p1 = _mm256_mul_epu32(x[2], _mm256_set1_epi32((int)DTS_PHILOX_FACTOR_2));
    const __m256i low = _mm256_xor_si256(x[1], _mm256_set1_epi32((int)key->low));
    const __m256i high = _mm256_xor_si256(x[3], _mm256_set1_epi32((int)key->high));
    x[0] = _mm256_xor_si256(_mm256_srli_epi64(p1, 32), low);
    x[2] = _mm256_xor_si256(_mm256_srli_epi64(p0, 32), high);
    x[1] = p1;
    x[3] = p0;
}

/* Two quads at once, since each waits for its last product. */
static inline void dts_dropout_pair(const struct dts_dropout_keys *keys, uint32_t first,
                                    const uint32_t counter[3], struct dts_dropout_quad *quads)
{
    for (uint32_t q = 0; q < DTS_DROPOUT_PAIR; q++) {
        const __m256i number = _mm256_setr_epi64x(0, 1, 8, 9);
        quads[q].x[0] = _mm256_add_epi32(number, _mm256_set1_epi32((int)(first + 2 * q)));
        for (int w = 1; w < 4; w++)
            quads[q].x[w] = _mm256_set1_epi32((int)counter[w - 1]);
    }
#pragma GCC unroll 10
    for (uint32_t round = 0; round < DTS_PHILOX_ROUNDS; round++)
#pragma GCC unroll 2
        for (uint32_t q = 0; q < DTS_DROPOUT_PAIR; q++)
            dts_dropout_round(&keys->round[round], &quads[q]);
}

/* The lower halves of both: in each half of a register a's, then b's. */
static inline __m256i dts_dropout_halves(__m256i a, __m256i b)
{
    return _mm256_castps_si256(
        _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88));
}

/* Whether 16 bits are at least `most`: all ones, or none. */
static inline __m256i dts_dropout_kept(__m256i bits, __m256i most)
{
    return _mm256_cmpeq_epi16(_mm256_max_epu16(bits, most), bits);
}

static inline void dts_dropout_store(uint8_t *keep, int distance, __m256i even, __m256i odd)
{
    const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(even, odd), 0xd8);
    _mm_storeu_si128((__m128i *)(void *)keep, _mm256_castsi256_si128(bytes));
    _mm_storeu_si128((__m128i *)(void *)(keep + distance), _mm256_extracti128_si256(bytes, 1));
}

/* Which blocks a quad has is what makes those of a part neighbours when all are packed. */
static inline void dts_dropout_lanes(const struct dts_dropout_keys *keys, uint32_t first,
                                     const uint32_t counter[3], int distance,
                                     uint32_t threshold, uint8_t *keep)
{
    const __m256i most = _mm256_set1_epi16((short)threshold), one = _mm256_set1_epi32(1);
    struct dts_dropout_quad quads[DTS_DROPOUT_QUADS];
    for (uint32_t q = 0; q < DTS_DROPOUT_QUADS; q += DTS_DROPOUT_PAIR)
        dts_dropout_pair(keys, first + 2 * q, counter, quads + q);
    for (int w = 0; w < 4; w++, keep += 2 * distance) {
        const __m256i a =
            dts_dropout_kept(dts_dropout_halves(quads[0].x[w], quads[1].x[w]), most);
        const __m256i b =
            dts_dropout_kept(dts_dropout_halves(quads[2].x[w], quads[3].x[w]), most);
        dts_dropout_store(
            keep, distance,
            _mm256_packs_epi32(_mm256_and_si256(a, one), _mm256_and_si256(b, one)),
            _mm256_packs_epi32(_mm256_srli_epi32(a, 31), _mm256_srli_epi32(b, 31)));
    }
}
#else
static inline void dts_dropout_lanes(const struct dts_dropout_keys *keys, uint32_t first,
                                     const uint32_t counter[3], int distance,
                                     uint32_t threshold, uint8_t *restrict keep)
{
    enum { LANES = DTS_DROPOUT_LANES };
    uint32_t words[4][LANES];
    for (int i = 0; i < LANES; i++) {
        words[0][i] = first + (uint32_t)i;
        for (int w = 1; w < 4; w++)
            words[w][i] = counter[w - 1];
    }
    for (uint32_t round = 0; round < DTS_PHILOX_ROUNDS; round++) {
        const struct dts_philox_key key = keys->round[round];
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
static inline void dts_dropout_draw(const struct dts_dropout_keys *keys, uint32_t first,
                                    const uint32_t counter[3], int blocks, int distance,
                                    uint32_t threshold, uint8_t *keep)
{
    for (int i = 0; i < blocks; i += DTS_DROPOUT_LANES)
        dts_dropout_lanes(keys, first + (uint32_t)i, counter, distance, threshold, keep + i);
}

#endif
