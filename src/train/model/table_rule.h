/* table_rule.h -- which gradients of sparse tables (tables.h) travel as rows. */
#ifndef DTS_TRAIN_MODEL_TABLE_RULE_H
#define DTS_TRAIN_MODEL_TABLE_RULE_H

#include <stdbool.h>

/* Which tables' gradients travel as the rows that are touched, and what is known of these.
 * Zeros: all tables travel whole. */
struct dts_table_rule {
    bool rows;      // those with a density of at most `above` travel as rows
    int parts;      // > 1: a device has one of so many equal parts of each table
    bool elsewhere; // ranks that hold no part of the network update these
    double above;
    int index_bytes; // of a row's number on the wire
    double density;  // by hand: of the samples that a device has in a step; 0: by the model
    double batch;    // these samples
};

#endif
