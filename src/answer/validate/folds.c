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
    double *errors; // absolute, by case, with the values as they are; NAN: not of this half
    const struct dts_case_set *set;
    const struct dts_judged *known; // of the whole set: which constants a case uses
    const struct dts_folds *folds;
    int number, jobs;
    double values[DTS_FOLD_CONSTANTS];
};

/* What changes a case so that it has the values of the half. */
static void change(const struct half *half, int i, struct dts_changes *changes)
{
    for (int c = 0; c < half->folds->constant_count; c++) {
        char value[32];
        snprintf(value, sizeof(value), "%.9g", half->values[c]);
        if (dts_constant_in(&half->folds->constants[c], &half->known[i]))
            dts_changes_add_by(changes, "--folds: ", half->folds->constants[c].path, value);
    }
}

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

/* The cases of half `which`, of those that use constant c (-1: all), with the constants as
 * `half` has them. The copy borrows all but the changes. */
static struct dts_case_set take(const struct half *half, int which, int c, int *from)
{
    struct dts_case_set part = *half->set;
    part.cases = dts_alloc((size_t)half->set->count, sizeof(*part.cases));
    part.count = 0;
    for (int i = 0; i < half->set->count; i++) {
        const struct dts_case *one = &half->set->cases[i];
        if (half_of(half->set, one->system) != which ||
            (c >= 0 && !dts_constant_in(&half->folds->constants[c], &half->known[i])))
            continue;
        from[part.count] = i;
        struct dts_case *copy = &part.cases[part.count++];
        *copy = *one;
        copy->changes = (struct dts_changes){0};
        for (int s = 0; s < one->changes.set_count; s++)
            dts_changes_add_by(&copy->changes, one->changes.sets[s].by,
                               one->changes.sets[s].path, one->changes.sets[s].value);
        change(half, i, &copy->changes);
    }
    return part;
}

static void give_back(struct dts_case_set *part)
{
    for (int i = 0; i < part->count; i++)
        dts_changes_free(&part->cases[i].changes);
    free(part->cases);
}

/* Predicts those cases, and writes their absolute errors, by number; those of cases that are
 * not predicted stay NAN. */
static bool errors_of(const struct half *half, int which, int c, double *errors,
                      struct dts_error *err)
{
    int *from = dts_alloc((size_t)half->set->count, sizeof(*from));
    struct dts_judged *judged = dts_alloc((size_t)half->set->count, sizeof(*judged));
    struct dts_case_set part = take(half, which, c, from);
    const bool good = part.count == 0 || dts_validate(&part, half->jobs, judged, err);
    for (int i = 0; i < part.count && good; i++)
        if (part.cases[i].role == DTS_CASE_PREDICTED)
            errors[from[i]] = fabs(judged[i].error[DTS_KNOWS_ANCHOR]);
    give_back(&part);
    free(judged);
    free(from);
    return good;
}

/* Of those that are numbers; 0: there are none. */
static double median_of(const double *errors, int count)
{
    double *numbers = dts_alloc((size_t)count + 1, sizeof(*numbers));
    int n = 0;
    for (int i = 0; i < count; i++)
        if (isfinite(errors[i]))
            numbers[n++] = errors[i];
    const double median = n > 0 ? dts_median(numbers, n) : 0;
    free(numbers);
    return median;
}

/* The median of the half with another value of constant c; its errors go into `trial`. */
static bool try_value(struct half *half, int c, double value, double *trial, double *median,
                      struct dts_error *err)
{
    half->values[c] = value;
    memcpy(trial, half->errors, (size_t)half->set->count * sizeof(*trial));
    const bool good = errors_of(half, half->number, c, trial, err);
    *median = median_of(trial, half->set->count);
    return good;
}

