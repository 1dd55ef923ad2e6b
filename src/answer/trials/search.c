/* search.c -- rates, batch after batch. */
#include "answer/trials/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/scenario/scaling.h"

enum { FIRST = 3, BEYOND = 4, MOST_RATES = FIRST + 2 * BEYOND };

/* Rates of one batch, in ascending order. */
struct search {
    const struct dts_target_request *request;
    struct dts_target_runner *runner;
    int batch;
    struct dts_target_point tried[MOST_RATES];
    int count, best; // best: -1: none has reached the target
    double limit;    // samples after which a run ends
};

static struct dts_target_run run_of(const struct search *s, double rate, int seed)
{
    const struct dts_target_request *r = s->request;
    return (struct dts_target_run){
        .batch = s->batch,
        .microbatch = s->batch < r->microbatch ? s->batch : r->microbatch,
        .rate = rate,
        .seed = (int)r->scenario->seed + seed,
        .accuracy = r->accuracy,
        .every = r->every,
        .test_samples = r->test_samples,
        .most_samples = s->limit,
        .delay = r->delay,
        .local_steps = r->local_steps,
        .outer_rate = r->outer_rate,
    };
}

/* The mean; its spread by what the runs differ, or by what each says of itself, whichever is
 * larger. */
static void average_noise(const struct dts_target_end *ends, int seeds,
                          struct dts_target_noise *mean)
{
    int count = 0;
    double own = 0, differ = 0;
    for (int i = 0; i < seeds; i++) {
        const struct dts_target_noise *one = &ends[i].noise;
        if (one->steps == 0)
            continue;
        const int steps = mean->steps + one->steps;
        const double scale = mean->scale + one->scale;
        *mean = *one;
        mean->steps = steps;
        mean->scale = scale;
        own += one->spread * one->scale * one->spread * one->scale;
        count++;
    }
    if (count == 0)
        return;
    mean->scale /= count;
    for (int i = 0; i < seeds; i++)
        if (ends[i].noise.steps > 0)
            differ += pow(ends[i].noise.scale - mean->scale, 2);
    differ = count > 1 ? differ / (count - 1) * count : 0; // as own: the variance of the sum
    mean->spread = sqrt(fmax(own, differ)) / count / mean->scale;
}

static struct dts_target_point summary(const struct search *s, double rate,
                                       const struct dts_target_end *ends)
{
    const int seeds = s->request->seeds;
    struct dts_target_point p = {.batch = s->batch, .seeds = seeds, .rate = rate};
    double sum = 0, squares = 0;
    p.reached = true;
    p.least = INFINITY;
    for (int i = 0; i < seeds; i++) {
        p.reached = p.reached && ends[i].reached;
        sum += ends[i].samples;
        p.least = fmin(p.least, ends[i].samples);
        p.most = fmax(p.most, ends[i].samples);
    }
    p.mean = sum / seeds;
    average_noise(ends, seeds, &p.noise);
    for (int i = 0; i < seeds; i++)
        squares += (ends[i].samples - p.mean) * (ends[i].samples - p.mean);
    p.cv = seeds > 1 ? sqrt(squares / (seeds - 1)) / p.mean : 0;
    return p;
}

/* The smallest mean; of equal ones that of the smallest rate. */
static void find_best(struct search *s)
{
    s->best = -1;
    for (int i = 0; i < s->count; i++)
        if (s->tried[i].reached && (s->best < 0 || s->tried[i].mean < s->tried[s->best].mean))
            s->best = i;
}

static void keep(struct search *s, const struct dts_target_point *point)
{
    int at = s->count++;
    for (; at > 0 && s->tried[at - 1].rate > point->rate; at--)
        s->tried[at] = s->tried[at - 1];
    s->tried[at] = *point;
}

/* All seeds at these rates, at once. */
static bool try_rates(struct search *s, const double *rates, int count, struct dts_error *err)
{
    const int seeds = s->request->seeds;
    const size_t all = (size_t)count * (size_t)seeds;
    struct dts_target_run *runs = dts_alloc(all, sizeof(*runs));
    struct dts_target_end *ends = dts_alloc(all, sizeof(*ends));
    for (int r = 0; r < count; r++)
        for (int i = 0; i < seeds; i++)
            runs[r * seeds + i] = run_of(s, rates[r], i);
    const bool good = dts_target_runs(s->runner, runs, ends, (int)all, err);
    for (int r = 0; good && r < count; r++) {
        const struct dts_target_point point = summary(s, rates[r], &ends[r * seeds]);
        keep(s, &point);
    }
    free(runs);
    free(ends);
    find_best(s);
    if (s->best >= 0)
        s->limit = fmin(s->limit, 1.5 * s->tried[s->best].mean);
    return good;
}

/* The next rate beyond the edge that is best; where none has reached the target, a lower one.
 * 0: the best is inside. */
static double next_rate(const struct search *s)
{
    if (s->best <= 0)
        return s->tried[0].rate / 2;
    return s->best == s->count - 1 ? s->tried[s->best].rate * 2 : 0;
}

static bool search_rate(struct search *s, double guess, struct dts_error *err)
{
    const double first[FIRST] = {guess / 2, guess, guess * 2};
    if (!try_rates(s, first, FIRST, err))
        return false;
    for (int i = 0; i < BEYOND; i++) {
        const double rate = next_rate(s);
        if (rate > 0 && !try_rates(s, &rate, 1, err))
            return false;
        if (rate <= 0)
            break;
    }
    return true;
}

static void take(const struct search *s, struct dts_target_point *point)
{
    *point = s->best >= 0 ? s->tried[s->best] : (struct dts_target_point){.batch = s->batch};
    point->seeds = s->request->seeds;
    point->rates = s->count;
}

/* A batch that is k times larger needs k times the samples at the most: the same steps do. */
static double first_limit(const struct dts_target_request *r,
                          const struct dts_target_point *before, int batch)
{
    if (before == NULL)
        return r->most_samples;
    return fmin(r->most_samples, 1.5 * before->mean * batch / before->batch);
}

/* A rate that stopped growing with the batch goes on like that; it never falls, and never grows
 * faster than the batch. */
static double guess_of(const struct dts_target_point *before,
                       const struct dts_target_point *earlier, int batch, double rate)
{
    if (before == NULL)
        return rate;
    const double most = (double)batch / before->batch;
    const double grew = earlier != NULL ? before->rate / earlier->rate : most;
    return before->rate * fmin(fmax(grew, 1), most);
}

bool dts_target_search(const struct dts_target_request *r, struct dts_target_runner *runner,
                       struct dts_target_point *points, struct dts_error *err)
{
    const struct dts_target_point *before = NULL, *earlier = NULL; // the last that got there
    const double rate = r->scenario->live.learning_rate;
    const bool searches = strcmp(r->rule, DTS_TARGET_SEARCH) == 0;
    for (int b = 0; b < r->batch_count; b++) {
        struct search s = {.request = r, .runner = runner, .batch = r->batches[b]};
        s.limit = searches ? first_limit(r, before, s.batch) : r->most_samples;
        const double guess = guess_of(before, earlier, s.batch, rate);
        const double ruled =
            searches ? 0 : rate * dts_scaling_factor(r->rule, (double)s.batch / r->batches[0]);
        if (!(searches ? search_rate(&s, guess, err) : try_rates(&s, &ruled, 1, err)))
            return false;
        take(&s, &points[b]);
        if (points[b].reached) {
            earlier = before;
            before = &points[b];
        }
    }
    return true;
}
