/* activation_values.h -- functions of one value, and their slopes, for loops that a compiler
 * makes into vectors. Each takes x (or y, where its slope is one of y), the exponent of the
 * exponential that it is made of, and leaky_relu's slope.
 */
#ifndef DTS_KERNELS_ACTIVATION_ACTIVATION_VALUES_H
#define DTS_KERNELS_ACTIVATION_ACTIVATION_VALUES_H

#include "kernels/activation/activation.h"
#include "kernels/vector/vector_math.h"

/* x made the exponent of e, taken apart. */
static inline struct dts_reduced minus(float x)
{
    return dts_reduce(dts_held(-x));
}

static inline struct dts_reduced twice(float x)
{
    return dts_reduce(dts_held(2 * x));
}

#define GELU_LN_2 0.693147180559945309

/* z of gelu, x / (1 + 2^z), as r; the power is not used. */
static inline struct dts_reduced gelu_exponent(float x)
{
    const float scale = (float)(-2 * DTS_GELU_SCALE / GELU_LN_2);
    const float cube = (float)(-2 * DTS_GELU_SCALE * DTS_GELU_CUBE / GELU_LN_2);
    return (struct dts_reduced){0, dts_held_2(x * (scale + cube * (x * x)))};
}

/* The slope of x sigmoid(g(x)), where e = e^-g, and by is x times the slope of g. */
static inline float gated_slope(float e, float by)
{
    const float s = 1 / (1 + e);
    return s + by * (e * s) * s;
}

/* What is not a number stays so: a step in fp16 that overflows is known by it. */
static inline float relu(float x, struct dts_reduced a, float slope)
{
    (void)a, (void)slope;
    return x < 0 ? 0 : x;
}

static inline float relu_back(float y, float dy, struct dts_reduced a, float slope)
{
    (void)a, (void)slope;
    return y <= 0 ? 0 : dy;
}

static inline float leaky_relu(float x, struct dts_reduced a, float slope)
{
    (void)a;
    return x > 0 ? x : slope * x;
}

static inline float leaky_relu_back(float x, float dy, struct dts_reduced a, float slope)
{
    (void)a;
    return x > 0 ? dy : slope * dy;
}

static inline float gelu(float x, struct dts_reduced a, float slope)
{
    (void)slope;
    return x / (1 + dts_exp2(a.r));
}

/* g = s (x + c x^3) = -z ln 2; x g' = s (x + 3 c x^3) = 3 g - 2 s x */
static inline float gelu_back(float x, float dy, struct dts_reduced a, float slope)
{
    (void)slope;
    const float by = (float)(-3 * GELU_LN_2) * a.r - (float)(4 * DTS_GELU_SCALE) * x;
    return dy * gated_slope(dts_exp2(a.r), by);
}

static inline float silu(float x, struct dts_reduced a, float slope)
{
    (void)slope;
    return x / (1 + dts_reduced_exp(a));
}

static inline float silu_back(float x, float dy, struct dts_reduced a, float slope)
{
    (void)slope;
    return dy * gated_slope(dts_reduced_exp(a), x);
}

static inline float sigmoid(float x, struct dts_reduced a, float slope)
{
    (void)slope;
    const float s = 1 / (1 + dts_reduced_exp(a));
    return x == x ? s : x;
}

static inline float sigmoid_back(float y, float dy, struct dts_reduced a, float slope)
{
    (void)a, (void)slope;
    return dy * y * (1 - y);
}

static inline float tanh_of(float x, struct dts_reduced a, float slope)
{
    (void)slope;
    const float t = dts_reduced_tanh(a);
    return x == x ? t : x;
}

static inline float tanh_back(float y, float dy, struct dts_reduced a, float slope)
{
    (void)a, (void)slope;
    return dy * (1 - y * y);
}

#endif
