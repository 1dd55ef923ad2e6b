/* tables.c -- sums over all rows of a table.
 *
 * Rows far down the list are as rare as their neighbours, so behind the first ones blocks of
 * rows stand for one another: a block is 1 % of what lies before it, and its middle row's
 * chance is that of all. The terms are smooth in ln r, so that the error is of second order in
 * 1 %.
 */
#include "train/model/tables.h"

#include <math.h>

enum { SINGLE_ROWS = 1024 };

/* Rows first .. rows are still to come. */
struct blocks {
    double first, rows;
};

/* Where the middle of the next block lies, and how many rows it has. */

static bool next_block(struct blocks *b, double *middle, double *count)
{
    if (b->first > b->rows)
        return false;
    double last = b->first <= SINGLE_ROWS ? b->first : floor(b->first * 1.01);
    last = fmin(last, b->rows);
    *middle = (b->first + last) / 2;
    *count = last - b->first + 1;
    b->first = last + 1;
    return true;
}

/* 1 - (1 - p)^words, also where p is tiny, or all there is. */
static double seen(double p, double words)
{
    return p < 1 ? -expm1(words * log1p(-p)) : words > 0;
}

double dts_rows_touched(double rows, double words, double exponent)
{
    if (exponent <= 0)
        return rows * seen(1 / rows, words);
    double middle, count, all = 0, touched = 0;
    for (struct blocks b = {1, rows}; next_block(&b, &middle, &count);)
        all += count * pow(middle, -exponent);
    for (struct blocks b = {1, rows}; next_block(&b, &middle, &count);)
        touched += count * seen(pow(middle, -exponent) / all, words);
    return touched;
}

const struct dts_param *dts_layer_table(const struct dts_layer *layer)
{
    const bool sparse = layer->param_count > 0 && layer->params[0].sparse_row > 0;
    return sparse ? &layer->params[0] : NULL;
}

double dts_table_height(const struct dts_layer *layer)
{
    const struct dts_param *table = dts_layer_table(layer);
    return (double)table->count / (double)table->sparse_row;
}

double dts_table_words(const struct dts_layer *layer)
{
    const struct dts_dims *output = &layer->output;
    return (double)dts_dims_elements(output) / (double)output->size[output->count - 1];
}

/* How many draws find so many different rows. */
static double draws_for(double rows, double found, double exponent)
{
    double low = found, high = 2 * found + 1;
    while (dts_rows_touched(rows, high, exponent) < found && high < 1e15)
        high *= 2;
    for (int i = 0; i < 50 && high - low > 1e-6 * high; i++) {
        const double middle = (low + high) / 2;
        *(dts_rows_touched(rows, middle, exponent) < found ? &low : &high) = middle;
    }
    return high;
}

double dts_table_rows(const struct dts_layer *layer, const struct dts_table_rule *rule,
                      double samples)
{
    const struct dts_param *table = dts_layer_table(layer);
    const double height = dts_table_height(layer);
    const double density = rule->density > 0 ? rule->density : table->density;
    if (density > 0)
        return height * seen(density, samples / rule->batch);
    double words = samples * dts_table_words(layer);
    if (table->drawn > 0)
        words += samples / rule->batch * draws_for(height, table->drawn, table->zipf);
    return dts_rows_touched(height, words, table->zipf);
}

bool dts_table_listed(const struct dts_layer *layer, const struct dts_table_rule *rule)
{
    return rule->rows && dts_layer_table(layer) != NULL &&
           dts_table_rows(layer, rule, rule->batch) <=
               rule->above * dts_table_height(layer) * (1 + 1e-12);
}
