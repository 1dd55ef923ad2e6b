/* accuracy.c -- tables of accuracy from their files, and what they say of a batch and a rule.
 */
#include "converge/accuracy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/library.h"
#include "converge/fit.h"

/* What one table of fields fills. */
struct reading {
    struct dts_accuracy table;
    struct dts_cfg points;
};

#define WORD(member) .key = #member, .offset = offsetof(struct reading, table.member)

static const struct dts_field fields[] = {
    {WORD(summary), .type = DTS_STRING, .help = "one line for `dtsim list`"},
    {WORD(model), .type = DTS_STRING, .help = "the network: a name in the library, or words"},
    {WORD(dataset), .type = DTS_STRING, .help = "what it was trained and tried on"},
    {WORD(optimizer), .type = DTS_STRING,
     .help = "rule of the updates, as `dtsim list` has it"},
    {WORD(metric), .type = DTS_STRING, .help = "what is counted, in percent"},
    {WORD(sample), .type = DTS_STRING, .help = "what a batch counts: image, sequence"},
    {WORD(epochs), .type = DTS_REAL, .min = 1e-6, .max = 1e6, .help = "of each run"},
    {WORD(epoch_samples), .type = DTS_REAL, .min = 1, .max = 1e15,
     .help = "samples of an epoch"},
    {WORD(rule), .type = DTS_STRING, .missing = "\"reference\"",
     .help = "name of the rule of the learning rate of points that name none"},
    {WORD(schedule), .type = DTS_STRING, .missing = "null",
     .help = "the same in words: how it grows with the batch, warm-up, decay"},
    {WORD(trained), .type = DTS_OBJECT, .fields = dts_trained_by_fields, .missing = "null",
     .help = "how runs by that rule were trained: a scenario that says otherwise is doubted"},
    {.key = "points",
     .offset = offsetof(struct reading, points),
     .type = DTS_OTHER,
     .forms = DTS_FORM_OBJECTS,
     .help = "what was published: a list of objects"},
    {0},
};

/* One element of points. */
struct point {
    int batch;
    double accuracy, sd;
    const char *rule;
};

static const struct dts_field point_fields[] = {
    {DTS_KEY(struct point, batch), .type = DTS_INT, .min = 1, .max = 1 << 30,
     .help = "samples of a step, of all devices"},
    {DTS_KEY(struct point, accuracy), .type = DTS_REAL, .min = 0, .max = 100,
     .help = "percent, the mean over seeds"},
    {DTS_KEY(struct point, sd), .type = DTS_REAL, .min = 1e-3, .max = 100,
     .help = "standard deviation of one seed, percent points"},
    {DTS_KEY(struct point, rule), .type = DTS_STRING, .missing = "null",
     .help = "where the learning rate had another rule than the table's"},
    {0},
};

static bool read_point(const struct dts_accuracy *table, const struct dts_cfg *at,
                       struct point *point, struct dts_error *err)
{
    const struct dts_cfg source = dts_cfg_member(at, "source");
    if (!dts_cfg_read(at, point_fields, point, err))
        return false;
    return table->source != NULL || dts_cfg_exists(&source) ||
           dts_cfg_fail(at, "source", err, "missing (neither the point nor the file says)");
}

static bool read_points(struct dts_accuracy *table, const struct dts_cfg *list,
                        struct dts_error *err)
{
    struct dts_accuracy_seeds own[DTS_ACCURACY_POINTS];
    struct dts_error why = {0};
    const size_t count = dts_cfg_length(list);
    int own_count = 0;
    if (!dts_cfg_is_list(list) || count < 1 || count > DTS_ACCURACY_POINTS)
        return dts_cfg_fail(list, NULL, err, "must be a list of 1 to %d points",
                            DTS_ACCURACY_POINTS);
    for (size_t i = 0; i < count; i++) {
        const struct dts_cfg at = dts_cfg_item(list, i);
        struct point point = {0};
        if (!read_point(table, &at, &point, err))
            return false;
        const struct dts_accuracy_seeds seeds = {point.batch, point.accuracy, point.sd};
        if (point.rule == NULL || strcmp(point.rule, table->rule) == 0)
            own[own_count++] = seeds;
        else
            table->others[table->other_count++] =
                (struct dts_accuracy_other){point.rule, seeds};
    }
    return dts_accuracy_fit_make(&table->fit, own, own_count, &why) ||
           dts_cfg_fail(list, NULL, err, "%s (rule \"%s\")", why.text, table->rule);
}

