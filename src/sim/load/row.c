/* row.c -- rows that were asked for, each walked once. */
#include "sim/load/row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"

/* The work (load.h) of walking, of a job in all: for pairs of unlike sizes,
 * about half a second (and the first of the two once more, where it is begun apart); for pairs
 * whose sizes are known, for their own place in the plan, about a fifth. */
enum { MOST_WALKED = 500000, MOST_AGAIN = 200000 };

struct known {
    struct dts_row_pair pair; // first NULL: one alone; begun_s owned
    struct dts_row row;
    double held_s;   // as of struct dts_follow
    double *ended_s; // by member, of one after the other; owned
};

struct dts_rows {
    const struct dts_simulation *simulation;
    struct known *known; // owned
    size_t count, room;
    double walked, again; // messages: of pairs of unlike sizes, of pairs of known sizes
};

struct dts_rows *dts_rows_new(const struct dts_simulation *simulation)
{
    struct dts_rows *rows = dts_alloc(1, sizeof(*rows));
    rows->simulation = simulation;
    return rows;
}

void dts_rows_free(struct dts_rows *rows)
{
    if (rows == NULL)
        return;
    for (size_t i = 0; i < rows->count; i++) {
        free((void *)rows->known[i].pair.begun_s);
        free((void *)rows->known[i].pair.between.until_s);
        free(rows->known[i].ended_s);
    }
    free(rows->known);
    free(rows);
}

static const double nearly_s = 1e-7; // much less than any message; steps come to repeat

/* By member; NULL: all at 0. */
static bool same_times(const double *a, const double *b, int members)
{
    if (a == b)
        return true;
    for (int m = 0; m < members; m++)
        if (fabs((a != NULL ? a[m] : 0) - (b != NULL ? b[m] : 0)) > nearly_s)
            return false;
    return true;
}

static bool same_begin(const struct dts_row_pair *a, const struct dts_row_pair *b)
{
    const int members = a->second->move.script->members;
    return fabs(a->between.least_s - b->between.least_s) <= nearly_s &&
           same_times(a->begun_s, b->begun_s, members) &&
           same_times(a->between.until_s, b->between.until_s, members);
}

static bool same_sizes(const struct dts_row_pair *a, const struct dts_row_pair *b)
{
    return a->first == b->first && a->second == b->second;
}

static bool same_pair(const struct dts_row_pair *a, const struct dts_row_pair *b)
{
    return same_sizes(a, b) && same_begin(a, b);
}

/* What was begun as this is. */
static const struct known *find(const struct dts_rows *rows, const struct dts_row_pair *pair)
{
    for (size_t i = 0; i < rows->count; i++)
        if (same_pair(&rows->known[i].pair, pair))
            return &rows->known[i];
    return NULL;
}

/* The last one of these sizes, at this place if there is one. What was held up by more than the
 * first does not tell how it goes without that. */
static const struct known *find_like(const struct dts_rows *rows,
                                     const struct dts_row_pair *pair)
{
    const struct known *like = NULL;
    for (size_t i = rows->count; i-- > 0;) {
        const struct known *known = &rows->known[i];
        if (!same_sizes(&known->pair, pair) ||
            (known->pair.between.until_s != NULL && pair->between.until_s == NULL))
            continue;
        if (known->pair.place == pair->place)
            return known;
        if (like == NULL)
            like = known;
    }
    return like;
}

static const double *copy(const double *begun_s, int members)
{
    if (begun_s == NULL)
        return NULL;
    double *new_s = dts_alloc((size_t)members, sizeof(*new_s));
    memcpy(new_s, begun_s, (size_t)members * sizeof(*new_s));
    return new_s;
}

static const struct known *keep(struct dts_rows *rows, const struct known *known)
{
    rows->known = dts_grow(rows->known, &rows->room, rows->count + 1, sizeof(*rows->known));
    rows->known[rows->count] = *known;
    struct dts_row_pair *pair = &rows->known[rows->count].pair;
    const int members = pair->second->move.script->members;
    pair->begun_s = copy(pair->begun_s, members);
    pair->between.until_s = copy(pair->between.until_s, members);
    return &rows->known[rows->count++];
}

static struct dts_row in_lockstep(const struct dts_lockstep *lockstep, double after_s)
{
    return (struct dts_row){.after_s = after_s,
                            .spread_s = lockstep->latency_s - lockstep->period_s};
}

/* False: the messages that may be walked are used up. */
static bool use_up(double *used, double messages, double most)
{
    if (*used + messages > most)
        return false;
    *used += messages;
    return true;
}

/* From the end of the first member that has a part in it: who has none ended at 0, and is never
 * late. */
static void count_from_first_with_part(double *ended_s, int members)
{
    double first_s = INFINITY;
    for (int m = 0; m < members; m++)
        if (ended_s[m] > 0)
            first_s = fmin(first_s, ended_s[m]);
    for (int m = 0; m < members; m++)
        ended_s[m] = fmax(0, ended_s[m] - first_s);
}

