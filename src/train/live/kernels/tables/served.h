/* served.h -- tables whose rows servers keep and update (train/strategy/ps.h, tables "rows"),
 * as workers and servers see them.
 *
 * The plan says how long the message of a table is, and how it is divided over messages to
 * servers. A server keeps the same part of the table's rows, in the order of their numbers. So
 * a message must have room for the most rows of its part that a step touches (room.h); what it
 * has no row for is empty.
 *
 * Behind a push comes a pull of the rows that the worker's next samples name, which the plan
 * holds to be known: before the first step of a run all ranks are told them (asked.h). Between
 * runs all workers get the whole tables.
 */
#ifndef DTS_TRAIN_LIVE_KERNELS_TABLES_SERVED_H
#define DTS_TRAIN_LIVE_KERNELS_TABLES_SERVED_H

#include "plan/run.h"
#include "train/live/kernels/rank.h"
#include "train/live/kernels/tables/message.h"
#include "train/model/table_rule.h"

struct dts_live_table {
    int layer;
    size_t rows, width; // of the table; values of a row
    struct dts_live_row row;
    size_t first, count; // elements: its part of the plan's buffers of rows
    size_t offset;       // its values in the weights of the whole model
};

struct dts_live_served {
    struct dts_live_table *tables; // in the order of the buffers; owned
    int table_count;
    int together;             // neighbouring workers that push as one
    struct dts_layout layout; // of the whole model, these tables' gradients are lists; owned

    /* What workers ask for in a run (asked.h): by worker, step and table, how many rows, and
     * these. */
    int32_t *asked; // owned
    size_t *begin;  // of each in `asked`; owned
    int steps;
};

/* kernels->served is there afterwards. */
void dts_live_served_open(struct dts_live_kernels *kernels, const struct dts_table_rule *rule);
void dts_live_served_close(struct dts_live_served *served); // NULL: nothing

/* Rows first .. first + count - 1 of a table. */
struct dts_live_rows_part {
    const struct dts_live_table *table;
    size_t first, count;
};

/* False: the operation moves no rows of tables to or from servers. */
bool dts_live_served_has(const struct dts_live_served *served, const struct dts_op *op);

/* The rows of a span in the buffers of rows. */
struct dts_live_rows_part dts_live_served_part(const struct dts_live_served *served,
                                               const struct dts_span *span);

/* Those of a bucket, in the plan of a worker. */
struct dts_live_rows_part dts_live_served_bucket(const struct dts_live_served *served,
                                                 const struct dts_plan *plan, int bucket);

/* The exchange of the bucket with servers. */
const struct dts_op *dts_live_served_op(const struct dts_plan *plan, int bucket, bool send);

/* Between values that travel whole, as the plan's buffers have them, and weights of the whole
 * model: those of the span. */
void dts_live_served_copy(const struct dts_live_served *served, const struct dts_span *span,
                          float *buffer, float *weights, bool into_buffer);

#endif