static bool read(struct dts_accuracy *table, struct dts_error *err)
{
    const struct dts_cfg top = dts_doc_top(table->doc);
    const struct dts_cfg source = dts_cfg_member(&top, "source");
    struct reading reading = {.table = *table};
    const bool good = dts_cfg_read(&top, fields, &reading, err);
    *table = reading.table;
    return good && (!dts_cfg_exists(&source) || dts_cfg_string(&source, &table->source, err)) &&
           read_points(table, &reading.points, err);
}

bool dts_accuracy_read(struct dts_accuracy *table, struct dts_doc *doc, struct dts_error *err)
{
    *table = (struct dts_accuracy){.doc = doc};
    table->name_owned = dts_file_name(dts_doc_name(doc));
    table->name = table->name_owned;
    if (read(table, err))
        return true;
    dts_accuracy_free(table);
    return false;
}

bool dts_accuracy_load(struct dts_accuracy *table, const char *path, struct dts_error *err)
{
    struct dts_doc *doc;
    *table = (struct dts_accuracy){.doc = NULL};
    return dts_doc_load(&doc, path, err) && dts_accuracy_read(table, doc, err);
}

void dts_accuracy_free(struct dts_accuracy *table)
{
    free(table->name_owned);
    dts_doc_free(table->doc);
    *table = (struct dts_accuracy){.doc = NULL};
}

bool dts_accuracy_has(const struct dts_accuracy *table, const char *rule,
                      struct dts_text *known)
{
    bool found = strcmp(rule, table->rule) == 0;
    for (int i = 0; i < table->other_count; i++)
        found = found || strcmp(rule, table->others[i].rule) == 0;
    if (found)
        return true;
    dts_text_add(known, "%s", table->rule);
    for (int i = 0; i < table->other_count; i++) {
        bool before = false;
        for (int j = 0; j < i; j++)
            before = before || strcmp(table->others[i].rule, table->others[j].rule) == 0;
        if (!before)
            dts_text_add(known, ", %s", table->others[i].rule);
    }
    return false;
}

/* Where a rule was tried that was not tried at the batch: "8192 (75.16 %, 1.10 points less than
 * gradual_warm_up)". */
static bool not_tried(const struct dts_accuracy *table, const char *rule, double batch,
                      struct dts_error *err)
{
    struct dts_text tried = {0};
    for (int i = 0; i < table->other_count; i++) {
        const struct dts_accuracy_seeds *seeds = &table->others[i].seeds;
        if (strcmp(rule, table->others[i].rule) == 0)
            dts_text_add(&tried, "%s%.0f (%.2f %%, %+.2f points to %s)",
                         tried.length > 0 ? ", " : "", seeds->batch, seeds->accuracy,
                         seeds->accuracy - dts_accuracy_form_at(&table->fit, 0, seeds->batch),
                         table->rule);
    }
    dts_fail(err, DTS_BAD_INPUT, "rule %s was not tried at batch %.0f, only at %s", rule, batch,
             dts_text_string(&tried));
    dts_text_free(&tried);
    return false;
}

bool dts_accuracy_of(const struct dts_accuracy *table, const char *rule, double batch,
                     struct dts_accuracy_forecast *forecast, struct dts_error *err)
{
    if (rule == NULL || strcmp(rule, table->rule) == 0) {
        *forecast = dts_accuracy_predict(&table->fit, batch);
        return true;
    }
    for (int i = 0; i < table->other_count; i++) {
        const struct dts_accuracy_seeds *seeds = &table->others[i].seeds;
        const double half = DTS_FIT_Z80 * seeds->sd;
        if (strcmp(rule, table->others[i].rule) != 0 || seeds->batch != batch)
            continue;
        *forecast = (struct dts_accuracy_forecast){
            seeds->accuracy, fmax(0, seeds->accuracy - half), fmin(100, seeds->accuracy + half),
            table->fit.forms[0].best - seeds->accuracy};
        return true;
    }
    return not_tried(table, rule, batch, err);
}

void dts_accuracy_doubt(const struct dts_accuracy *table, double batch,
                        const struct dts_accuracy_forecast *forecast, struct dts_text *doubt)
{
    const struct dts_accuracy_fit *fit = &table->fit;
    const double least = fit->points[0].batch, most = fit->points[fit->count - 1].batch;
    const double outside = fmax(batch / most, least / batch);
    if (forecast->mean <= 0)
        dts_text_add(doubt, "steps of %.0f train nothing in %g epochs: ", batch, table->epochs);
    if (outside > 2)
        dts_text_add(doubt, "batch %.0f is %.3g times outside the published ones, %.0f to %.0f",
                     batch, outside, least, most);
}

void dts_accuracy_keys(struct dts_keys *keys)
{
    dts_keys_heading(keys, "A table of accuracy is a JSON object:");
    dts_keys_add(keys, "", fields);
    dts_keys_heading(keys, "Each of points:");
    dts_keys_add(keys, "points[]", point_fields);
}
