/* loss_scale.c -- halved by an overflow, doubled after 2000 steps without. */
#include "kernels/reduce/loss_scale.h"

void dts_loss_scale_next(struct dts_loss_scale *scale, bool finite)
{
    if (!finite) {
        scale->scale = scale->scale > 2 ? scale->scale / 2 : 1;
        scale->good_steps = 0;
        scale->left_out++;
    } else if (++scale->good_steps == 2000) {
        scale->scale *= 2;
        scale->good_steps = 0;
    }
}
