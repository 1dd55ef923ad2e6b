/* coll_choice.h -- which collective a strategy uses, and in what shape: what the strategies
 * allreduce and collective have in common.
 */
#ifndef DTS_TRAIN_STRATEGY_COLL_CHOICE_H
#define DTS_TRAIN_STRATEGY_COLL_CHOICE_H

#include "train/strategy/strategy.h"

/* As the strategy's keys say, then completed from the stack. NULL or 0: not said. */
struct dts_coll_choice {
    const char *algorithm, *between;
    int shards, channels;
    double piece_bytes;
    const struct dts_coll *coll, *between_coll; // what the names stand for
};

/* Check what the keys say, and fill in the stack's defaults. */
bool dts_coll_choice_prepare(struct dts_coll_choice *choice, const struct dts_stack *stack,
                             const struct dts_cfg *at, struct dts_error *err);

/* The shape among all devices of a point, with one piece; refuses what the algorithm cannot. */
bool dts_coll_choice_shape(const struct dts_coll_choice *choice, const struct dts_point *point,
                           enum dts_coll_kind kind, struct dts_coll_shape *shape,
                           struct dts_error *err);

/* An all-reduce among all devices of a point of so few bytes that latency is what it costs: one
 * channel, one piece; its data is left to the caller. */
bool dts_coll_choice_small(const struct dts_coll_choice *choice, const struct dts_point *point,
                           struct dts_collective *collective, struct dts_error *err);

/* Pieces for a collective over so many bytes. */
int dts_coll_choice_pieces(const struct dts_coll_choice *choice,
                           const struct dts_coll_shape *shape, double bytes);

#endif