/* The best value of constant c, all others as they are. */
static bool choose(struct half *half, int c, struct dts_error *err)
{
    const double value = half->values[c], now = median_of(half->errors, half->set->count);
    double low = log(value / 3), high = log(value * 3), at[2] = {0};
    double places[2] = {high - golden * (high - low), low + golden * (high - low)};
    double *trial = dts_alloc((size_t)half->set->count, sizeof(*trial));
    bool good = try_value(half, c, exp(places[0]), trial, &at[0], err) &&
                try_value(half, c, exp(places[1]), trial, &at[1], err);
    for (int i = 0; i < SECTIONS && good; i++) {
        const int worse = at[0] <= at[1];
        *(worse ? &high : &low) = places[worse];
        places[worse] = places[!worse];
        at[worse] = at[!worse];
        places[!worse] = worse ? high - golden * (high - low) : low + golden * (high - low);
        good = try_value(half, c, exp(places[!worse]), trial, &at[!worse], err);
    }
    const int best = at[1] < at[0];
    half->values[c] = value;
    if (good && at[best] < now * (1 - worth)) {
        good = try_value(half, c, exp(places[best]), trial, &at[best], err);
        memcpy(half->errors, trial, (size_t)half->set->count * sizeof(*trial));
    }
    free(trial);
    return good;
}

static bool choose_all(struct half *half, struct dts_error *err)
{
    for (int c = 0; c < half->folds->constant_count; c++) {
        fprintf(stderr, "dtsim: --folds: half %d of %d, constant %d of %d: %s\n",
                half->number + 1, DTS_FOLDS, c + 1, half->folds->constant_count,
                half->folds->constants[c].path);
        if (half->values[c] > 0 && !choose(half, c, err))
            return false;
    }
    return true;
}

/* The absolute errors of a half as they are already; half -1: of all. */
static void known_errors(const struct dts_case_set *set, const struct dts_judged *judged,
                         int half, double *errors)
{
    for (int i = 0; i < set->count; i++) {
        const struct dts_case *one = &set->cases[i];
        const bool counts =
            one->role == DTS_CASE_PREDICTED && (half < 0 || half_of(set, one->system) == half);
        errors[i] = counts ? fabs(judged[i].error[DTS_KNOWS_ANCHOR]) : NAN;
    }
}

/* Chooses the constants on one half; the errors of the other go into `others`. */
static bool score_half(const struct dts_case_set *set, const struct dts_judged *judged,
                       int jobs, int number, struct dts_folds *folds, double *others,
                       struct dts_error *err)
{
    struct half half = {.errors = dts_alloc((size_t)set->count, sizeof(double)),
                        .set = set,
                        .known = judged,
                        .folds = folds,
                        .number = number,
                        .jobs = jobs};
    for (int c = 0; c < folds->constant_count; c++)
        half.values[c] = folds->constants[c].value;
    known_errors(set, judged, number, half.errors);
    const bool good =
        choose_all(&half, err) && errors_of(&half, DTS_FOLDS - 1 - number, -1, others, err);
    memcpy(folds->chosen[number], half.values, sizeof(half.values));
    free(half.errors);
    return good;
}

bool dts_folds_find(const struct dts_case_set *set, const struct dts_judged *judged, int jobs,
                    struct dts_folds *folds, struct dts_error *err)
{
    double *errors = dts_alloc((size_t)set->count, sizeof(*errors));
    *folds = (struct dts_folds){0};
    known_errors(set, judged, -1, errors);
    folds->whole = median_of(errors, set->count);
    bool good = dts_constants_find(set, judged, &folds->constants, &folds->constant_count, err);
    if (good && folds->constant_count > DTS_FOLD_CONSTANTS)
        good = dts_fail(err, DTS_BAD_INPUT, "--folds: more than %d free constants",
                        DTS_FOLD_CONSTANTS);
    for (int h = 0; h < DTS_FOLDS && good; h++)
        good = score_half(set, judged, jobs, h, folds, errors, err);
    folds->others = median_of(errors, set->count);
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
