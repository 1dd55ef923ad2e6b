/* tables.h -- how the gradients of sparse tables travel (train/model/tables.h).
 *
 * "dense": whole, as any other tensor. "rows": as the rows that a device's samples touch, each
 * with its number, in a bucket of its own:
 *
 *     bytes of a message = rows x (values of a row x bytes of a value + bytes of a number)
 *
 * Rows are whole: what is expected is rounded up. Servers send back as much, values and numbers
 * (Li et al. 2014, "Parameter Server": keys travel with values, both ways): the rows that the
 * next batch touches. The list of numbers that asks for these is left out.
 *
 * "divided": each device has a part of every table, looks up the words of all samples in it,
 * and an all-to-all brings to each device the rows of its own samples, behind forward; another
 * one takes their gradients back, before backward (Naumov et al. 2019, arXiv:1906.00091: DLRM).
 * Gradients of tables travel no further: each device updates its part.
 */
#ifndef DTS_TRAIN_STRATEGY_TABLES_H
#define DTS_TRAIN_STRATEGY_TABLES_H

#include "train/model/tables.h"
#include "train/strategy/build.h"

/* What the keys say, then completed. */
struct dts_tables {
    const char *word; // NULL: "dense"
    double density;   // 0: the model's
    double above;     // tables with a larger density travel whole
    int index_bytes;  // of a row's number: 4 or 8
    bool rows, divided;
};

const char *dts_tables_name(int i);         // "dense", "rows"
const char *dts_tables_name_divided(int i); // and "divided"

/* Checks the keys; refuses those that cannot act. */
bool dts_tables_prepare(struct dts_tables *tables, const struct dts_cfg *at,
                        struct dts_error *err);

/* Refuses a model without a table that could travel as rows. */
bool dts_tables_check(const struct dts_tables *tables, const struct dts_point *point,
                      struct dts_error *err);

/* elsewhere: servers update the rows. */
struct dts_table_rule dts_tables_rule(const struct dts_tables *tables,
                                      const struct dts_point *point, bool elsewhere);

/* Does a device of the point have a part of each table? */
bool dts_tables_divided(const struct dts_tables *tables, const struct dts_point *point);

/* The cut of the gradients where tables travel as rows: each is a bucket of its own, with a
 * table; divided ones are in none. `together` neighbouring devices push what they touched as
 * one. */
int dts_tables_buckets(const struct dts_tables *tables, const struct dts_point *point,
                       const struct dts_bucket_policy *policy, int together,
                       struct dts_bucket **buckets);

/* Elements of a message with the rows that so many devices touch; the same by the rule. */
size_t dts_tables_message(const struct dts_tables *tables, const struct dts_point *point,
                          int layer, int devices);
size_t dts_table_message(const struct dts_table_rule *rule, const struct dts_point *point,
                         int layer, int devices);

/* Values that are updated when the gradients of so many devices are there. */
double dts_tables_updated(const struct dts_tables *tables, const struct dts_point *point,
                          int layer, int devices);

bool dts_tables_any(const struct dts_bucket *buckets, int count); // has one a table?

/* A buffer for the messages of all tables, each with room for `copies`; elements have at most 4
 * bytes. Where the message of a bucket lies in it. */
int dts_tables_buffer(const struct dts_point *point, struct dts_plan *plan,
                      const struct dts_bucket *buckets, int count, size_t copies);
struct dts_span dts_tables_span(const struct dts_bucket *buckets, int bucket, int buffer,
                                size_t copies);
size_t dts_tables_element_bytes(const struct dts_point *point);

/* Instead of whole gradients of tables a device has the rows of its samples, and those of
 * `messages` devices as they arrive; with servers it has no more of the table than these. */
void dts_tables_memory(const struct dts_tables *tables, const struct dts_point *point,
                       bool elsewhere, int messages, struct dts_memory *memory);

/* A line for each table that does not travel whole: the rows that a device and all touch in a
 * step, and the message of `together` devices. */
void dts_tables_describe(const struct dts_tables *tables, const struct dts_point *point,
                         int together, struct dts_text *text);

#endif
