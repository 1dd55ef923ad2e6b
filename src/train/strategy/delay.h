/* delay.h -- gradients of which the update is one step late (synchrony.h, `delay`): those of
 * all layers, or of the layers with parameters at one end of the network.
 *
 * What is late waits in a buffer of its own, and is exchanged there from one update to the
 * next:
 *
 *     compute   fwd | bwd 1 | bwd 0 | update | fwd | bwd 1 | bwd 0 | update |
 *     data                  | all-reduce 1 | all-reduce 0 |  | all-reduce 1 |
 *
 * Here layer 0 is late. Gradients of the first layers are finished last, so nothing hides their
 * exchange in the step itself; of the last layers the exchange is hidden in any case.
 */
#ifndef DTS_TRAIN_STRATEGY_DELAY_H
#define DTS_TRAIN_STRATEGY_DELAY_H

#include "train/strategy/build.h"
#include "train/strategy/coll_choice.h"
#include "train/strategy/synchrony_keys.h"

/* The buffer of a plan with gradients that are late: from one update to the next. */
enum { DTS_LATE = 1 };

/* Which gradients are late, in elements of all gradients as buckets have them, the last layer's
 * first. count 0: none is. */
struct dts_late_values {
    size_t first, count, all;
};
struct dts_late_values dts_delay_values(const struct dts_synchrony *synchrony,
                                        const struct dts_model *model);

/* Are some gradients in time, and some late? */
static inline bool dts_delay_is_partial(const struct dts_synchrony *s)
{
    return s->delay_first > 0 || s->delay_last > 0;
}

/* Refuses a point whose network has too few layers. */
bool dts_delay_check(const struct dts_synchrony *synchrony, const struct dts_point *point,
                     struct dts_error *err);

/* Cuts the bucket in two that has both kinds. Returns how many buckets there are now. */
int dts_delay_cut(const struct dts_synchrony *synchrony, const struct dts_model *model,
                  struct dts_bucket **buckets, int count);

/* Are the gradients of a bucket late? Then span is where they are in that buffer. */
bool dts_delay_has(const struct dts_synchrony *synchrony, const struct dts_model *model,
                   const struct dts_bucket *buckets, int bucket, struct dts_span *span);

/* The update, which was added last, waits for what the step before exchanged, and what is late
 * now is exchanged behind it. */
bool dts_delay_add(const struct dts_synchrony *synchrony, const struct dts_coll_use *sum,
                   struct dts_plan *plan, const struct dts_bucket *buckets, int count,
                   struct dts_error *err);

#endif
