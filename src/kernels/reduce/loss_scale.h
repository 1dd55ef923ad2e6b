/* loss_scale.h -- the factor that keeps small gradients of fp16 from becoming zero
 * (Micikevicius et al. 2018, arXiv:1710.03740), found by trying as PyTorch's GradScaler: the
 * loss is multiplied by `scale`, gradients are divided by it before the update; a step whose
 * gradients are not finite is left out and halves the scale, 2000 good ones in a row double it.
 */
#ifndef DTS_KERNELS_REDUCE_LOSS_SCALE_H
#define DTS_KERNELS_REDUCE_LOSS_SCALE_H

#include <stdbool.h>

struct dts_loss_scale {
    double scale;    // never below 1
    long good_steps; // in a row
    long left_out;   // steps, in all
};

/* After each step. */
void dts_loss_scale_next(struct dts_loss_scale *scale, bool finite);

#endif
