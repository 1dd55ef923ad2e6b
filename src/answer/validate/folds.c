/* folds.c -- chooses the free constants on one half of the systems, and scores the other. */
#include "answer/validate/folds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"

enum { SECTIONS = 5 };

static const double golden = 0.6180339887498949, worth = 0.01;

/* One half with constants as they are tried. */
struct half {
    const struct dts_case_set *set;
    const struct dts_judged *known; // of the whole set: which constants a case uses
    const struct dts_folds *folds;
    int number, jobs;
    double values[DTS_FOLD_CONSTANTS];
};

/* The half of a system: they take turns within their class. */
static int half_of(const struct dts_case_set *set, int system)
{
    int before = 0;
    enum dts_case_class class = DTS_CASE_CLASSES;
    for (int i = 0; i < set->count; i++)
        if (set->cases[i].system == system)
            class = set->families[set->cases[i].family].class;
    for (int i = 0, last = -1; i < set->count; i++) {
        const struct dts_case *one = &set->cases[i];
        if (one->system < system && one->system != last &&
            set->families[one->family].class == class)
            before++;
        last = one->system;
    }
    return before % DTS_FOLDS;
}

/* The cases of the half `which`, with the constants as `half` has them. The copy borrows all
 * but the changes. */
static struct dts_case_set take(const struct half *half, int which, int *from)
{
    struct dts_case_set part = *half->set;
    part.cases = dts_alloc((size_t)half->set->count, sizeof(*part.cases));
    part.count = 0;
    for (int i = 0; i < half->set->count; i++) {
        const struct dts_case *one = &half->set->cases[i];
        if (half_of(half->set, one->system) != which)
            continue;
        from[part.count] = i;
        struct dts_case *copy = &part.cases[part.count++];
        *copy = *one;
        copy->changes = (struct dts_changes){0};
        for (int s = 0; s < one->changes.set_count; s++)
            dts_changes_add_by(&copy->changes, one->changes.sets[s].by,
                               one->changes.sets[s].path, one->changes.sets[s].value);
        for (int c = 0; c < half->folds->constant_count; c++) {
            char value[32];
            snprintf(value, sizeof(value), "%.9g", half->values[c]);
            if (dts_constant_in(&half->folds->constants[c], &half->known[i]))
                dts_changes_add_by(&copy->changes, "--folds: ", half->folds->constants[c].path,
                                   value);
        }
    }
    return part;
}

static void give_back(struct dts_case_set *part)
{
    for (int i = 0; i < part->count; i++)
        dts_changes_free(&part->cases[i].changes);
    free(part->cases);
}

/* Absolute errors of the predicted cases of half `which`, into `errors`. */
static bool errors_of(const struct half *half, int which, double *errors, int *count,
                      struct dts_error *err)
{
    int *from = dts_alloc((size_t)half->set->count, sizeof(*from));
    struct dts_judged *judged = dts_alloc((size_t)half->set->count, sizeof(*judged));
    struct dts_case_set part = take(half, which, from);
    const bool good = part.count == 0 || dts_validate(&part, half->jobs, judged, err);
    for (int i = 0; i < part.count && good; i++) {
        const double error = judged[i].error[DTS_KNOWS_ANCHOR];
        if (part.cases[i].role == DTS_CASE_PREDICTED && isfinite(error))
            errors[(*count)++] = fabs(error);
    }
    give_back(&part);
    free(judged);
    free(from);
    return good;
}

/* The median of its own half; NAN: it failed. */
static double median_of(const struct half *half, struct dts_error *err)
{
    double *errors = dts_alloc((size_t)half->set->count, sizeof(*errors));
    int count = 0;
    const bool good = errors_of(half, half->number, errors, &count, err);
    const double median = good && count > 0 ? dts_median(errors, count) : good ? 0 : NAN;
    free(errors);
    return median;
}

/* The best value of constant c, all others as they are. */
static bool choose(struct half *half, int c, double *best_median, struct dts_error *err)
{
    const double value = half->values[c];
    double low = log(value / 3), high = log(value * 3), best = value;
    for (int i = 0; i < SECTIONS; i++) {
        const double a = high - golden * (high - low), b = low + golden * (high - low);
        double at[2];
        for (int k = 0; k < 2; k++) {
            half->values[c] = exp(k == 0 ? a : b);
            at[k] = median_of(half, err);
            if (isnan(at[k]))
                return false;
            if (at[k] < *best_median * (1 - worth)) {
                *best_median = at[k];
                best = half->values[c];
            }
        }
        *(at[0] < at[1] ? &high : &low) = at[0] < at[1] ? b : a;
    }
    half->values[c] = best;
    return true;
}

static bool choose_all(struct half *half, struct dts_error *err)
{
    double median = median_of(half, err);
    for (int c = 0; c < half->folds->constant_count && !isnan(median); c++) {
        fprintf(stderr, "dtsim: --folds: half %d of %d, constant %d of %d: %s\n",
                half->number + 1, DTS_FOLDS, c + 1, half->folds->constant_count,
                half->folds->constants[c].path);
        if (half->values[c] > 0 && !choose(half, c, &median, err))
            return false;
    }
    return !isnan(median);
}

/* The median of what is predicted already. */
static double median_now(const struct dts_case_set *set, const struct dts_judged *judged)
{
    double *errors = dts_alloc((size_t)set->count, sizeof(*errors));
    int count = 0;
    for (int i = 0; i < set->count; i++)
        if (set->cases[i].role == DTS_CASE_PREDICTED &&
            isfinite(judged[i].error[DTS_KNOWS_ANCHOR]))
            errors[count++] = fabs(judged[i].error[DTS_KNOWS_ANCHOR]);
    const double median = count > 0 ? dts_median(errors, count) : NAN;
    free(errors);
    return median;
}

bool dts_folds_find(const struct dts_case_set *set, const struct dts_judged *judged, int jobs,
                    struct dts_folds *folds, struct dts_error *err)
{
    double *errors = dts_alloc((size_t)set->count, sizeof(*errors));
    int count = 0;
    *folds = (struct dts_folds){.whole = median_now(set, judged)};
    bool good = dts_constants_find(set, judged, &folds->constants, &folds->constant_count, err);
    if (good && folds->constant_count > DTS_FOLD_CONSTANTS)
        good = dts_fail(err, DTS_BAD_INPUT, "--folds: more than %d free constants",
                        DTS_FOLD_CONSTANTS);
    for (int h = 0; h < DTS_FOLDS && good; h++) {
        struct half half = {
            .set = set, .known = judged, .folds = folds, .number = h, .jobs = jobs};
        for (int c = 0; c < folds->constant_count; c++)
            half.values[c] = folds->constants[c].value;
        good =
            choose_all(&half, err) && errors_of(&half, DTS_FOLDS - 1 - h, errors, &count, err);
        memcpy(folds->chosen[h], half.values, sizeof(half.values));
    }
    folds->others = good && count > 0 ? dts_median(errors, count) : NAN;
    free(errors);
    if (!good)
        dts_folds_free(folds);
    return good;
}

void dts_folds_free(struct dts_folds *folds)
{
    dts_constants_free(folds->constants, folds->constant_count);
    *folds = (struct dts_folds){0};
}
