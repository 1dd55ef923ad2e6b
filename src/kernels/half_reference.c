/* half_reference.c -- sign, exponent and mantissa, one by one:
 *
 *     value = (-1)^sign 2^(exponent - bias) (1 + mantissa / 2^m)    of a normal number
 *     value = (-1)^sign 2^(1 - bias) mantissa / 2^m                 where the exponent is 0
 */
#include "kernels/half_reference.h"

#include <math.h>
#include <stdbool.h>

struct format {
    int m, bias, infinite; // bits of the mantissa; without the sign, the bits of infinity
};

static struct format format_of(enum dts_half half)
{
    return half == DTS_HALF_BF16 ? (struct format){7, 127, 0x7f80}
                                 : (struct format){10, 15, 0x7c00};
}

double dts_half_value(enum dts_half half, uint16_t bits)
{
    const struct format f = format_of(half);
    const int size = bits & 0x7fff, exponent = size >> f.m, mantissa = size & ((1 << f.m) - 1);
    const double sign = bits & 0x8000 ? -1 : 1;
    if (size > f.infinite)
        return NAN;
    if (size == f.infinite)
        return sign * INFINITY;
    if (exponent == 0)
        return sign * ldexp(mantissa, 1 - f.bias - f.m);
    return sign * ldexp((1 << f.m) + mantissa, exponent - f.bias - f.m);
}

uint16_t dts_half_nearest(enum dts_half half, double x)
{
    const struct format f = format_of(half);
    const int sign = signbit(x) ? 0x8000 : 0;
    if (isnan(x))
        return (uint16_t)(sign | f.infinite | 1 << (f.m - 1));
    if (x == 0)
        return (uint16_t)sign;
    if (isinf(x))
        return (uint16_t)(sign | f.infinite);
    int exponent;
    frexp(x, &exponent); // |x| is in [2^(exponent - 1), 2^exponent)
    const int least = 1 - f.bias - f.m;
    const int last = exponent - 1 - f.m > least ? exponent - 1 - f.m : least; // place
    const double units = rint(ldexp(fabs(x), -last)); // ties to even, at most 2^(m + 1)
    // bits count the values up from zero, 2^m for each exponent
    const double bits = ldexp(last - least, f.m) + units;
    return (uint16_t)(sign | (bits < f.infinite ? (int)bits : f.infinite));
}
