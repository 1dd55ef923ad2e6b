/* coll_choice.h -- which collective a strategy uses, and in what shape. */
#ifndef DTS_TRAIN_STRATEGY_COLL_CHOICE_H
#define DTS_TRAIN_STRATEGY_COLL_CHOICE_H

#include "train/strategy/strategy.h"

/* What the keys of the strategy say (NULL or 0: nothing), then completed from the stack. */
struct dts_coll_choice {
    const char *algorithm, *between;
    int shards, channels;
    double piece_bytes;
    const struct dts_coll *coll, *between_coll; // named `algorithm` and `between`
};

/* Checks the keys, and fills in defaults of the stack. */
bool dts_coll_choice_prepare(struct dts_coll_choice *choice, const struct dts_stack *stack,
                             const struct dts_cfg *at, struct dts_error *err);

/* The shape among all devices of a point, with one piece. Refuses a shape that the algorithm
 * cannot do. */
bool dts_coll_choice_shape(const struct dts_coll_choice *choice, const struct dts_point *point,
                           enum dts_coll_kind kind, struct dts_coll_shape *shape,
                           struct dts_error *err);

/* An all-reduce of few bytes among all devices of a point: one channel, one piece, since
 * latency is most of its cost. The caller sets its data. */
bool dts_coll_choice_small(const struct dts_coll_choice *choice, const struct dts_point *point,
                           struct dts_collective *collective, struct dts_error *err);

/* The number of pieces of a collective over so many bytes. */
int dts_coll_choice_pieces(const struct dts_coll_choice *choice,
                           const struct dts_coll_shape *shape, double bytes);

#endif
