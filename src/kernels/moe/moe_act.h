/* moe_act.h -- what an expert does to a hidden value, in float: u SiLU(g), or GELU(g) by tanh;
 * with the slopes of both. */
#ifndef DTS_KERNELS_MOE_MOE_ACT_H
#define DTS_KERNELS_MOE_MOE_ACT_H

#include "kernels/moe/moe_route.h"

struct dts_moe_active {
    float value, by_g, by_u;
};

DTS_MOE_HERE struct dts_moe_active dts_moe_active(float g, float u, bool gated)
{
    struct dts_moe_active v;
    if (gated) {
        const float s = 1 / (1 + expf(-g));
        v.value = g * s * u;
        v.by_u = g * s;
        v.by_g = u * (s + g * s * (1 - s));
        return v;
    }
    const float scale = 0.7978845608f,
                cube = 0.044715f; // sqrt(2 / pi); Hendrycks and Gimpel 2016
    const float t = tanhf(scale * (g + cube * g * g * g));
    v.value = 0.5f * g * (1 + t);
    v.by_u = 0;
    v.by_g = 0.5f * (1 + t) + 0.5f * g * (1 - t * t) * scale * (1 + 3 * cube * g * g);
    return v;
}

#endif
