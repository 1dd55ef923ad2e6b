/* values_there.h -- what is done with the values of messages that lie where a network computes
 * (kernels/space/space.h): kernels of the device, on a queue that is the calling thread's. They
 * are complete when they return; what fails is kept (dts_space_trouble()).
 */
#ifndef DTS_TRAIN_NETWORK_VALUES_THERE_H
#define DTS_TRAIN_NETWORK_VALUES_THERE_H

#include "kernels/call/half.h"
#include "kernels/space/space.h"

/* Values into 16 bits; round: they become what 16 bits say. */
void dts_there_narrow(struct dts_space *space, int queue, enum dts_half half, uint16_t *out,
                      float *values, size_t count, bool round);
void dts_there_widen(struct dts_space *space, int queue, enum dts_half half, float *out,
                     const uint16_t *x, size_t count);
void dts_there_round(struct dts_space *space, int queue, enum dts_half half, float *values,
                     size_t count);
void dts_there_copy(struct dts_space *space, int queue, void *to, const void *from,
                    size_t bytes);

/* sum += more */
void dts_there_add(struct dts_space *space, int queue, float *sum, const float *more,
                   size_t count);
void dts_there_add_widened(struct dts_space *space, int queue, enum dts_half half, float *sum,
                           const uint16_t *more, size_t count);
void dts_there_add_doubles(struct dts_space *space, int queue, double *sum, const double *more,
                           size_t count);

#endif
