/* exp.h -- e^x in float, in a form that compilers make vectors of.
 *
 * x = n ln 2 + r with |r| <= ln 2 / 2; e^r by its Taylor series to r^7 (what is left out is
 * below r^8 / 8! = 5e-9), 2^n by the bits of the exponent. ln 2 is subtracted in two parts, the
 * first of them exact in a product with n (Cody and Waite 1980, "Software Manual for the
 * Elementary Functions"). Relative error at most 2^-22 from -87 to 88, tested; below -87 the
 * result is 0, above 88 it is e^88.
 */
#ifndef DTS_OPS_EXP_H
#define DTS_OPS_EXP_H

#include <stdint.h>
#include <string.h>

static inline float dts_exp(float x)
{
    const float round = 0x1.8p23f; // adding it leaves no bits behind the point
    const float inside = x > 88 ? 88 : x < -87 ? -87 : x;
    const float shifted = inside * 0x1.715476p+0f + round;
    const float n = shifted - round;
    const float r = (inside - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f;
    float p = 1.0f / 5040;
    p = p * r + 1.0f / 720;
    p = p * r + 1.0f / 120;
    p = p * r + 1.0f / 24;
    p = p * r + 1.0f / 6;
    p = p * r + 0.5f;
    p = p * r + 1;
    p = p * r + 1;
    int32_t bits, scale;
    memcpy(&bits, &shifted, sizeof(bits));
    scale = (int32_t)(((uint32_t)bits + 127) << 23);
    float power;
    memcpy(&power, &scale, sizeof(power));
    return x < -87 ? 0 : p * power;
}

#endif
