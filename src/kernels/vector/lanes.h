/* lanes.h -- as many floats as a vector register holds, where a loop would not become what it
 * should: sums that stay in registers, and every second value. A compiler's own vectors, so
 * that one text does for all processors.
 */
#ifndef DTS_KERNELS_VECTOR_LANES_H
#define DTS_KERNELS_VECTOR_LANES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif
#if defined(__AVX512F__)
enum { DTS_LANES = 16 };
#define DTS_EVEN_ 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define DTS_ODD_  1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define DTS_LOW_  0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define DTS_HIGH_ 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif defined(__AVX2__)
enum { DTS_LANES = 8 };
#define DTS_EVEN_ 0, 2, 4, 6, 8, 10, 12, 14
#define DTS_ODD_  1, 3, 5, 7, 9, 11, 13, 15
#define DTS_LOW_  0, 8, 1, 9, 2, 10, 3, 11
#define DTS_HIGH_ 4, 12, 5, 13, 6, 14, 7, 15
#else
enum { DTS_LANES = 4 };
#define DTS_EVEN_ 0, 2, 4, 6
#define DTS_ODD_  1, 3, 5, 7
#define DTS_LOW_  0, 4, 1, 5
#define DTS_HIGH_ 2, 6, 3, 7
#endif

typedef float dts_lanes __attribute__((vector_size(DTS_LANES * sizeof(float))));
typedef int32_t dts_int_lanes __attribute__((vector_size(DTS_LANES * sizeof(int32_t))));

#define DTS_LANES_FN static inline __attribute__((always_inline))

/* Clang and GCC name what mixes two vectors differently. */
#if defined(__clang__)
#define DTS_MIXED_(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define DTS_MIXED_(a, b, ...) __builtin_shuffle(a, b, (dts_int_lanes){__VA_ARGS__})
#endif

DTS_LANES_FN dts_lanes dts_lanes_load(const float *from)
{
    dts_lanes v;
    memcpy(&v, from, sizeof(v));
    return v;
}

/* Every step-th value. */
DTS_LANES_FN dts_lanes dts_lanes_gather(const float *from, size_t step)
{
#if defined(__AVX512F__)
    const __m512i at = _mm512_mullo_epi32(
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
        _mm512_set1_epi32((int)step));
    return (dts_lanes)_mm512_i32gather_ps(at, from, sizeof(*from));
#else
    float v[DTS_LANES];
    for (int i = 0; i < DTS_LANES; i++)
        v[i] = from[(size_t)i * step];
    return dts_lanes_load(v);
#endif
}

DTS_LANES_FN void dts_lanes_store(float *to, dts_lanes v)
{
    memcpy(to, &v, sizeof(v));
}

/* Whether stores can go past the caches to memory, and whether a register is as long as a line
 * of the cache, of which one such store then makes a whole. `to` of dts_lanes_stream() is where
 * a register of a line begins, the line's others are stored right before or behind it, and
 * dts_lanes_streamed() comes before another thread reads. Otherwise stores like any other. */
#if defined(__AVX512F__)
enum { DTS_LANES_STREAM = 1, DTS_LANES_ARE_A_LINE = 1 };
DTS_LANES_FN void dts_lanes_stream(float *to, dts_lanes v)
{
    _mm512_stream_ps(to, (__m512)v);
}
#elif defined(__AVX2__)
enum { DTS_LANES_STREAM = 1, DTS_LANES_ARE_A_LINE = 0 };
DTS_LANES_FN void dts_lanes_stream(float *to, dts_lanes v)
{
    _mm256_stream_ps(to, (__m256)v);
}
#else
enum { DTS_LANES_STREAM = 0, DTS_LANES_ARE_A_LINE = 0 };
DTS_LANES_FN void dts_lanes_stream(float *to, dts_lanes v)
{
    dts_lanes_store(to, v);
}
#endif

DTS_LANES_FN void dts_lanes_streamed(void)
{
#if defined(__AVX2__)
    _mm_sfence();
#endif
}

DTS_LANES_FN dts_int_lanes dts_int_lanes_load(const int32_t *from)
{
    dts_int_lanes v;
    memcpy(&v, from, sizeof(v));
    return v;
}

DTS_LANES_FN void dts_int_lanes_store(int32_t *to, dts_int_lanes v)
{
    memcpy(to, &v, sizeof(v));
}

/* The values 0, 2, 4, ... of a and b behind one another; and 1, 3, 5, ... */
DTS_LANES_FN dts_lanes dts_lanes_even(dts_lanes a, dts_lanes b)
{
    return DTS_MIXED_(a, b, DTS_EVEN_);
}

DTS_LANES_FN dts_lanes dts_lanes_odd(dts_lanes a, dts_lanes b)
{
    return DTS_MIXED_(a, b, DTS_ODD_);
}

/* The same in an order that takes fewest instructions; dts_lanes_in_order() puts such in order,
 * and what is in order into this one. */
DTS_LANES_FN dts_lanes dts_lanes_even_mixed(dts_lanes a, dts_lanes b)
{
#if defined(__AVX2__) && !defined(__AVX512F__)
    return (dts_lanes)_mm256_shuffle_ps((__m256)a, (__m256)b, 0x88);
#else
    return dts_lanes_even(a, b);
#endif
}

DTS_LANES_FN dts_lanes dts_lanes_odd_mixed(dts_lanes a, dts_lanes b)
{
#if defined(__AVX2__) && !defined(__AVX512F__)
    return (dts_lanes)_mm256_shuffle_ps((__m256)a, (__m256)b, 0xdd);
#else
    return dts_lanes_odd(a, b);
#endif
}

