/* half.h -- numbers of 16 bits: one float there and back, by integers, so that loops become
 * vectors. Rounds to the nearest, ties to even, as IEEE 754 does; what is too large becomes
 * infinite; a NaN stays one. */
#ifndef DTS_KERNELS_CALL_HALF_H
#define DTS_KERNELS_CALL_HALF_H

#include <stdint.h>
#include <string.h>

/* bf16: the upper half of a float, 8 bits of significand. fp16: 11, of 5 bits of exponent. */
enum dts_half { DTS_HALF_BF16, DTS_HALF_FP16 };

static inline uint32_t dts_float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static inline float dts_bits_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static inline uint16_t dts_to_bf16(float x)
{
    const uint32_t bits = dts_float_bits(x);
    const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    const uint32_t quiet = bits >> 16 | 0x40; // a NaN whose lower half alone is not zero
    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? quiet : rounded);
}

static inline float dts_from_bf16(uint16_t x)
{
    return dts_bits_float((uint32_t)x << 16);
}

/* fp16: 5 bits of exponent, 10 of mantissa. */
static inline uint16_t dts_to_fp16(float x)
{
    const uint32_t bits = dts_float_bits(x), sign = bits >> 16 & 0x8000;
    const uint32_t size = bits & 0x7fffffff;
    // exponents differ by 112; the carry of rounding goes on into the exponent
    const uint32_t normal = (size - (112u << 23) + 0xfff + (size >> 13 & 1)) >> 13;
    // below 2^-14 the last place is 2^-24, as that of 0.5: adding it rounds
    const uint32_t small = dts_float_bits(dts_bits_float(size) + 0.5f) - dts_float_bits(0.5f);
    const uint32_t large = size > 0x7f800000 ? 0x7e00 : 0x7c00; // NaN, infinite
    const uint32_t result = size < 113u << 23 ? small : size >= 143u << 23 ? large : normal;
    return (uint16_t)(sign | result);
}

static inline float dts_from_fp16(uint16_t x)
{
    const uint32_t sign = (uint32_t)(x & 0x8000) << 16, size = (uint32_t)(x & 0x7fff) << 13;
    const uint32_t normal = size + (112u << 23);
    const uint32_t large = size + (224u << 23);
    const uint32_t small =
        dts_float_bits(dts_bits_float(size + (113u << 23)) - dts_bits_float(113u << 23));
    const uint32_t result = size < 1u << 23 ? small : size >= 31u << 23 ? large : normal;
    return dts_bits_float(sign | result);
}

#endif
