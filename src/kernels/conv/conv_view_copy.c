/* conv_view_copy.c -- pixels into and out of the columns of a tile. A run of neighbours is one
 * masked move where the processor has those (AVX-512), so that rows of any length, borders and
 * the seams between samples cost little.
 */
#include "kernels/conv/conv_view.h"

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

static __m512i offsets(const struct dts_view_runs *runs, int vector)
{
    return _mm512_loadu_si512(runs->offset + vector * DTS_TILE_LANES);
}

static void load_scattered(const struct dts_view_runs *runs, int vector, uint32_t inside,
                           const float *x, size_t in_pixels, size_t count, float *out,
                           size_t step)
{
    const __m512i at = offsets(runs, vector);
    const __m512 zero = _mm512_setzero_ps();
    x += runs->origin;
    for (size_t i = 0; i < count; i++)
        _mm512_storeu_ps(out + i * step,
                         _mm512_mask_i32gather_ps(zero, (__mmask16)inside, at,
                                                  x + i * in_pixels, sizeof(float)));
}

static void load_vector(const struct dts_view_runs *runs, int vector, uint32_t inside,
                        const float *x, size_t in_pixels, size_t count, float *out, size_t step)
{
    __mmask16 mask[DTS_TILE_LANES];
    const float *at[DTS_TILE_LANES];
    int n = 0;
    if (runs->scattered[vector]) {
        load_scattered(runs, vector, inside, x, in_pixels, count, out, step);
        return;
    }
    for (int r = vector == 0 ? 0 : runs->end[0]; r < runs->end[vector]; r++) {
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

static void store_vector(const struct dts_view_lanes *lanes, int vector, const float *from,
                         float more, float *to)
{
    const struct dts_view_runs *runs = &lanes->out;
    const __m512 v = _mm512_add_ps(_mm512_loadu_ps(from), _mm512_set1_ps(more));
    if (runs->scattered[vector]) {
        const uint32_t all = (uint32_t)((1ull << lanes->count) - 1);
        _mm512_mask_i32scatter_ps(to + runs->origin, (__mmask16)lanes_inside(all, vector),
                                  offsets(runs, vector), v, sizeof(float));
        return;
    }
    for (int r = vector == 0 ? 0 : runs->end[0]; r < runs->end[vector]; r++)
        _mm512_mask_storeu_ps(to + runs->base[r], (__mmask16)runs->mask[r], v);
}

static void put_vector(const struct dts_view_runs *runs, int vector, uint32_t inside,
                       const float *from, float *x)
{
    _mm512_mask_i32scatter_ps(x + runs->origin, (__mmask16)inside, offsets(runs, vector),
                              _mm512_loadu_ps(from), sizeof(float));
}

#else

static void load_vector(const struct dts_view_runs *runs, int vector, uint32_t inside,
                        const float *x, size_t in_pixels, size_t count, float *out, size_t step)
{
    const int *offset = runs->offset + vector * DTS_TILE_LANES;
    x += runs->origin;
    for (size_t i = 0; i < count; i++)
        for (int l = 0; l < DTS_TILE_LANES; l++)
            out[i * step + (size_t)l] =
                inside >> l & 1 ? x[offset[l] + (long)(i * in_pixels)] : 0;
}

static void store_vector(const struct dts_view_lanes *lanes, int vector, const float *from,
                         float more, float *to)
{
    const int first = vector * DTS_TILE_LANES;
    for (int l = 0; l < DTS_TILE_LANES && first + l < (int)lanes->count; l++)
        to[lanes->out.origin + lanes->out.offset[first + l]] = from[l] + more;
}

static void put_vector(const struct dts_view_runs *runs, int vector, uint32_t inside,
                       const float *from, float *x)
{
    for (int l = 0; l < DTS_TILE_LANES; l++)
        if (inside >> l & 1)
            x[runs->origin + runs->offset[vector * DTS_TILE_LANES + l]] = from[l];
}

#endif

void dts_view_load(const struct dts_view_lanes *lanes, const struct dts_view_seen *seen,
                   const float *x, size_t in_pixels, size_t count, float *to, size_t step)
{
    for (int v = 0; v < 2; v++)
        load_vector(&lanes->in, v, lanes_inside(seen->inside, v), x + seen->further, in_pixels,
                    count, to + v * DTS_TILE_LANES, step);
}

void dts_view_store(const struct dts_view_lanes *lanes, const float *from, float more, float *y)
{
    for (int v = 0; v < 2; v++)
        store_vector(lanes, v, from + v * DTS_TILE_LANES, more, y);
}

void dts_view_put(const struct dts_view_lanes *lanes, const struct dts_view_seen *seen,
                  size_t taps, int vector, const float *from, float *x)
{
    for (size_t t = 0; t < taps; t++)
        put_vector(&lanes->in, vector, lanes_inside(seen[t].inside, vector),
                   from + t * DTS_TILE_LANES, x + seen[t].further);
}
