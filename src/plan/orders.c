/* orders.c -- Hamiltonian cycles that share no link.
 *
 * A cycle takes a lane of each of its links both ways: that is two channels, one each way
 * round. All cycles are listed, and as many as go together are looked for; no more than half
 * of the lanes of the member with fewest.
 */
#include "plan/orders.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MOST_CYCLES = DTS_ORDERS / 2, MOST_TRIED = 200000 };

struct cycle {
    signed char member[DTS_ORDERED];
};

struct search {
    unsigned char lanes[DTS_ORDERED][DTS_ORDERED]; // that are left
    int members;
    struct cycle *all; // owned
    size_t count, room;
    size_t chosen[MOST_CYCLES], best[MOST_CYCLES]; // numbers in `all`, ascending
    int best_count, most;
    long tried;
};

/* Each cycle once: of the two ways round the one whose second member is the smaller. */
static void list(struct search *s, struct cycle *c, int at, unsigned seen)
{
    const int n = s->members, last = c->member[at - 1];
    if (at == n && s->lanes[last][0] > 0 && c->member[1] < last) {
        s->all = dts_grow(s->all, &s->room, s->count + 1, sizeof(*s->all));
        s->all[s->count++] = *c;
    }
    for (int next = 1; at < n && next < n; next++)
        if (!(seen >> next & 1) && s->lanes[last][next] > 0) {
            c->member[at] = (signed char)next;
            list(s, c, at + 1, seen | 1u << next);
        }
}

static bool has_lanes(const struct search *s, const struct cycle *c)
{
    for (int i = 0; i < s->members; i++)
        if (s->lanes[c->member[i]][c->member[(i + 1) % s->members]] == 0)
            return false;
    return true;
}

static void take_lanes(struct search *s, const struct cycle *c, int lanes)
{
    for (int i = 0; i < s->members; i++) {
        const int a = c->member[i], b = c->member[(i + 1) % s->members];
        s->lanes[a][b] = (unsigned char)(s->lanes[a][b] - lanes);
        s->lanes[b][a] = (unsigned char)(s->lanes[b][a] - lanes);
    }
}

static void choose(struct search *s, size_t first, int chosen)
{
    if (chosen > s->best_count) {
        s->best_count = chosen;
        memcpy(s->best, s->chosen, sizeof(s->best));
    }
    for (size_t i = first; i < s->count && s->best_count < s->most; i++) {
        if (s->tried++ > MOST_TRIED || !has_lanes(s, &s->all[i]))
            continue;
        s->chosen[chosen] = i;
        take_lanes(s, &s->all[i], 1);
        choose(s, i, chosen + 1);
        take_lanes(s, &s->all[i], -1);
    }
}

static int most_cycles(const struct search *s)
{
    int most = MOST_CYCLES;
    for (int a = 0; a < s->members; a++) {
        int sum = 0;
        for (int b = 0; b < s->members; b++)
            sum += a != b ? s->lanes[a][b] : 0;
        most = sum / 2 < most ? sum / 2 : most;
    }
    return most;
}

/* How often each cycle was chosen, if all were as often; else 1. */
static int times(const struct search *s)
{
    int runs = s->best_count > 0;
    for (int i = 1; i < s->best_count; i++)
        runs += s->best[i] != s->best[i - 1];
    if (runs == 0 || s->best_count % runs != 0)
        return 1;
    const int each = s->best_count / runs;
    for (int i = 0; i < s->best_count; i++)
        if (s->best[i] != s->best[i / each * each])
            return 1;
    return each;
}

static void add(struct dts_orders *orders, const struct cycle *c, bool back)
{
    const int n = orders->members, number = orders->count++;
    for (int p = 0; p < n; p++) {
        const signed char m = c->member[back ? (n - p) % n : p];
        orders->member[number][p] = m;
        orders->place[number][m] = (signed char)p;
    }
}

void dts_orders_find(const unsigned char lanes[DTS_ORDERED][DTS_ORDERED], int members,
                     struct dts_orders *orders)
{
    struct search s = {.members = members};
    struct cycle start = {{0}};
    *orders = (struct dts_orders){.members = members};
    if (members < 3 || members > DTS_ORDERED)
        return;
    memcpy(s.lanes, lanes, sizeof(s.lanes));
    s.most = most_cycles(&s);
    list(&s, &start, 1, 1);
    choose(&s, 0, 0);
    const int each = times(&s);
    for (int i = 0; i < s.best_count; i += each) {
        add(orders, &s.all[s.best[i]], false);
        add(orders, &s.all[s.best[i]], true);
    }
    orders->cycles = 2 * s.best_count;
    free(s.all);
}
