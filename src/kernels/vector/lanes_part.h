/* lanes_part.h -- vectors at the ends of a line, of which a part lies beside it. */
#ifndef DTS_KERNELS_VECTOR_LANES_PART_H
#define DTS_KERNELS_VECTOR_LANES_PART_H

#include "kernels/vector/lanes.h"

/* Of places at, at + 1, ...: those in a line of `length`. */
DTS_LANES_FN dts_which dts_lanes_within(int at, int length)
{
#if defined(__AVX512F__)
    const int before = at < 0 ? -at : 0, behind = at + DTS_LANES - length;
    const uint32_t all = UINT16_MAX;
    const uint32_t first = before < DTS_LANES ? all << before : 0;
    const uint32_t last = behind <= 0 ? all : behind < DTS_LANES ? all >> behind : 0;
    return (dts_which)(first & last);
#else
    dts_int_lanes place;
    for (int i = 0; i < DTS_LANES; i++)
        place[i] = at + i;
    return (place >= 0) & (place < length);
#endif
}

/* Of from[0], ... those that may be read; `outside` in place of the others. */
DTS_LANES_FN dts_lanes dts_lanes_load_which(const float *from, dts_which which, float outside)
{
    const dts_lanes fill = (dts_lanes){0} + outside;
#if defined(__AVX512F__)
    return (dts_lanes)_mm512_mask_loadu_ps((__m512)fill, which, from);
#elif defined(__AVX2__)
    return dts_lanes_select(which, (dts_lanes)_mm256_maskload_ps(from, (__m256i)which), fill);
#else
    dts_lanes v = fill;
    for (int i = 0; i < DTS_LANES; i++)
        if (which[i])
            v[i] = from[i];
    return v;
#endif
}

/* line[at], ... of a line of `length`, of which some may lie outside: there `outside`. */
DTS_LANES_FN dts_lanes dts_lanes_load_within(const float *line, int at, int length,
                                             float outside)
{
    return dts_lanes_load_which(line + at, dts_lanes_within(at, length), outside);
}

/* Four bytes of each of the first `count`, of whatever kind they are. */
DTS_LANES_FN void dts_store_first_(void *to, dts_int_lanes v, int count)
{
    if (count >= DTS_LANES) {
        memcpy(to, &v, sizeof(v));
        return;
    }
#if defined(__AVX512F__)
    _mm512_mask_storeu_epi32(to, (__mmask16)((1u << count) - 1), (__m512i)v);
#else
    for (int i = 0; i < count; i++) { // all at once would call a function
        const int32_t one = v[i];
        memcpy((char *)to + (size_t)i * sizeof(one), &one, sizeof(one));
    }
#endif
}

/* The first `count` of them, at most all. */
DTS_LANES_FN void dts_lanes_store_first(float *to, dts_lanes v, int count)
{
    dts_store_first_(to, (dts_int_lanes)v, count);
}

DTS_LANES_FN void dts_int_lanes_store_first(int32_t *to, dts_int_lanes v, int count)
{
    dts_store_first_(to, v, count);
}

/* a and b by turns, the first `count` places, from 1 to all. */
DTS_LANES_FN void dts_lanes_store_first_by_turns(float *to, dts_lanes a, dts_lanes b, int count)
{
    dts_lanes_store_first(to, dts_lanes_low(a, b), count);
    if (count > DTS_LANES)
        dts_lanes_store_first(to + DTS_LANES, dts_lanes_high(a, b), count - DTS_LANES);
}

#endif
