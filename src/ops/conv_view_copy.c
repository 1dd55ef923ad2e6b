/* conv_view_copy.c -- pixels into and out of the columns of a tile. A run of neighbours is one
 * masked move where the processor has those (AVX-512), so that rows of any length, borders and
 * the seams between samples cost little.
 */
#include "ops/conv_view.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

enum { ALL = (1 << DTS_TILE_LANES) - 1 };

/* The lanes of a vector that are inside. */
static uint32_t lanes_inside(uint32_t inside, int vector)
{
    return inside >> (vector * DTS_TILE_LANES) & ALL;
}

#if defined(__AVX512F__)

static void load_vector(const struct dts_view_runs *runs, int from, int to, uint32_t inside,
                        const float *x, size_t in_pixels, size_t count, float *out, size_t step)
{
    __mmask16 mask[DTS_TILE_LANES];
    const float *at[DTS_TILE_LANES];
    int n = 0;
    for (int r = from; r < to; r++) {
        const uint32_t m = runs->mask[r] & inside;
        mask[n] = (__mmask16)m;
        at[n] = x + runs->base[r];
        n += m != 0;
    }
    if (n == 1) {
        for (size_t i = 0; i < count; i++)
            _mm512_storeu_ps(out + i * step,
                             _mm512_maskz_loadu_ps(mask[0], at[0] + i * in_pixels));
        return;
    }
    for (size_t i = 0; i < count; i++) {
        __m512 all = _mm512_setzero_ps();
        for (int r = 0; r < n; r++)
            all = _mm512_mask_loadu_ps(all, mask[r], at[r] + i * in_pixels);
        _mm512_storeu_ps(out + i * step, all);
    }
}

static void store_run(uint32_t mask, const float *from, float more, float *to)
{
    const __m512 v = _mm512_add_ps(_mm512_loadu_ps(from), _mm512_set1_ps(more));
    _mm512_mask_storeu_ps(to, (__mmask16)mask, v);
}

#else

static void load_vector(const struct dts_view_runs *runs, int from, int to, uint32_t inside,
                        const float *x, size_t in_pixels, size_t count, float *out, size_t step)
{
    for (size_t i = 0; i < count; i++) {
        for (int l = 0; l < DTS_TILE_LANES; l++)
            out[i * step + (size_t)l] = 0;
        for (int r = from; r < to; r++)
            for (int l = 0; l < DTS_TILE_LANES; l++)
                if ((runs->mask[r] & inside) >> l & 1)
                    out[i * step + (size_t)l] = x[runs->base[r] + l + (long)(i * in_pixels)];
    }
}

static void store_run(uint32_t mask, const float *from, float more, float *to)
{
    for (int l = 0; l < DTS_TILE_LANES; l++)
        if (mask >> l & 1)
            to[l] = from[l] + more;
}

#endif

void dts_view_load(const struct dts_view_lanes *lanes, const struct dts_view_seen *seen,
                   const float *x, size_t in_pixels, size_t count, float *to, size_t step)
{
    const struct dts_view_runs *runs = &lanes->in;
    x += seen->further;
    load_vector(runs, 0, runs->end[0], lanes_inside(seen->inside, 0), x, in_pixels, count, to,
                step);
    load_vector(runs, runs->end[0], runs->end[1], lanes_inside(seen->inside, 1), x, in_pixels,
                count, to + DTS_TILE_LANES, step);
}

void dts_view_store(const struct dts_view_lanes *lanes, const float *from, float more, float *y)
{
    const struct dts_view_runs *runs = &lanes->out;
    for (int r = 0; r < runs->end[1]; r++)
        store_run(runs->mask[r], from + (r < runs->end[0] ? 0 : DTS_TILE_LANES), more,
                  y + runs->base[r]);
}
