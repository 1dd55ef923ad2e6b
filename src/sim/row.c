/* row.c -- rows that were asked for, each walked once. */
#include "sim/row.h"

#include <stdlib.h>

#include "base/mem.h"

/* Messages of unlike pairs that are walked, of a job in all: about half a second. */
enum { MOST_WALKED = 500000 };

struct known {
    const struct dts_load *first, *second;
    struct dts_row row;
};

struct dts_rows {
    const struct dts_simulation *simulation;
    struct known *known; // owned
    size_t count, room;
    double walked; // messages of unlike pairs
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
    free(rows->known);
    free(rows);
}

static const struct dts_row *find(const struct dts_rows *rows, const struct dts_load *first,
                                  const struct dts_load *second)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->known[i].first == first && rows->known[i].second == second)
            return &rows->known[i].row;
    return NULL;
}

static struct dts_row walk(struct dts_rows *rows, const struct dts_load *first,
                           const struct dts_load *second)
{
    if (first == NULL)
        return dts_walk_row(rows->simulation, &second->move, 1);
    const struct dts_move moves[DTS_ROW_MOST] = {first->move, second->move};
    struct dts_row row = dts_walk_row(rows->simulation, moves, DTS_ROW_MOST);
    row.after_s += row.before_s - dts_rows_find(rows, NULL, first).after_s;
    return row;
}

static struct dts_row in_lockstep(const struct dts_period *period, bool alone)
{
    return (struct dts_row){.after_s = alone ? period->latency_s : period->period_s,
                            .spread_s = period->latency_s - period->period_s};
}

struct dts_row dts_rows_find(struct dts_rows *rows, const struct dts_load *first,
                             const struct dts_load *second)
{
    if (second->move.script == NULL)
        return in_lockstep(&second->period, first == NULL);
    if (first != NULL && first->move.script == NULL)
        first = second;
    const struct dts_row *row = find(rows, first, second);
    if (row != NULL)
        return *row;
    if (first != NULL && first != second) {
        double messages = first->messages + second->messages;
        if (rows->walked + messages > MOST_WALKED)
            return dts_rows_find(rows, second, second);
        rows->walked += messages;
    }
    struct known known = {first, second, walk(rows, first, second)};
    rows->known = dts_grow(rows->known, &rows->room, rows->count + 1, sizeof(*rows->known));
    rows->known[rows->count++] = known;
    return known.row;
}
