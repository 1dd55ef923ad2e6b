/* accuracy_fit.c -- three forms of accuracy against the batch, by least squares. */
#include "converge/accuracy_fit.h"

#include <math.h>
#include <stdlib.h>

#include "converge/fit.h"

static double linear(double batch, double shape, double largest)
{
    (void)largest;
    return fmax(0, batch / shape - 1);
}

static double squared(double batch, double shape, double largest)
{
    const double doublings = fmax(0, log2(batch / shape));
    (void)largest;
    return doublings * doublings;
}

static double power(double batch, double shape, double largest)
{
    return pow(batch / largest, shape);
}

/* A form, and between which shapes it is looked for: batches, or numbers. */
static const struct row {
    const char *name;
    double (*lost)(double batch, double shape, double largest);
    bool of_batch; // between the smallest and the largest published batch
    double from, to;
} rows[] = {
    {"linear", linear, .of_batch = true},
    {"squared", squared, .of_batch = true},
    {"power", power, .from = 0.2, .to = 6},
};

const char *dts_accuracy_form_name(int i)
{
    return i < DTS_ACCURACY_FORMS ? rows[i].name : NULL;
}

static double largest_of(const struct dts_accuracy_fit *fit)
{
    return fit->points[fit->count - 1].batch;
}

/* Best and size at one shape: a straight line in what is lost, size 0 at the least. */
static struct dts_accuracy_form at_shape(const struct dts_accuracy_fit *fit,
                                         const struct row *row, double shape)
{
    struct dts_accuracy_form form = {.shape = shape};
    double weight = 0, lost = 0, accuracy = 0, square = 0, product = 0;
    for (int i = 0; i < fit->count; i++) {
        const struct dts_accuracy_seeds *point = &fit->points[i];
        const double w = 1 / (point->sd * point->sd);
        const double x = row->lost(point->batch, shape, largest_of(fit));
        weight += w;
        lost += w * x;
        accuracy += w * point->accuracy;
        square += w * x * x;
        product += w * x * point->accuracy;
    }
    const double spread = square - lost * lost / weight;
    const double slope = spread > 0 ? (product - lost * accuracy / weight) / spread : 0;
    form.size = fmax(0, -slope);
    form.best = (accuracy + form.size * lost) / weight;
    for (int i = 0; i < fit->count; i++) {
        const struct dts_accuracy_seeds *point = &fit->points[i];
        const double x = row->lost(point->batch, shape, largest_of(fit));
        const double error = (form.best - form.size * x - point->accuracy) / point->sd;
        form.chi_squared += error * error;
    }
    return form;
}

/* The best shape: of a grid of logs, then by golden sections about it. */
static struct dts_accuracy_form fit_form(const struct dts_accuracy_fit *fit,
                                         const struct row *row)
{
    enum { GRID = 400, SECTIONS = 60 };
    const double golden = (sqrt(5) - 1) / 2;
    const double from = log(row->of_batch ? fit->points[0].batch : row->from);
    const double to = log(row->of_batch ? largest_of(fit) : row->to);
    double least = INFINITY, at = from;
    for (int i = 0; i < GRID; i++) { // not the end: nothing would be lost at any batch
        const double shape = from + (to - from) * i / GRID;
        const double found = at_shape(fit, row, exp(shape)).chi_squared;
        if (found < least) {
            least = found;
            at = shape;
        }
    }
    double low = at - (to - from) / GRID, high = at + (to - from) / GRID;
    for (int i = 0; i < SECTIONS; i++) {
        const double left = high - golden * (high - low), right = low + golden * (high - low);
        if (at_shape(fit, row, exp(left)).chi_squared <=
            at_shape(fit, row, exp(right)).chi_squared)
            high = right;
        else
            low = left;
    }
    return at_shape(fit, row, exp((low + high) / 2));
}

static int by_batch(const void *a, const void *b)
{
    const double x = ((const struct dts_accuracy_seeds *)a)->batch,
                 y = ((const struct dts_accuracy_seeds *)b)->batch;
    return (x > y) - (x < y);
}

bool dts_accuracy_fit_make(struct dts_accuracy_fit *fit,
                           const struct dts_accuracy_seeds *points, int count,
                           struct dts_error *err)
{
    enum { LEAST = 4 }; // three numbers are fitted
    *fit = (struct dts_accuracy_fit){.count = count};
    for (int i = 0; i < count; i++)
        fit->points[i] = points[i];
    qsort(fit->points, (size_t)count, sizeof(fit->points[0]), by_batch);
    int batches = count > 0;
    for (int i = 1; i < count; i++)
        batches += fit->points[i].batch > fit->points[i - 1].batch;
    if (batches < LEAST)
        return dts_fail(err, DTS_BAD_INPUT, "needs %d batches at the least, has %d", LEAST,
                        batches);
    for (int f = 0; f < DTS_ACCURACY_FORMS; f++)
        fit->forms[f] = fit_form(fit, &rows[f]);
    return true;
}

double dts_accuracy_form_at(const struct dts_accuracy_fit *fit, int form, double batch)
{
    const struct dts_accuracy_form *f = &fit->forms[form];
    return f->best - f->size * rows[form].lost(batch, f->shape, largest_of(fit));
}

static double nearest_sd(const struct dts_accuracy_fit *fit, double batch)
{
    const struct dts_accuracy_seeds *near = &fit->points[0];
    for (int i = 1; i < fit->count; i++)
        if (fabs(log(fit->points[i].batch / batch)) < fabs(log(near->batch / batch)))
            near = &fit->points[i];
    return near->sd;
}

struct dts_accuracy_forecast dts_accuracy_predict(const struct dts_accuracy_fit *fit,
                                                  double batch)
{
    const double seeds = DTS_FIT_Z80 * nearest_sd(fit, batch);
    const double mean = dts_accuracy_form_at(fit, 0, batch);
    double least = mean, most = mean;
    for (int f = 1; f < DTS_ACCURACY_FORMS; f++) {
        least = fmin(least, dts_accuracy_form_at(fit, f, batch));
        most = fmax(most, dts_accuracy_form_at(fit, f, batch));
    }
    return (struct dts_accuracy_forecast){fmax(0, mean), fmax(0, least - seeds),
                                          fmax(0, fmin(100, most + seeds)),
                                          fit->forms[0].best - fmax(0, mean)};
}
