/* late.h -- weights of some updates ago, for gradients that are late.
 *
 *     dts_late_begin(&late, weights, step);   the gradient of step: those before `delay`
 * updates
 *     ... forward and backward ...
 *     dts_late_end(&late, weights, step);     the update of step: those of now
 *
 * The first `delay` steps see the first weights, as workers do that all begin at once.
 */
#ifndef DTS_TRAIN_NETWORK_LATE_H
#define DTS_TRAIN_NETWORK_LATE_H

#include <stddef.h>

struct dts_late {
    float *kept;  // delay + 1 copies of all weights; owned
    size_t count; // of weights
    int delay;    // updates; 0: gradients are in time, and nothing is kept
};

void dts_late_open(struct dts_late *late, size_t count, int delay);
void dts_late_close(struct dts_late *late); // leaves it empty

/* Steps count from 0, and none is left out. */
void dts_late_begin(struct dts_late *late, float *weights, long step);
void dts_late_end(const struct dts_late *late, float *weights, long step);

#endif
