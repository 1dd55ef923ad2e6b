/* activation_values.h -- functions of one value, and their slopes, for loops that a compiler
 * makes into vectors. `slope`: leaky_relu's.
 */
#ifndef DTS_OPS_ACTIVATION_VALUES_H
#define DTS_OPS_ACTIVATION_VALUES_H

#include "ops/activation.h"
#include "ops/vector_math.h"

static inline float gelu_argument(float x)
{
    return (float)(2 * DTS_GELU_SCALE) * (x + (float)DTS_GELU_CUBE * x * x * x);
}

/* The slope of x sigmoid(g(x)), where e = e^-g, and g' is the slope of g. */
static inline float gated_slope(float x, float e, float slope)
{
    const float s = 1 / (1 + e);
    return s + x * s * (e * s) * slope;
}

static inline float relu(float x, float slope)
{
    (void)slope;
    return x > 0 ? x : 0;
}

static inline float relu_back(float y, float dy, float slope)
{
    (void)slope;
    return y > 0 ? dy : 0;
}

static inline float leaky_relu(float x, float slope)
{
    return x > 0 ? x : slope * x;
}

static inline float leaky_relu_back(float x, float dy, float slope)
{
    return x > 0 ? dy : slope * dy;
}

static inline float gelu(float x, float slope)
{
    (void)slope;
    return x / (1 + dts_exp(-gelu_argument(x)));
}

static inline float gelu_back(float x, float dy, float slope)
{
    (void)slope;
    const float scale = (float)(2 * DTS_GELU_SCALE), cube = (float)(3 * DTS_GELU_CUBE);
    return dy * gated_slope(x, dts_exp(-gelu_argument(x)), scale * (1 + cube * x * x));
}

static inline float silu(float x, float slope)
{
    (void)slope;
    return x / (1 + dts_exp(-x));
}

static inline float silu_back(float x, float dy, float slope)
{
    (void)slope;
    return dy * gated_slope(x, dts_exp(-x), 1);
}

static inline float sigmoid(float x, float slope)
{
    (void)slope;
    return dts_sigmoid(x);
}

static inline float sigmoid_back(float y, float dy, float slope)
{
    (void)slope;
    return dy * y * (1 - y);
}

static inline float tanh_of(float x, float slope)
{
    (void)slope;
    return dts_tanh(x);
}

static inline float tanh_back(float y, float dy, float slope)
{
    (void)slope;
    return dy * (1 - y * y);
}

#endif
