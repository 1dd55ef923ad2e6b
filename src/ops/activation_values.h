/* activation_values.h -- functions of one value, and their slopes, for loops that a compiler
 * makes into vectors. Each takes x (or y, where its slope is one of y), what the exponential
 * needs that it is made of, and leaky_relu's slope.
 */
#ifndef DTS_OPS_ACTIVATION_VALUES_H
#define DTS_OPS_ACTIVATION_VALUES_H

#include "ops/activation.h"
#include "ops/vector_math.h"

/* What to raise e to, of x. */
static inline float gelu_exponent(float x)
{
    return -(float)(2 * DTS_GELU_SCALE) * (x + (float)DTS_GELU_CUBE * x * x * x);
}

static inline float minus(float x)
{
    return -x;
}

static inline float twice(float x)
{
    return 2 * x;
}

/* The slope of x sigmoid(g(x)), where e = e^-g, and g' is the slope of g. */
static inline float gated_slope(float x, float e, float slope)
{
    const float s = 1 / (1 + e);
    return s + x * s * (e * s) * slope;
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

/* x sigmoid(g(x)), a of -g */
static inline float gated(float x, struct dts_reduced a, float slope)
{
    (void)slope;
    return x / (1 + dts_reduced_exp(a));
}

static inline float gelu_back(float x, float dy, struct dts_reduced a, float slope)
{
    (void)slope;
    const float scale = (float)(2 * DTS_GELU_SCALE), cube = (float)(3 * DTS_GELU_CUBE);
    return dy * gated_slope(x, dts_reduced_exp(a), scale + scale * cube * (x * x));
}

static inline float silu_back(float x, float dy, struct dts_reduced a, float slope)
{
    (void)slope;
    return dy * gated_slope(x, dts_reduced_exp(a), 1);
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
