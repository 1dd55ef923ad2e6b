/* vector_math.h -- exp and tanh in float that a compiler can vectorize: no branch, no table, no
 * call. (Those of glibc are called one by one; its libmvec wants -ffast-math and one processor
 * family.) Errors are those that test_op_values.c finds over all of the range, in units of the
 * last place.
 */
#ifndef DTS_KERNELS_VECTOR_VECTOR_MATH_H
#define DTS_KERNELS_VECTOR_VECTOR_MATH_H

#include <stdint.h>
#include <string.h>

/* x held within +- what has the bits of `most`; a NaN, too. By its bits: a compiler makes a
 * path of its own of a comparison of floats, and slow denormal numbers on it. */
static inline float dts_held_within(float x, int32_t most)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    const int32_t sign = bits & INT32_MIN, size = bits & INT32_MAX;
    bits = sign | (size < most ? size : most);
    memcpy(&x, &bits, sizeof(bits));
    return x;
}

/* x held within +-87, where e^x is normal. */
static inline float dts_held(float x)
{
    return dts_held_within(x, 0x42ae0000); // of 87
}

/* x = n ln 2 + r, |r| <= ln 2 / 2 */
struct dts_reduced {
    float power; // 2^n
    float r;
};

static inline struct dts_reduced dts_reduce(float x)
{
    const float round = 0x1.8p23f; // its last place is 1: adding it rounds to an integer
    const float log2_e = 1.44269504088896341f;
    const float ln2_high = 0x1.62e4p-1f; // 12 bits and more zeros: n times this is exact
    const float ln2_low = 1.42860682030941723e-6f;
    const float shifted = x * log2_e + round, n = shifted - round;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof(bits));
    bits = (bits + 127) << 23;
    struct dts_reduced result = {0, (x - n * ln2_high) - n * ln2_low};
    memcpy(&result.power, &bits, sizeof(bits));
    return result;
}

/* e^r - 1 = r + r^2 q(r), where q is the polynomial of the fourth degree whose largest error
 * relative to e^r is least for |r| <= ln 2 / 2: 4e-9 with these coefficients (weighted least
 * squares in double, weights multiplied by the errors until these are alike: C. L. Lawson 1961,
 * "Contributions to the Theory of Linear Least Maximum Approximation"). Summed by pairs (G.
 * Estrin 1960, "Organization of computer systems"), which wait for each other less long. */
static inline float dts_small_expm1(float r)
{
    const float square = r * r;
    const float low = 0x1.555492p-3f * r + 0x1.fffffcp-2f;
    const float high = 0x1.123a2p-7f * r + 0x1.5558f2p-5f;
    const float q = (0x1.6a23dp-10f * square + high) * square + low;
    return q * square + r;
}

/* e^x of the reduced x */
static inline float dts_reduced_exp(struct dts_reduced a)
{
    return a.power + a.power * dts_small_expm1(a.r);
}

/* z held within +-125, where 2^z and 1 over it are normal; otherwise as dts_held(). */
static inline float dts_held_2(float z)
{
    return dts_held_within(z, 0x42fa0000); // of 125
}

/* 2^z to 1.5 units of the last place, for z held. Whole numbers are taken off exactly, so this
 * takes fewer operations than e^x, where z is at hand as exactly as x would be. 2^r - 1 is r
 * times the polynomial of the fifth degree whose largest error relative to 2^r is least for
 * |r| <= 1/2: 2e-9, found and summed as that of dts_small_expm1(). */
static inline float dts_exp2(float z)
{
    const float round = 0x1.8p23f;
    const float shifted = z + round, r = z - (shifted - round), square = r * r;
    const float low = 0x1.62e43p-1f * r + 1;
    const float middle = 0x1.c6aee8p-5f * r + 0x1.ebfbdcp-3f;
    const float high = 0x1.41fbbcp-13f * square + (0x1.5f3e52p-10f * r + 0x1.3b2d4cp-7f);
    float result = (high * square + middle) * square + low;
    uint32_t power, bits;
    memcpy(&power, &shifted, sizeof(power));
    memcpy(&bits, &result, sizeof(bits));
    bits += power << 23;
    memcpy(&result, &bits, sizeof(result));
    return result;
}

/* tanh x of the reduced 2x: E / (E + 2), E = e^2x - 1 */
static inline float dts_reduced_tanh(struct dts_reduced a)
{
    const float e = a.power * dts_small_expm1(a.r) + (a.power - 1);
    return e / (e + 2);
}

/* e^x to 2 units of the last place, for x held within +-87; of NaN a number. */
static inline float dts_exp(float x)
{
    return dts_reduced_exp(dts_reduce(dts_held(x)));
}

/* 1 / (1 + e^-x) to 3 units of the last place; as at -87 below. */
static inline float dts_sigmoid(float x)
{
    const float s = 1 / (1 + dts_exp(-x));
    return x == x ? s : x;
}

/* tanh x to 3 units of the last place. */
static inline float dts_tanh(float x)
{
    const float t = dts_reduced_tanh(dts_reduce(dts_held(2 * x)));
    return x == x ? t : x;
}

#endif
