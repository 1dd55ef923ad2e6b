/* stats.c -- order statistics, and the expected maximum of normals. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double dts_quantile(double *values, int count, double q)
{
    assert(count >= 1 && q >= 0 && q <= 1);
    qsort(values, (size_t)count, sizeof(*values), by_value);
    double position = q * (count - 1);
    int below = (int)position;
    if (below == count - 1)
        return values[below];
    return values[below] + (position - below) * (values[below + 1] - values[below]);
}

double dts_median(double *values, int count)
{
    return dts_quantile(values, count, 0.5);
}

double dts_on_line(double x, double a, double b, double at_a, double at_b)
{
    return a < b || a > b ? at_a + (at_b - at_a) * (x - a) / (b - a) : at_a;
}

double dts_largest(const double *values, int count)
{
    double most = 0;
    for (int i = 0; i < count && values != NULL; i++)
        most = values[i] > most ? values[i] : most;
    return most;
}

double dts_mad(double *values, int count)
{
    double median = dts_median(values, count);
    double *deviations = dts_alloc((size_t)count, sizeof(*deviations));
    for (int i = 0; i < count; i++)
        deviations[i] = fabs(values[i] - median);
    double mad = dts_median(deviations, count);
    free(deviations);
    return mad;
}

/* The density of the normal distribution, in plain arithmetic so that it is the same on every
 * machine: exp(-z) is the 64th power of a short series. */
static double density(double x)
{
    double t = -x * x / 128, series = 1;
    for (int k = 16; k >= 1; k--)
        series = 1 + series * t / k;
    for (int i = 0; i < 6; i++)
        series *= series;
    return 0.39894228040143267794 * series; // 1/sqrt(2 pi)
}

static double power(double base, int exponent)
{
    double result = 1;
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 == 1)
            result *= base;
        base *= base;
    }
    return result;
}

/* E[max] = integral over x > 0 of 1 - F(x)^n, less that over x < 0 of F(x)^n. The tail 1 - F is
 * summed up from the right, where it is small, by Simpson's rule; the outer integral by
 * trapezoids. The ends lie where nothing is left for n <= 1e6. */
double dts_expected_maximum(int n)
{
    assert(n >= 1);
    if (n == 1)
        return 0;
    const int steps_per_unit = 64, end = 9;
    const double h = 1.0 / steps_per_unit;
    double tail = 0, sum = 0;
    for (int i = end * steps_per_unit; i > -end * steps_per_unit; i--) {
        double x = i * h;
        double below = power(fmax(1 - tail, 0), n);
        sum += x > 0 ? 1 - below : x < 0 ? -below : 0.5 - below;
        tail += h / 6 * (density(x) + 4 * density(x - h / 2) + density(x - h));
    }
    return sum * h;
}
