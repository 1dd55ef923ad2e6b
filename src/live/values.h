/* values.h -- what a rank computes with are floats, or doubles where elements have 8 bytes;
 * what its messages hold may have 16 bits.
 */
#ifndef DTS_LIVE_VALUES_H
#define DTS_LIVE_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/call/half.h"

/* The format of a buffer's messages. */
struct dts_values {
    size_t bytes;       // of a value: 4, 2, or 8
    enum dts_half half; // where it is 2
};

static inline bool dts_values_narrow(const struct dts_values *v)
{
    return v->bytes == sizeof(uint16_t);
}

/* Bytes in a buffer of what has so many in a message. */
static inline size_t dts_values_real(size_t bytes)
{
    return bytes == sizeof(uint16_t) ? sizeof(float) : bytes;
}

/* Into a message; round: what stays here becomes what the message says, so that who sends and
 * who receives go on with the same. Narrow formats alone, as is the next. */
void dts_values_pack(const struct dts_values *v, void *message, float *values, size_t count,
                     bool round);
void dts_values_round(const struct dts_values *v, float *values, size_t count);

/* What a message says becomes, or is added to, what a buffer has. */
void dts_values_take(const struct dts_values *v, void *to, const void *message, size_t count);
void dts_values_add(const struct dts_values *v, void *to, const void *message, size_t count);

/* sum += values, without a format. */
void dts_values_add_floats(float *restrict sum, const float *restrict values, size_t count);

#endif
