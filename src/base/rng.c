/* rng.c -- Philox 4x32-10, and what is made of its bits. No function of libm but sqrt() is
 * called: the others round differently from machine to machine. */
#include <math.h>

#include "base/philox.h"
#include "base/rng.h"

uint64_t dts_random(uint64_t seed, uint64_t stream, uint64_t counter)
{
    uint32_t x[4] = {(uint32_t)counter, (uint32_t)(counter >> 32), (uint32_t)stream,
                     (uint32_t)(stream >> 32)};
    dts_philox(x, seed);
    return (uint64_t)x[1] << 32 | x[0];
}

double dts_uniform(uint64_t seed, uint64_t stream, uint64_t counter)
{
    // 52 bits and a half: neither 0 nor, by rounding, 1
    return ((double)(dts_random(seed, stream, counter) >> 12) + 0.5) * 0x1p-52;
}

/* ln x for 0 < x < 1: x = m 2^e, ln m = 2 artanh((m - 1)/(m + 1)). */
static double logarithm(double x)
{
    const double ln2 = 0.69314718055994530942;
    int exponent;
    double m = frexp(x, &exponent);
    if (m < 0.70710678118654752440) {
        m *= 2;
        exponent--;
    }
    double s = (m - 1) / (m + 1), square = s * s, sum = 0; // square < 0.0295
    for (int k = 23; k >= 1; k -= 2)
        sum = sum * square + 1.0 / k;
    return 2 * s * sum + exponent * ln2;
}

static double ratio(const double numerator[8], const double denominator[8], double r)
{
    double n = 0, d = 0;
    for (int i = 7; i >= 0; i--) {
        n = n * r + numerator[i];
        d = d * r + denominator[i];
    }
    return n / d;
}

/* The quantile of the normal distribution, to 1 part in 1e16: Wichura 1988, algorithm AS 241
 * (doi:10.2307/2347330), PPND16. */
static double normal_quantile(double p)
{
    static const double a[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                                1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                3.3430575583588128105e+4, 2.5090809287301226727e+3};
    static const double b[8] = {1.0,
                                4.2313330701600911252e+1,
                                6.8718700749205790830e+2,
                                5.3941960214247511077e+3,
                                2.1213794301586595867e+4,
                                3.9307895800092710610e+4,
                                2.8729085735721942674e+4,
                                5.2264952788528545610e+3};
    static const double c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                5.76949722146069140550e0,  3.64784832476320460504e0,
                                1.27045825245236838258e0,  2.41780725177450611770e-1,
                                2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static const double d[8] = {1.0,
                                2.05319162663775882187e0,
                                1.67638483018380384940e0,
                                6.89767334985100004550e-1,
                                1.48103976427480074590e-1,
                                1.51986665636164571966e-2,
                                5.47593808499534494600e-4,
                                1.05075007164441684324e-9};
    static const double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                1.78482653991729133580e0,  2.96560571828504891230e-1,
                                2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static const double f[8] = {1.0,
                                5.99832206555887937690e-1,
                                1.36929880922735805310e-1,
                                1.48753612908506148525e-2,
                                7.86869131145613259100e-4,
                                1.84631831751005468180e-5,
                                1.42151175831644588870e-7,
                                2.04426310338993978564e-15};
    double q = p - 0.5;
    if (fabs(q) <= 0.425)
        return q * ratio(a, b, 0.180625 - q * q);
    double r = sqrt(-logarithm(q < 0 ? p : 1 - p));
    double tail = r <= 5 ? ratio(c, d, r - 1.6) : ratio(e, f, r - 5);
    return q < 0 ? -tail : tail;
}

double dts_normal(uint64_t seed, uint64_t stream, uint64_t counter)
{
    return normal_quantile(dts_uniform(seed, stream, counter));
}

void dts_shuffle(int *items, int count, uint64_t seed, uint64_t stream)
{
    for (int i = 0; i < count; i++)
        items[i] = i;
    for (int i = count - 1; i > 0; i--) {
        // the remainder favours small numbers by at most count / 2^64
        int other = (int)(dts_random(seed, stream, (uint64_t)i) % (uint64_t)(i + 1));
        int item = items[i];
        items[i] = items[other];
        items[other] = item;
    }
}
