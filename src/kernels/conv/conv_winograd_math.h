/* conv_winograd_math.h -- the transforms of F(4x4, 3x3) (Lavin and Gray 2016, "Fast Algorithms
 * for Convolutional Neural Networks", arXiv:1509.09308, section 4.3), on vectors: one lane is
 * one tile, or one channel. For conv_winograd*.c alone.
 */
#ifndef DTS_KERNELS_CONV_CONV_WINOGRAD_MATH_H
#define DTS_KERNELS_CONV_CONV_WINOGRAD_MATH_H

#include <string.h>

#include "kernels/product/tile.h"

enum { WINOGRAD_OUT = 4, WINOGRAD_IN = 6, WINOGRAD_PRODUCTS = 36 };

typedef float winograd_vector __attribute__((vector_size(DTS_TILE_LANES * sizeof(float))));

static inline winograd_vector winograd_load(const float *from)
{
    winograd_vector v;
    memcpy(&v, from, sizeof(v));
    return v;
}

static inline void winograd_store(float *to, winograd_vector v)
{
    memcpy(to, &v, sizeof(v));
}

/* Each of these works on one column, whose values lie `step` apart. */
static inline __attribute__((always_inline)) void winograd_input(const winograd_vector *d,
                                                                 winograd_vector *v, int step)
{
    const winograd_vector d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = d[3 * step],
                          d4 = d[4 * step], d5 = d[5 * step];
    const winograd_vector even = d4 - 4 * d2, odd = d3 - 4 * d1;
    const winograd_vector even2 = d4 - d2, odd2 = 2 * (d3 - d1);
    v[0] = 4 * d0 - 5 * d2 + d4;
    v[step] = even + odd;
    v[2 * step] = even - odd;
    v[3 * step] = even2 + odd2;
    v[4 * step] = even2 - odd2;
    v[5 * step] = 4 * d1 - 5 * d3 + d5;
}

static inline __attribute__((always_inline)) void
winograd_weights(const winograd_vector *g, int from, winograd_vector *u, int step)
{
    const winograd_vector g0 = g[0], g1 = g[from], g2 = g[2 * from];
    const winograd_vector sum = (g0 + g2) * (-1.0F / 6), middle = g1 * (1.0F / 6);
    const winograd_vector sum2 = g0 * (1.0F / 24) + g2 * (1.0F / 6), middle2 = g1 * (1.0F / 12);
    u[0] = g0 * 0.25F;
    u[step] = sum - middle;
    u[2 * step] = sum + middle;
    u[3 * step] = sum2 + middle2;
    u[4 * step] = sum2 - middle2;
    u[5 * step] = g2;
}

static inline __attribute__((always_inline)) void
winograd_output(const winograd_vector *m, int from, winograd_vector *y, int step)
{
    const winograd_vector m0 = m[0], m1 = m[from], m2 = m[2 * from], m3 = m[3 * from],
                          m4 = m[4 * from], m5 = m[5 * from];
    const winograd_vector sum = m1 + m2, difference = m1 - m2;
    const winograd_vector sum2 = m3 + m4, difference2 = m3 - m4;
    y[0] = m0 + sum + sum2;
    y[step] = difference + 2 * difference2;
    y[2 * step] = sum + 4 * sum2;
    y[3 * step] = difference + 8 * difference2 + m5;
}

/* The other way round: what each of m's parts has had of y. */
static inline __attribute__((always_inline)) void
winograd_output_back(const winograd_vector *y, int from, winograd_vector *m, int step)
{
    const winograd_vector y0 = y[0], y1 = y[from], y2 = y[2 * from], y3 = y[3 * from];
    const winograd_vector even = y0 + y2, odd = y1 + y3;
    const winograd_vector even2 = y0 + 4 * y2, odd2 = 2 * y1 + 8 * y3;
    m[0] = y0;
    m[step] = even + odd;
    m[2 * step] = even - odd;
    m[3 * step] = even2 + odd2;
    m[4 * step] = even2 - odd2;
    m[5 * step] = y3;
}

/* And of the weights. */
static inline __attribute__((always_inline)) void
winograd_weights_back(const winograd_vector *u, int from, winograd_vector *g, int step)
{
    const winograd_vector u0 = u[0], u1 = u[from], u2 = u[2 * from], u3 = u[3 * from],
                          u4 = u[4 * from], u5 = u[5 * from];
    const winograd_vector sum = (u1 + u2) * (1.0F / 6), sum2 = u3 + u4;
    g[0] = u0 * 0.25F - sum + sum2 * (1.0F / 24);
    g[step] = (u2 - u1) * (1.0F / 6) + (u3 - u4) * (1.0F / 12);
    g[2 * step] = sum2 * (1.0F / 6) - sum + u5;
}

#endif