static const struct known *walk_alone(struct dts_rows *rows, const struct dts_row_pair *alone)
{
    const struct dts_move *move = &alone->second->move;
    int members = move->script->members;
    double *ended_s = dts_alloc((size_t)members * 2, sizeof(*ended_s));
    struct dts_row row = dts_walk_row(rows->simulation, move, 1, alone->begun_s, NULL, ended_s);
    row.after_s -= dts_largest(alone->begun_s, members);
    count_from_first_with_part(ended_s, members);
    return keep(rows, &(struct known){*alone, row, 0, ended_s});
}

/* The first of its size: what takes long has its time in lockstep, too (load.h). */
static bool may_walk(struct dts_rows *rows, const struct dts_load *load, double work)
{
    return load->lockstep.latency_s == 0 || use_up(&rows->walked, work, MOST_WALKED);
}

struct dts_follow dts_rows_alone(struct dts_rows *rows, const struct dts_load *load,
                                 const double *begun_s)
{
    if (load->move.script == NULL)
        return (struct dts_follow){.row =
                                       in_lockstep(&load->lockstep, load->lockstep.latency_s)};
    const struct dts_row_pair alone = {.second = load, .place = -1, .begun_s = begun_s};
    const struct known *known = find(rows, &alone);
    const struct known *like = known == NULL ? find_like(rows, &alone) : NULL;
    if (like != NULL)
        known = use_up(&rows->again, load->work, MOST_AGAIN) ? walk_alone(rows, &alone) : like;
    else if (known == NULL && may_walk(rows, load, load->work))
        known = walk_alone(rows, &alone);
    if (known == NULL)
        return (struct dts_follow){.row =
                                       in_lockstep(&load->lockstep, load->lockstep.latency_s)};
    return (struct dts_follow){known->row, 0, true, NULL, known->pair.begun_s, known->ended_s};
}

static double first_alone_s(struct dts_rows *rows, const struct dts_row_pair *pair)
{
    if (pair->begun_s == NULL)
        return dts_rows_alone(rows, pair->first, NULL).row.after_s;
    const struct dts_move *move = &pair->first->move;
    return dts_walk_row(rows->simulation, move, 1, pair->begun_s, NULL, NULL).after_s;
}

static const struct known *walk(struct dts_rows *rows, const struct dts_row_pair *pair)
{
    const struct dts_move moves[DTS_ROW_MOST] = {pair->first->move, pair->second->move};
    int members = moves->script->members;
    double *ended_s = dts_alloc((size_t)members * (DTS_ROW_MOST + 1), sizeof(*ended_s));
    struct dts_row row = dts_walk_row(rows->simulation, moves, DTS_ROW_MOST, pair->begun_s,
                                      &pair->between, ended_s);
    const double held_s = row.before_s - first_alone_s(rows, pair);
    count_from_first_with_part(ended_s, members);
    count_from_first_with_part(ended_s + members, members);
    count_from_first_with_part(ended_s + 2 * members, members);
    return keep(rows, &(struct known){*pair, row, held_s, ended_s});
}

/* NULL: in lockstep. */
static const struct known *behind(struct dts_rows *rows, struct dts_row_pair pair)
{
    const struct known *known = find(rows, &pair);
    if (known != NULL)
        return known;
    const struct known *like = find_like(rows, &pair);
    const double both = pair.first->work + pair.second->work;
    const double again = pair.begun_s != NULL ? both + pair.first->work : both;
    if (like != NULL)
        return use_up(&rows->again, again, MOST_AGAIN) ? walk(rows, &pair) : like;
    if (pair.first == pair.second)
        return may_walk(rows, pair.second, both) ? walk(rows, &pair) : NULL;
    if (use_up(&rows->walked, both, MOST_WALKED))
        return walk(rows, &pair);
    pair.first = pair.second;
    return behind(rows, pair);
}

struct dts_follow dts_rows_behind(struct dts_rows *rows, const struct dts_row_pair *pair)
{
    const struct dts_lockstep *lockstep = &pair->second->lockstep;
    if (pair->second->move.script == NULL)
        return (struct dts_follow){.row = in_lockstep(lockstep, lockstep->period_s)};
    struct dts_row_pair walked = *pair;
    if (pair->first->move.script == NULL)
        walked.first = pair->second;
    const struct known *known = behind(rows, walked);
    if (known == NULL)
        return (struct dts_follow){.row = in_lockstep(lockstep, lockstep->period_s)};
    const int members = pair->second->move.script->members;
    return (struct dts_follow){known->row,
                               known->held_s,
                               same_pair(&known->pair, pair),
                               known->ended_s,
                               known->ended_s + 2 * members,
                               known->ended_s + members};
}
