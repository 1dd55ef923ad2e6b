/* reduce.h -- what is done to gradients and weights between backward and update:
 * sums of what arrives, casts to 16 bits and back, loss scaling.
 *
 * Workers share the values; a value's result does not depend on their number. Casts round to
 * the nearest, ties to even, as IEEE 754 does; what is too large becomes infinite; a NaN stays
 * one.
 */
#ifndef DTS_OPS_REDUCE_H
#define DTS_OPS_REDUCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/half.h"
#include "ops/workers.h"

/* sum += more */
void dts_reduce_add(float *sum, const float *more, size_t count, struct dts_workers *workers);
void dts_reduce_add_doubles(double *sum, const double *more, size_t count,
                            struct dts_workers *workers);

/* x *= factor: to a mean over ranks, back from a loss scale. */
void dts_reduce_scale(float *x, float factor, size_t count, struct dts_workers *workers);

/* Whether no value is infinite or NaN. */
bool dts_reduce_finite(const float *x, size_t count, struct dts_workers *workers);

/* To 16 bits and back. */
void dts_reduce_narrow(enum dts_half half, uint16_t *out, const float *x, size_t count,
                       struct dts_workers *workers);
void dts_reduce_widen(enum dts_half half, float *out, const uint16_t *x, size_t count,
                      struct dts_workers *workers);

/* To the values that 16 bits have; out may be x. */
void dts_reduce_round(enum dts_half half, float *out, const float *x, size_t count,
                      struct dts_workers *workers);

/* sum += more, in float; and in 16 bits, where the sum is rounded once. */
void dts_reduce_add_widened(enum dts_half half, float *sum, const uint16_t *more, size_t count,
                            struct dts_workers *workers);
void dts_reduce_add_half(enum dts_half half, uint16_t *sum, const uint16_t *more, size_t count,
                         struct dts_workers *workers);

/* The same on a GPU, queued on a stream (a cudaStream_t); only in a build with CUDA. *finite,
 * in device memory, becomes 1 or 0. */
void dts_reduce_add_cuda(float *sum, const float *more, size_t count, void *stream);
void dts_reduce_add_doubles_cuda(double *sum, const double *more, size_t count, void *stream);
void dts_reduce_scale_cuda(float *x, float factor, size_t count, void *stream);
void dts_reduce_finite_cuda(int *finite, const float *x, size_t count, void *stream);
void dts_reduce_narrow_cuda(enum dts_half half, uint16_t *out, const float *x, size_t count,
                            void *stream);
void dts_reduce_widen_cuda(enum dts_half half, float *out, const uint16_t *x, size_t count,
                           void *stream);
void dts_reduce_round_cuda(enum dts_half half, float *out, const float *x, size_t count,
                           void *stream);
void dts_reduce_add_widened_cuda(enum dts_half half, float *sum, const uint16_t *more,
                                 size_t count, void *stream);
void dts_reduce_add_half_cuda(enum dts_half half, uint16_t *sum, const uint16_t *more,
                              size_t count, void *stream);

/* The factor that keeps small gradients of fp16 from becoming zero (Micikevicius et al. 2018,
 * arXiv:1710.03740), found by trying as PyTorch's GradScaler: the loss is multiplied by
 * `scale`, gradients are divided by it before the update; a step whose gradients are not finite
 * is left out and halves the scale, 2000 good ones in a row double it. */
struct dts_loss_scale {
    double scale;    // never below 1
    long good_steps; // in a row
    long left_out;   // steps, in all
};

/* After each step. */
void dts_loss_scale_next(struct dts_loss_scale *scale, bool finite);

#endif
