/* tables.h -- sparse tables: how many of their rows the samples of a step name.
 *
 * A table is the weight of an embedding with "sparse": true. Its rows are words, and words are
 * unlike: row r of N occurs in proportion to r^-s (Zipf 1949), s = 0 where all are alike. Of T
 * words drawn one by one
 *
 *     touched = sum over r of 1 - (1 - p_r)^T,     p_r = r^-s / sum of all r^-s
 *
 * different rows are expected. The density of a table is touched / N, for the samples that one
 * device has in a step (Kim et al. 2018, "Parallax", arXiv:1808.02621, call it alpha).
 */
#ifndef DTS_TRAIN_MODEL_TABLES_H
#define DTS_TRAIN_MODEL_TABLES_H

#include "train/model/model.h"

/* The rows expected among `words` draws: exact to 1e-5 of the result. words >= 0. */
double dts_rows_touched(double rows, double words, double exponent);

/* The table of a layer: always its first tensor; NULL: it has none. */
const struct dts_param *dts_layer_table(const struct dts_layer *layer);

double dts_table_height(const struct dts_layer *layer); // rows of its table

/* The words that a sample looks up in it. Where a device draws rows beside them, each once,
 * these are as many draws more as find so many different rows. */
double dts_table_words(const struct dts_layer *layer);

/* The rows that so many samples touch, none of them twice. A density by hand (or of the model
 * file) is that of rule->batch samples; where more than these are together, all rows are held
 * to occur alike: 1 - (1 - density)^(samples / rule->batch) of them. */
double dts_table_rows(const struct dts_layer *layer, const struct dts_table_rule *rule,
                      double samples);

/* Does its gradient travel as rows? */
bool dts_table_listed(const struct dts_layer *layer, const struct dts_table_rule *rule);

#endif
