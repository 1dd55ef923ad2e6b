/* unlike.c -- cohorts whose members compute at unlike speeds.
 *
 * Members that do a collective together are one cohort, and one lane walks for all of them. A
 * kernel of s seconds takes member m, who begins it b(m) after the first one, until b(m) + f(m)
 * s. The lane is where the last member is, so that it takes the largest of these less the
 * largest of b; and afterwards members are as far apart as these are (apart.c).
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/stats.h"
#include "sim/fluid/fluid.h"

/* The members of a cohort, by their number in the role. Who has no part in it is as quick as
 * the quickest. */
static struct pace pace_of(const struct fluid *f, int cohort)
{
    const struct dts_cohort *who = &f->cohorts->all[cohort];
    const struct dts_role *role = who->role;
    struct pace pace = {.least = INFINITY};
    double most = 0;
    for (int m = 0; m < role->count; m++) {
        const int rank = role->first + m;
        if (f->cohorts->of[rank] != cohort)
            continue;
        const double factor = dts_compute_factor(f->simulation, rank);
        pace.least = fmin(pace.least, factor);
        most = fmax(most, factor);
        pace.mean += factor / who->count;
    }
    if (most == pace.least)
        return (struct pace){.least = most, .mean = most};
    pace.by_member = dts_alloc((size_t)role->count, sizeof(*pace.by_member));
    for (int m = 0; m < role->count; m++) {
        const bool part = f->cohorts->of[role->first + m] == cohort;
        pace.by_member[m] =
            part ? dts_compute_factor(f->simulation, role->first + m) : pace.least;
    }
    return pace;
}

void dts_fluid_set_paces(struct fluid *f)
{
    f->paces = dts_alloc((size_t)f->cohorts->count, sizeof(*f->paces));
    for (int c = 0; c < f->cohorts->count; c++)
        f->paces[c] = pace_of(f, c);
}

void dts_fluid_free_paces(struct fluid *f)
{
    for (int c = 0; c < f->cohorts->count; c++)
        free(f->paces[c].by_member);
    free(f->paces);
}

/* When a member ends a kernel of so many seconds, after the first one began it. */
static double end_of(const struct fluid *f, int cohort, double seconds, int member)
{
    const double *apart_s = f->apart_s[cohort];
    return (apart_s != NULL ? apart_s[member] : 0) +
           f->paces[cohort].by_member[member] * seconds;
}

double dts_fluid_kernel_s(const struct fluid *f, const struct lane *lane, double seconds)
{
    const struct pace *pace = &f->paces[lane->cohort];
    const int members = lane->role->count;
    double last_s = 0;
    if (pace->by_member == NULL)
        return seconds * pace->least;
    for (int m = 0; m < members; m++)
        last_s = fmax(last_s, end_of(f, lane->cohort, seconds, m));
    return last_s - dts_largest(f->apart_s[lane->cohort], members);
}

void dts_fluid_end_kernel(struct fluid *f, const struct lane *lane)
{
    if (f->paces[lane->cohort].by_member == NULL)
        return;
    for (int m = 0; m < lane->role->count; m++)
        f->members_s[m] = end_of(f, lane->cohort, lane->plain_s, m);
    dts_fluid_put_apart(f, lane->cohort);
}