DTS_LANES_FN dts_int_lanes dts_int_lanes_in_order(dts_int_lanes v)
{
#if defined(__AVX2__) && !defined(__AVX512F__)
    return (dts_int_lanes)_mm256_permute4x64_epi64((__m256i)v, 0xd8);
#else
    return v;
#endif
}

DTS_LANES_FN dts_lanes dts_lanes_in_order(dts_lanes v)
{
    return (dts_lanes)dts_int_lanes_in_order((dts_int_lanes)v);
}

/* Each lane's value that many lanes further on: behind the last `by`, 1 or 2, of what comes
 * before, all of v but its last. */
DTS_LANES_FN dts_lanes dts_lanes_later(dts_lanes before, dts_lanes v, int by)
{
#if defined(__AVX512F__)
    return (dts_lanes)(by == 1 ? _mm512_alignr_epi32((__m512i)v, (__m512i)before, 15)
                               : _mm512_alignr_epi32((__m512i)v, (__m512i)before, 14));
#elif defined(__AVX2__)
    const __m256i middle = _mm256_permute2x128_si256((__m256i)before, (__m256i)v, 0x21);
    return (dts_lanes)(by == 1 ? _mm256_alignr_epi8((__m256i)v, middle, 12)
                               : _mm256_alignr_epi8((__m256i)v, middle, 8));
#else
    return by == 1 ? DTS_MIXED_(before, v, 3, 4, 5, 6) : DTS_MIXED_(before, v, 2, 3, 4, 5);
#endif
}

/* a and b by turns: the first half of each, and the second. */
DTS_LANES_FN dts_lanes dts_lanes_low(dts_lanes a, dts_lanes b)
{
    return DTS_MIXED_(a, b, DTS_LOW_);
}

DTS_LANES_FN dts_lanes dts_lanes_high(dts_lanes a, dts_lanes b)
{
    return DTS_MIXED_(a, b, DTS_HIGH_);
}

/* a and b by turns, to 2 DTS_LANES places */
DTS_LANES_FN void dts_lanes_store_by_turns(float *to, dts_lanes a, dts_lanes b)
{
    dts_lanes_store(to, dts_lanes_low(a, b));
    dts_lanes_store(to + DTS_LANES, dts_lanes_high(a, b));
}

/* Comparisons of places, joined by & and |, and what to take by them. Processors with masks
 * need one instruction for what a compiler makes four of. */
#if defined(__AVX512F__)
typedef __mmask16 dts_which;

DTS_LANES_FN dts_which dts_lanes_larger(dts_lanes a, dts_lanes b)
{
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_GT_OQ);
}

DTS_LANES_FN dts_which dts_lanes_equal(dts_lanes a, dts_lanes b)
{
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_EQ_OQ);
}

DTS_LANES_FN dts_which dts_int_lanes_less(dts_int_lanes a, dts_int_lanes b)
{
    return _mm512_cmplt_epi32_mask((__m512i)a, (__m512i)b);
}

DTS_LANES_FN dts_which dts_int_lanes_equal(dts_int_lanes a, dts_int_lanes b)
{
    return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
}

/* sum + v where that is so, and the sum elsewhere */
DTS_LANES_FN dts_lanes dts_lanes_add_which(dts_lanes sum, dts_which which, dts_lanes v)
{
    return (dts_lanes)_mm512_mask_add_ps((__m512)sum, which, (__m512)sum, (__m512)v);
}

DTS_LANES_FN dts_lanes dts_lanes_select(dts_which which, dts_lanes yes, dts_lanes no)
{
    return (dts_lanes)_mm512_mask_blend_ps(which, (__m512)no, (__m512)yes);
}

DTS_LANES_FN dts_int_lanes dts_int_lanes_select(dts_which which, dts_int_lanes yes,
                                                dts_int_lanes no)
{
    return (dts_int_lanes)_mm512_mask_blend_epi32(which, (__m512i)no, (__m512i)yes);
}
#else
typedef dts_int_lanes dts_which; // all bits of a place, or none

DTS_LANES_FN dts_which dts_lanes_larger(dts_lanes a, dts_lanes b)
{
    return a > b;
}

DTS_LANES_FN dts_which dts_lanes_equal(dts_lanes a, dts_lanes b)
{
    return a == b;
}

DTS_LANES_FN dts_which dts_int_lanes_less(dts_int_lanes a, dts_int_lanes b)
{
    return a < b;
}

DTS_LANES_FN dts_which dts_int_lanes_equal(dts_int_lanes a, dts_int_lanes b)
{
    return a == b;
}

DTS_LANES_FN dts_lanes dts_lanes_add_which(dts_lanes sum, dts_which which, dts_lanes v)
{
    return sum + (dts_lanes)(which & (dts_int_lanes)v);
}

DTS_LANES_FN dts_int_lanes dts_int_lanes_select(dts_which which, dts_int_lanes yes,
                                                dts_int_lanes no)
{
#if defined(__AVX2__)
    return (dts_int_lanes)_mm256_blendv_epi8((__m256i)no, (__m256i)yes, (__m256i)which);
#else
    return (which & yes) | (~which & no);
#endif
}

DTS_LANES_FN dts_lanes dts_lanes_select(dts_which which, dts_lanes yes, dts_lanes no)
{
    return (dts_lanes)dts_int_lanes_select(which, (dts_int_lanes)yes, (dts_int_lanes)no);
}
#endif

/* The larger of each two; b, where neither is larger or a is not a number. */
DTS_LANES_FN dts_lanes dts_lanes_max(dts_lanes a, dts_lanes b)
{
#if defined(__AVX512F__)
    return (dts_lanes)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__)
    return (dts_lanes)_mm256_max_ps((__m256)a, (__m256)b);
#else
    return dts_lanes_select(dts_lanes_larger(a, b), a, b);
#endif
}

#endif
