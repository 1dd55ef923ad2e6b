/* seeds.c -- several published rows of a batch are one point. */
#include "converge/seeds.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_batch(const void *a, const void *b)
{
    const struct dts_seeds *x = a, *y = b;
    if (x->batch != y->batch)
        return x->batch < y->batch ? -1 : 1;
    return x->recipe - y->recipe;
}

/* Add the seeds of a row to a point. */
static void add(struct dts_seeds *point, const struct dts_seeds *row)
{
    const double n = point->seeds, m = row->seeds, all = n + m;
    point->mean = (point->mean * n + row->mean * m) / all;
    point->interval = (point->interval * n + row->interval * m) / all;
    point->cv = sqrt((point->cv * point->cv * n + row->cv * row->cv * m) / all);
    point->learning_rate = fmax(point->learning_rate, row->learning_rate);
    point->seeds += row->seeds;
}

static void fill_cv(struct dts_seeds *points, int count)
{
    double squares = 0;
    for (int i = 0; i < count; i++)
        squares += points[i].cv * points[i].cv;
    for (int i = 0; i < count; i++)
        if (points[i].cv <= 0)
            points[i].cv = fmax(sqrt(squares / count), DTS_SEEDS_CV);
}

/* A batch pays as long as steps fall with it. */
static void mark_limited(struct dts_seeds *points, int count)
{
    const double fallen = 0.75, steps_still = 0.95;
    struct dts_seeds *last = &points[count - 1];
    double rate = 0, steps = INFINITY;
    for (int i = 0; i < count - 1; i++) {
        rate = fmax(rate, points[i].learning_rate);
        steps = fmin(steps, points[i].mean / points[i].batch);
    }
    last->limited = last->learning_rate > 0 && last->learning_rate < fallen * rate &&
                    last->mean / last->batch > steps_still * steps;
}

int dts_seeds_merge(const struct dts_seeds *rows, int count,
                    struct dts_seeds points[DTS_FIT_BATCHES])
{
    assert(count <= DTS_FIT_BATCHES);
    if (count == 0)
        return 0;
    memcpy(points, rows, (size_t)count * sizeof(*points));
    qsort(points, (size_t)count, sizeof(*points), by_batch);
    int last = 0;
    for (int i = 1; i < count; i++) {
        if (by_batch(&points[i], &points[last]) == 0)
            add(&points[last], &points[i]);
        else
            points[++last] = points[i];
    }
    for (int i = 0; i <= last; i++)
        points[i].limited = false;
    fill_cv(points, last + 1);
    mark_limited(points, last + 1);
    return last + 1;
}
