/* parts_fit.c -- multiples of parts, by least squares of logarithms. */
#include "device/parts_fit.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

static const double ridge = 0.3; // ASSUMED (parts_fit.h)

/* Logarithms are made linear about the last answer so many times: twice as many moved the sum
 * of no network's calls by a thousandth, of four networks told from each other and from made
 * ones. A row that is told worse than this counts as if it were told so. */
enum { ROUNDS = 4 };
static const double worst = 20;

/* Of least squares: weighted sums over rows, each row's parts as a share of what is told of it.
 */
struct sums {
    double products[DTS_PARTS][DTS_PARTS], right[DTS_PARTS];
};

double dts_parts_sum(const double parts[DTS_PARTS])
{
    double sum = 0;
    for (int i = 0; i < DTS_PARTS; i++)
        sum += parts[i];
    return sum;
}

static double told(const double multiples[DTS_PARTS], const double parts[DTS_PARTS])
{
    double seconds = 0;
    for (int i = 0; i < DTS_PARTS; i++)
        seconds += multiples[i] * parts[i];
    return seconds;
}

static void add(struct sums *sums, const struct dts_parts_row *row,
                const double multiples[DTS_PARTS])
{
    const double off = fmin(fmax(told(multiples, row->parts) / row->seconds, 1 / worst), worst);
    const double about_s = off * row->seconds;
    for (int i = 0; i < DTS_PARTS; i++) {
        const double part = row->weight * row->parts[i] / about_s;
        for (int j = 0; j < DTS_PARTS; j++)
            sums->products[i][j] += part * row->parts[j] / about_s;
        sums->right[i] += part * (1 - log(off));
    }
}

/* Gauss-Jordan. The matrix is positive definite: pivots are positive. */
static void eliminate(double a[DTS_PARTS][DTS_PARTS + 1])
{
    for (int k = 0; k < DTS_PARTS; k++)
        for (int i = 0; i < DTS_PARTS; i++) {
            const double share = i != k ? a[i][k] / a[k][k] : 0;
            for (int j = k; j <= DTS_PARTS; j++)
                a[i][j] -= share * a[k][j];
        }
}

/* The multiples of the parts in `chosen` (bits), the others being 0. False where one of them
 * would be negative. */
static bool solve(const struct sums *sums, int chosen, double usual,
                  double multiples[DTS_PARTS])
{
    double a[DTS_PARTS][DTS_PARTS + 1];
    for (int i = 0; i < DTS_PARTS; i++) {
        const bool is_chosen = chosen >> i & 1;
        for (int j = 0; j < DTS_PARTS; j++)
            a[i][j] = is_chosen && (chosen >> j & 1) ? sums->products[i][j] : i == j;
        a[i][DTS_PARTS] = is_chosen ? sums->right[i] + ridge * a[i][i] * usual : 0;
        a[i][i] *= is_chosen ? 1 + ridge : 1;
    }
    eliminate(a);
    for (int i = 0; i < DTS_PARTS; i++) {
        multiples[i] = a[i][DTS_PARTS] / a[i][i];
        if (!(multiples[i] >= 0))
            return false;
    }
    return true;
}

/* What is to be least, but for a term that is the same for all. */
static double badness(const struct sums *sums, double usual, const double multiples[DTS_PARTS])
{
    double sum = 0;
    for (int i = 0; i < DTS_PARTS; i++) {
        const double from_usual = multiples[i] - usual;
        sum += ridge * sums->products[i][i] * from_usual * from_usual;
        sum -= 2 * sums->right[i] * multiples[i];
        for (int j = 0; j < DTS_PARTS; j++)
            sum += multiples[i] * sums->products[i][j] * multiples[j];
    }
    return sum;
}

/* None is negative: the best of all choices of those that are not 0. What no row has keeps the
 * usual multiple. */
static void find_multiples(const struct sums *sums, double usual, double best[DTS_PARTS])
{
    int there = 0;
    double least = INFINITY;
    for (int i = 0; i < DTS_PARTS; i++)
        there |= sums->products[i][i] > 0 ? 1 << i : 0;
    for (int chosen = 1; chosen < 1 << DTS_PARTS; chosen++) {
        double multiples[DTS_PARTS];
        if ((chosen & there) != chosen || !solve(sums, chosen, usual, multiples))
            continue;
        const double bad = badness(sums, usual, multiples);
        if (bad >= least)
            continue;
        least = bad;
        for (int i = 0; i < DTS_PARTS; i++)
            best[i] = there >> i & 1 ? multiples[i] : usual;
    }
}

double dts_parts_seconds(const struct dts_parts_row *rows, int count,
                         const double asked[DTS_PARTS])
{
    double weight = 0, log_usual = 0, least = INFINITY, most = 0, multiples[DTS_PARTS];
    assert(count >= 1);
    for (int r = 0; r < count; r++) {
        const double multiple = rows[r].seconds / dts_parts_sum(rows[r].parts);
        weight += rows[r].weight;
        log_usual += rows[r].weight * log(multiple);
        least = fmin(least, multiple);
        most = fmax(most, multiple);
    }
    const double usual = exp(log_usual / weight), whole = dts_parts_sum(asked);
    for (int i = 0; i < DTS_PARTS; i++)
        multiples[i] = usual;
    for (int round = 0; round < ROUNDS; round++) {
        struct sums sums = {{{0}}};
        for (int r = 0; r < count; r++)
            add(&sums, &rows[r], multiples);
        find_multiples(&sums, usual, multiples);
    }
    return fmin(fmax(told(multiples, asked), least * whole), most * whole);
}
