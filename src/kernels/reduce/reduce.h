/* reduce.h -- what is done to gradients and weights between backward and update: sums of what
 * arrives, casts to 16 bits and back, loss scaling.
 *
 * Each is a file `<name>.c` with the reference, the host's version, the row and the
 * function that callers use; cuda versions are in reduce.cu. A row in reduce.c, nothing else.
 *
 * A value's result depends on nothing but itself, and all versions have the same bits, whatever
 * the number of workers. Casts round to the nearest, ties to even, as IEEE 754 does; what is
 * too large becomes infinite; a NaN stays one.
 */
#ifndef DTS_KERNELS_REDUCE_REDUCE_H
#define DTS_KERNELS_REDUCE_REDUCE_H

#include "kernels/call/half.h"
#include "kernels/op.h"

/* On the place's arrays; a GPU queues its work on the place's stream. No two overlap, but where
 * it says so. */

/* sum += more */
void dts_reduce_add(float *sum, const float *more, size_t count, const struct dts_place *place);
void dts_reduce_add_doubles(double *sum, const double *more, size_t count,
                            const struct dts_place *place);

/* x *= factor: to a mean over ranks, back from a loss scale. */
void dts_reduce_scale(float *x, float factor, size_t count, const struct dts_place *place);

/* *finite, in the place's memory, becomes 1, or 0 where a value is infinite or NaN. */
void dts_reduce_finite(int *finite, const float *x, size_t count,
                       const struct dts_place *place);

/* To 16 bits and back. */
void dts_reduce_narrow(enum dts_half half, uint16_t *out, const float *x, size_t count,
                       const struct dts_place *place);
void dts_reduce_widen(enum dts_half half, float *out, const uint16_t *x, size_t count,
                      const struct dts_place *place);

/* To the values that 16 bits have; out may be x. */
void dts_reduce_round(enum dts_half half, float *out, const float *x, size_t count,
                      const struct dts_place *place);

/* sum += more, in float; and in 16 bits, where the sum is rounded once. */
void dts_reduce_add_widened(enum dts_half half, float *sum, const uint16_t *more, size_t count,
                            const struct dts_place *place);
void dts_reduce_add_half(enum dts_half half, uint16_t *sum, const uint16_t *more, size_t count,
                         const struct dts_place *place);

/* The table, for those who go over all of them. */
struct dts_reduce_arrays {
    size_t count;
    void *out; // written, or added to
    const void *x;
    float factor;
    enum dts_half half;
};

typedef void dts_reduce_fn(const struct dts_reduce_arrays *arrays,
                           const struct dts_place *place);

struct dts_reduction {
    const char *name, *summary;
    size_t out, x; // bytes of a value: 8 of a double, 4 of a float, 2 in 16 bits; 0: none
    bool adds;     // out is read, too
    bool one;      // out is an int, for all values together
    bool halves;   // there is one for each format of 16 bits
    double flops;  // of a value; a comparison and a cast are one each
    double bytes;  // of a value, read and written
    dts_reduce_fn *reference; // plain loops, on the same arrays
    dts_reduce_fn *host;
    dts_reduce_fn *cuda; // NULL in a build without CUDA
};

extern const struct dts_reduction *const dts_reductions[]; // ended by NULL
const struct dts_reduction *dts_reduction_find(const char *name);

#endif
