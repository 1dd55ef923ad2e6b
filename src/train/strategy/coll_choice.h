/* coll_choice.h -- which collective a strategy uses, and in what shape. */
#ifndef DTS_TRAIN_STRATEGY_COLL_CHOICE_H
#define DTS_TRAIN_STRATEGY_COLL_CHOICE_H

#include "train/strategy/strategy.h"

/* What the keys of the strategy say (NULL or 0: nothing), then completed from the stack. */
struct dts_coll_choice {
    enum dts_coll_kind kind; // that all are; set before it is prepared
    const char *key;         // that names the algorithm; set before, NULL: "algorithm"
    const char *algorithm, *between;
    int shards, channels;
    double piece_bytes;
    int own_channels;                           // of the strategy's keys; 0: a library knows
    bool automatic;                             // as the stack's library chooses
    const struct dts_coll *coll, *between_coll; // else: named `algorithm` and `between`
};

/* Names of algorithms, then "auto": for choices. */
const char *dts_coll_choice_name(int i);

/* Checks the keys, and fills in defaults of the stack. */
bool dts_coll_choice_prepare(struct dts_coll_choice *choice, const struct dts_stack *stack,
                             const struct dts_cfg *at, struct dts_error *err);

/* A collective over so many bytes among the members, but for its data. Refuses a shape that the
 * algorithm cannot do. */
bool dts_coll_choice_make(const struct dts_coll_choice *choice, const struct dts_point *point,
                          const struct dts_members *members, enum dts_coll_kind kind,
                          double bytes, struct dts_collective *collective,
                          struct dts_error *err);

/* Who does which collective. */
struct dts_coll_use {
    const struct dts_coll_choice *choice;
    const struct dts_point *point;
    struct dts_members members;
    enum dts_coll_kind kind;
};

/* Adds one over this data to a stream of the plan. Returns the operation; -1: the algorithm
 * cannot. */
int dts_coll_add(const struct dts_coll_use *use, struct dts_plan *plan, enum dts_stream stream,
                 const char *label, struct dts_span data, struct dts_error *err);

/* The same on DTS_DATA with the data of a bucket, whose number ends the label, behind another
 * operation. */
int dts_coll_add_bucket(const struct dts_coll_use *use, struct dts_plan *plan, const char *word,
                        int bucket, struct dts_span data, int after, struct dts_error *err);

/* An all-reduce of few bytes among the members: one channel, one piece, since latency is most
 * of its cost. The caller sets its data. */
bool dts_coll_choice_small(const struct dts_coll_choice *choice, const struct dts_point *point,
                           const struct dts_members *members, struct dts_collective *collective,
                           struct dts_error *err);

#endif
