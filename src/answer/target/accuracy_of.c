/* accuracy_of.c -- from a table of accuracy and a batch to what a training reaches. */
#include "answer/target/accuracy_of.h"

#include <math.h>
#include <string.h>

#include "answer/target/words.h"
#include "base/text.h"

/* Which table it is, and by which rule its runs were trained. */
static void say_table(const struct dts_accuracy *table, const char *rule,
                      struct dts_result *result)
{
    const struct dts_accuracy_fit *fit = &table->fit;
    const bool own = rule == NULL || strcmp(rule, table->rule) == 0;
    struct dts_text text = {0};
    dts_text_add(&text, "%s: %s after %g epochs; %s, %d points of %s, batches %.0f to %.0f",
                 table->name, table->metric, table->epochs, table->dataset, fit->count,
                 table->rule, fit->points[0].batch, fit->points[fit->count - 1].batch);
    dts_text_copy(result->accuracy.table, sizeof(result->accuracy.table),
                  dts_text_string(&text));
    dts_text_free(&text);
    dts_text_add(&text, "%s, %s", table->optimizer, own ? table->rule : rule);
    if (table->schedule != NULL)
        dts_text_add(&text, "%s%s", own ? ": " : " where the table has ", table->schedule);
    dts_text_copy(result->accuracy.rule, sizeof(result->accuracy.rule), dts_text_string(&text));
    dts_text_free(&text);
}

static void fill(const struct dts_accuracy *table, const char *rule, struct dts_text *doubt,
                 struct dts_result *result)
{
    struct dts_accuracy_forecast forecast;
    struct dts_error err = {0};
    if (!dts_accuracy_of(table, rule, result->global_batch, &forecast, &err)) {
        dts_text_add(doubt, "%s", err.text);
        return;
    }
    result->training.accuracy_percent = forecast.mean;
    result->training.accuracy_low_percent = forecast.low;
    result->training.accuracy_high_percent = forecast.high;
    result->training.accuracy_lost_points = forecast.lost;
    dts_accuracy_doubt(table, result->global_batch, &forecast, doubt);
}

void dts_accuracy_fill(const struct dts_scenario *scenario, struct dts_result *result)
{
    const struct dts_training *training = &scenario->training;
    const struct dts_accuracy *table = training->table;
    struct dts_text doubt = {0};
    if (table == NULL)
        return;
    const char *rule = training->accuracy.rule;
    const bool own = rule == NULL || strcmp(rule, table->rule) == 0;
    const struct dts_target_like like = {table->model, table->optimizer, table->epoch_samples,
                                         own ? &table->trained : NULL};
    if (result->local.steps > 0)
        dts_text_add(&doubt, "nothing is known of local steps: the runs of the table sum "
                             "gradients in each step");
    else if (fabs(training->epochs / table->epochs - 1) > 0.01)
        dts_text_add(&doubt, "nothing is known of %g epochs, only of %g", training->epochs,
                     table->epochs);
    else
        fill(table, rule, &doubt, result);
    dts_target_unlike(scenario, "table", &like, result, &doubt);
    say_table(table, rule, result);
    dts_text_copy(result->accuracy.doubt, sizeof(result->accuracy.doubt),
                  dts_text_string(&doubt));
    dts_text_free(&doubt);
}
