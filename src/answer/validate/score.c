/* score.c -- medians and percentiles of errors, row by row. */
#include "answer/validate/score.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/stats.h"

static const struct {
    const char *name;
    int least, most; // devices
} bands[DTS_BANDS] = {
    {"to 32", 1, 32},
    {"to 256", 33, 256},
    {"above", 257, 1 << 30},
    {"all", 1, 1 << 30},
};

const char *dts_band_name(int band)
{
    return bands[band].name;
}

const char *dts_predictor_name(enum dts_predictor by)
{
    static const char *const names[] = {"anchor", "linear", "others", "nearest", "power"};
    return names[by];
}

double dts_judged_error(const struct dts_judged *judged, enum dts_predictor by)
{
    const double errors[] = {judged->error[DTS_KNOWS_ANCHOR], judged->linear,
                             judged->error[DTS_KNOWS_OTHERS], judged->nearest, judged->power};
    return errors[by];
}

static bool is_in(const struct dts_case_set *set, int i, const struct dts_class_score *score)
{
    const struct dts_case *one = &set->cases[i];
    return one->role == DTS_CASE_PREDICTED &&
           set->families[one->family].class == score->class &&
           one->devices >= bands[score->band].least && one->devices <= bands[score->band].most;
}

/* `errors` has room for all cases. */
static struct dts_error_score score_of(const struct dts_case_set *set,
                                       const struct dts_judged *judged,
                                       const struct dts_class_score *score,
                                       enum dts_predictor by, double *errors)
{
    int count = 0;
    for (int i = 0; i < set->count; i++) {
        const double error = dts_judged_error(&judged[i], by);
        if (is_in(set, i, score) && isfinite(error))
            errors[count++] = error;
    }
    if (count == 0)
        return (struct dts_error_score){NAN, NAN, NAN};
    struct dts_error_score out = {.bias = dts_median(errors, count)};
    for (int i = 0; i < count; i++)
        errors[i] = fabs(errors[i]);
    out.median = dts_median(errors, count);
    out.p90 = dts_quantile(errors, count, 0.9);
    return out;
}

int dts_scores(const struct dts_case_set *set, const struct dts_judged *judged,
               struct dts_class_score scores[DTS_SCORES_MOST])
{
    double *errors = dts_alloc((size_t)set->count, sizeof(*errors));
    int rows = 0;
    for (int c = 0; c < DTS_CASE_CLASSES; c++)
        for (int b = 0; b < DTS_BANDS; b++) {
            struct dts_class_score *score = &scores[rows];
            *score = (struct dts_class_score){.class = (enum dts_case_class)c, .band = b};
            for (int i = 0; i < set->count; i++)
                score->count += is_in(set, i, score);
            for (int by = 0; by < DTS_PREDICTORS; by++)
                score->by[by] = score_of(set, judged, score, (enum dts_predictor)by, errors);
            rows += score->count > 0;
        }
    free(errors);
    return rows;
}
