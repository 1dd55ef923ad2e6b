/* keys.h -- the keys that several strategies share: type, range and default of each, for a row
 * of a table of fields (base/json/cfg.h). The row adds the help where it differs by strategy:
 *
 *     {DTS_CHANNELS_KEY(struct allreduce, choice), .help = "parts of a bucket ..."},
 *     {DTS_BUCKET_KEY(struct allreduce)},
 *
 * `owner` is the struct that the table fills; `choice` is its struct dts_coll_choice.
 */
#ifndef DTS_TRAIN_STRATEGY_KEYS_H
#define DTS_TRAIN_STRATEGY_KEYS_H

#include "base/json/cfg.h"
#include "plan/plan.h"

/* A key of a member that is not called as the key. */
#define DTS_KEY_OF(owner, word, member) .key = word, .offset = offsetof(owner, member)

/* Optional: the name of a collective algorithm, a number, a whole number of at most 64. */
#define DTS_ALGORITHM_OR_NONE .type = DTS_STRING, .choice = dts_coll_name, .missing = "null"
#define DTS_AUTO_OR_ALGORITHM                                                                  \
    .type = DTS_STRING, .choice = dts_coll_choice_name, .missing = "null"
#define DTS_BYTES_OR_NONE(least)                                                               \
    .type = DTS_REAL, .min = (least), .max = 1e12, .missing = "null"
#define DTS_COUNT_OR_NONE .type = DTS_INT, .min = 1, .max = 64, .missing = "null"

/* How data is summed or moved. */
#define DTS_ALGORITHM_KEY(owner, choice)                                                       \
    DTS_KEY_OF(owner, "algorithm", choice.algorithm), DTS_AUTO_OR_ALGORITHM
#define DTS_BETWEEN_KEY(owner, choice)                                                         \
    DTS_KEY_OF(owner, "between", choice.between), DTS_ALGORITHM_OR_NONE,                       \
        .help = "hierarchical: the algorithm between nodes; default: the stack's, or ring"
#define DTS_SHARDS_KEY(owner, choice)                                                          \
    DTS_KEY_OF(owner, "shards", choice.shards), DTS_COUNT_OR_NONE
#define DTS_CHANNELS_KEY(owner, choice)                                                        \
    DTS_KEY_OF(owner, "channels", choice.channels), DTS_COUNT_OR_NONE
#define DTS_PIECE_KEY(owner, choice)                                                           \
    DTS_KEY_OF(owner, "piece_bytes", choice.piece_bytes), DTS_BYTES_OR_NONE(1),                \
        .help = "pieces of pipelined algorithms; default: the stack's"

/* How the sums of synchronized batch normalization are added up. */
#define DTS_STATISTICS_KEY(owner)                                                              \
    DTS_KEY_OF(owner, "statistics", statistics.algorithm), DTS_AUTO_OR_ALGORITHM

/* How gradients are cut into buckets. */
#define DTS_BUCKET_KEY(owner)                                                                  \
    DTS_KEY(owner, bucket_bytes), DTS_BYTES_OR_NONE(0),                                        \
        .help = "gradients that travel together, 0: each tensor alone; default: the stack's"
#define DTS_FIRST_BUCKET_KEY(owner)                                                            \
    DTS_KEY(owner, first_bucket_bytes), DTS_BYTES_OR_NONE(0),                                  \
        .help = "the same for the first bucket; default: the stack's, or bucket_bytes where "  \
                "that is given"

/* Updates of their own between meetings (synchrony.h). `owner` has a struct dts_synchrony that
 * is called `synchrony`. */
#define DTS_SYNCHRONY_KEY(owner, word) DTS_KEY_OF(owner, #word, synchrony.word)
#define DTS_LOCAL_STEPS_KEY(owner)                                                             \
    DTS_SYNCHRONY_KEY(owner, local_steps), .type = DTS_INT, .min = 1,                          \
                                           .max = DTS_MOST_LOCAL_STEPS, .missing = "null"
#define DTS_LOCAL_AFTER_KEY(owner)                                                             \
    DTS_SYNCHRONY_KEY(owner, local_after),                                                     \
        .type = DTS_INT, .min = 1, .max = 1000000000, .missing = "null",                       \
        .help = "local_steps: so many first steps sum gradients; default: none"
#define DTS_OUTER_RATE_KEY(owner)                                                              \
    DTS_SYNCHRONY_KEY(owner, outer_rate),                                                      \
        .type = DTS_REAL, .min = 1e-6, .max = 100, .missing = "null",                          \
        .help = "local_steps: learning rate of an outer update with Nesterov's momentum, by "  \
                "what the mean moved; default: the mean itself"
#define DTS_OUTER_MOMENTUM_KEY(owner)                                                          \
    DTS_SYNCHRONY_KEY(owner, outer_momentum), .type = DTS_REAL, .min = 0, .max = 0.9999,       \
                                              .missing = "null",                               \
                                              .help = "outer_rate: its momentum; default: 0.9"

/* How gradients of sparse tables travel (tables.h): first the word, then what is known of rows.
 */
#define DTS_TABLES_KEY(owner, tables, names)                                                   \
    DTS_KEY_OF(owner, "tables", tables.word), .type = DTS_STRING, .choice = names,             \
                                              .missing = "null"
#define DTS_DENSITY_KEY(owner, tables)                                                         \
    DTS_KEY_OF(owner, "density", tables.density),                                              \
        .type = DTS_REAL, .min = 1e-12, .max = 1, .missing = "null",                           \
        .help = "tables as rows: the share of its rows that a device's samples of a step "     \
                "touch, of every table; default: the model's"
#define DTS_DENSE_ABOVE_KEY(owner, tables)                                                     \
    DTS_KEY_OF(owner, "dense_above", tables.above),                                            \
        .type = DTS_REAL, .min = 1e-12, .max = 1, .missing = "null",                           \
        .help = "a table travels whole where a larger share of its rows is touched; default: " \
                "1, none does"
#define DTS_INDEX_BYTES_KEY(owner, tables)                                                     \
    DTS_KEY_OF(owner, "index_bytes", tables.index_bytes),                                      \
        .type = DTS_INT, .min = 4, .max = 8, .missing = "null",                                \
        .help = "of a row's number on the wire, 4 or 8; default: 4"

#endif
