/* values.h -- the values of buffers and of messages. A rank computes with floats, or with
 * doubles if elements have 8 bytes. Its messages may have 16 bits for a value.
 */
#ifndef DTS_LIVE_VALUES_H
#define DTS_LIVE_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/call/half.h"

/* The format of a buffer's messages. */
struct dts_values {
    size_t bytes;       // of a value: 4, 2, or 8
    enum dts_half half; // the format if it has 2
};

static inline bool dts_values_narrow(const struct dts_values *v)
{
    return v->bytes == sizeof(uint16_t);
}

/* Bytes in a buffer of a value that has so many in a message. */
static inline size_t dts_values_real(size_t bytes)
{
    return bytes == sizeof(uint16_t) ? sizeof(float) : bytes;
}

/* Both are for values of 16 bits only. dts_values_pack() writes values into a message; round:
 * the values here become those of the message, so that sender and receiver go on with the same.
 * dts_values_round() rounds values without a message. */
void dts_values_pack(const struct dts_values *v, void *message, float *values, size_t count,
                     bool round);
void dts_values_round(const struct dts_values *v, float *values, size_t count);

/* The values of a message replace, or are added to, those of a buffer. */
void dts_values_take(const struct dts_values *v, void *to, const void *message, size_t count);
void dts_values_add(const struct dts_values *v, void *to, const void *message, size_t count);

/* sum += values, without a format. */
void dts_values_add_floats(float *restrict sum, const float *restrict values, size_t count);

#endif
