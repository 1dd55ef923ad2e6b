/* half_reference.h -- numbers of 16 bits by their definition (IEEE 754-2019, section 3.4), for
 * the references of casts; half.h is fast. */
#ifndef DTS_KERNELS_HALF_REFERENCE_H
#define DTS_KERNELS_HALF_REFERENCE_H

#include "kernels/call/half.h"

double dts_half_value(enum dts_half half, uint16_t bits);

/* The bits of the value nearest to x, of the even one of two; of what is too large those of
 * infinity. */
uint16_t dts_half_nearest(enum dts_half half, double x);

#endif
