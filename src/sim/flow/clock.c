/* clock.c -- links that limit many messages count what each of them has had (wire.h). Only the
 * message that is over first has a date.
 */
#include <math.h>
#include <stdlib.h>

#include "sim/flow/queue.h"
#include "sim/flow/wire.h"

#define FULL (1 + 1e-11)

enum {
    MANY = 32,        // messages that are worth a clock
    FEW = 8,          // and that are not any more
    SHORT_LIVED = 16, // turns
    LONGEST_WAIT = 4096,
};

static const double head_room = 1.5; // of the highest pace

/* ---- the queue --------------------------------------------------------------------------- */

static int *place_of(struct dts_flow *f, int message)
{
    return &f->messages[message].clock_place;
}

static void queue_add(struct dts_flow *f, struct dts_flow_wire_clock *c, int message)
{
    const struct dts_flow_message *m = &f->messages[message];
    const struct dts_flow_entry entry = {m->clock_mark, f->dates.set++, message};
    dts_flow_queue_add(&c->queue, f, place_of, entry);
}

static int first_of(const struct dts_flow_wire_clock *c)
{
    return c->queue.count > 0 ? c->queue.heap[0].who : DTS_FLOW_NONE;
}

/* ---- the clock --------------------------------------------------------------------------- */

static void advance(const struct dts_flow *f, struct dts_flow_wire_clock *c)
{
    c->bytes += (f->now_s - c->at_s) * c->pace;
    c->at_s = f->now_s;
}

/* The first of the queue has a date, and nobody else. */
static void date_first(struct dts_flow *f, const struct dts_flow_wire_clock *c,
                       int first_before)
{
    const int first = first_of(c);
    if (first_before != first && first_before != DTS_FLOW_NONE)
        dts_flow_date_clear(f, ~first_before);
    if (first != DTS_FLOW_NONE)
        dts_flow_date_set(
            f, ~first, c->at_s + fmax(0, f->messages[first].clock_mark - c->bytes) / c->pace);
}

/* What messages of a clock add to the loads of the other links that they cross. */
static void load_others(const struct dts_flow *f, int own, int message, double bytes_per_s)
{
    const struct dts_flow_wire *w = f->wire;
    const struct dts_flow_wire_path *path = dts_flow_wire_path_of(w, &f->messages[message]);
    for (int h = path->first; h < path->first + path->count; h++)
        if (w->hops[h].link != own)
            w->links[w->hops[h].link].load += (double)w->hops[h].part * bytes_per_s;
}

/* Do all other links that a message crosses have room, and limit nobody? */
static bool others_free(const struct dts_flow *f, int own, int message, double more)
{
    const struct dts_flow_wire *w = f->wire;
    const struct dts_flow_wire_path *path = dts_flow_wire_path_of(w, &f->messages[message]);
    for (int h = path->first; h < path->first + path->count; h++) {
        const struct dts_flow_wire_link *link = &w->links[w->hops[h].link];
        if (w->hops[h].link != own &&
            (link->bound > 0 ||
             link->load + (double)w->hops[h].part * more > link->bytes_per_s * FULL))
            return false;
    }
    return true;
}

static double part_of(const struct dts_flow *f, int link, int message)
{
    const struct dts_flow_wire *w = f->wire;
    const struct dts_flow_wire_path *path = dts_flow_wire_path_of(w, &f->messages[message]);
    double part = 0;
    for (int h = path->first; h < path->first + path->count; h++)
        part += w->hops[h].link == link ? (double)w->hops[h].part : 0;
    return part;
}

/* A higher highest pace. Returns false where another link would be too full: nothing changes.
 */
static bool raise_highest(const struct dts_flow *f, int link, double highest)
{
    const struct dts_flow_wire *w = f->wire;
    struct dts_flow_wire_clock *c = w->links[link].clock;
    const double more = highest - c->highest;
    bool fits = true;
    for (int i = 0; i < c->queue.count; i++)
        load_others(f, link, c->queue.heap[i].who, more);
    for (int i = 0; i < c->queue.count && fits; i++)
        fits = others_free(f, link, c->queue.heap[i].who, 0);
    for (int i = 0; i < c->queue.count && !fits; i++)
        load_others(f, link, c->queue.heap[i].who, -more);
    c->highest = fits ? highest : c->highest;
    return fits;
}

bool dts_flow_clock_enter(struct dts_flow *f, int number, int message)
{
    const struct dts_flow_wire *w = f->wire;
    struct dts_flow_wire_link *link = &w->links[number];
    struct dts_flow_wire_clock *c = link->clock;
    if (c == NULL || link->dirty)
        return false;
    struct dts_flow_message *m = &f->messages[message];
    const double part = part_of(f, number, message), pace = c->left / (c->weight + part);
    const double cap = dts_flow_wire_path_of(w, m)->most_bytes_per_s;
    if (pace < c->fastest_other || cap < c->highest ||
        !others_free(f, number, message, c->highest))
        return false;
    const int first = first_of(c);
    advance(f, c);
    c->weight += part;
    c->pace = pace;
    c->least_cap = fmin(c->least_cap, cap);
    c->turns++;
    m->bound = number;
    link->bound++;
    m->clock_mark = c->bytes + m->left_bytes * m->slow;
    load_others(f, number, message, c->highest);
    queue_add(f, c, message);
    date_first(f, c, first);
    return true;
}

bool dts_flow_clock_leave(struct dts_flow *f, int number, int message)
{
    const struct dts_flow_wire *w = f->wire;
    struct dts_flow_wire_clock *c = w->links[number].clock;
    if (c == NULL)
        return false;
    const int first = first_of(c);
    advance(f, c);
    c->bytes = fmax(c->bytes, f->messages[message].clock_mark); // it is over
    c->weight -= part_of(f, number, message);
    c->turns++;
    load_others(f, number, message, -c->highest);
    dts_flow_queue_remove(&c->queue, f, place_of, message);
    const double pace = c->queue.count > 0 ? c->left / c->weight : INFINITY;
    bool keeps = c->queue.count >= FEW && pace <= c->least_cap;
    if (keeps && pace > c->highest)
        keeps = raise_highest(f, number, fmin(head_room * pace, c->least_cap));
    if (keeps)
        c->pace = pace;
    if (c->queue.count > 0)
        date_first(f, c, first == message ? DTS_FLOW_NONE : first);
    return keeps;
}

void dts_flow_clock_slow(struct dts_flow *f, int number, int message, double slow)
{
    const struct dts_flow_wire *w = f->wire;
    struct dts_flow_wire_clock *c = w->links[number].clock;
    struct dts_flow_message *m = &f->messages[message];
    const int first = first_of(c);
    advance(f, c);
    dts_flow_queue_remove(&c->queue, f, place_of, message);
    m->clock_mark = c->bytes + fmax(0, m->clock_mark - c->bytes) / m->slow * slow;
    m->slow = slow;
    queue_add(f, c, message);
    date_first(f, c, first);
}

/* The link beside the messages that it limits. */
static void measure(const struct dts_flow *f, int number, struct dts_flow_wire_clock *c)
{
    const struct dts_flow_wire *w = f->wire;
    const struct dts_flow_wire_link *link = &w->links[number];
    c->left = link->bytes_per_s;
    for (int k = 0; k < link->count; k++) {
        const struct dts_flow_message *m = &f->messages[link->flows[2 * k]];
        const struct dts_flow_wire_path *path = dts_flow_wire_path_of(w, m);
        const double part = (double)w->hops[path->first + link->flows[2 * k + 1]].part;
        if (m->bound == number) {
            c->weight += part;
            c->pace = m->rate;
            c->least_cap = fmin(c->least_cap, path->most_bytes_per_s);
        } else {
            c->left -= part * m->rate;
            c->fastest_other = fmax(c->fastest_other, m->rate);
        }
    }
}

void dts_flow_clock_free(struct dts_flow_wire_clock *c)
{
    if (c != NULL)
        free(c->queue.heap);
    free(c);
}

static void forget(struct dts_flow_wire_link *link)
{
    dts_flow_clock_free(link->clock);
    link->clock = NULL;
}

/* Where clocks do not last the next one comes later. */
static void put_off(struct dts_flow_wire_link *link, bool short_lived)
{
    const int longer = link->wait < 4 ? 4 : 2 * link->wait;
    link->wait = !short_lived ? 0 : longer < LONGEST_WAIT ? longer : LONGEST_WAIT;
    link->patience = link->wait;
}

/* A message may cross a link twice. */
static void queue_all(struct dts_flow *f, int number)
{
    const struct dts_flow_wire *w = f->wire;
    const struct dts_flow_wire_link *link = &w->links[number];
    for (int k = 0; k < link->count; k++)
        f->messages[link->flows[2 * k]].clock_place = DTS_FLOW_NONE;
    for (int k = 0; k < link->count; k++) {
        struct dts_flow_message *m = &f->messages[link->flows[2 * k]];
        if (m->bound != number || m->clock_place != DTS_FLOW_NONE)
            continue;
        const double had = m->rate / m->slow * (f->now_s - m->since_s);
        m->clock_mark = fmax(0, m->left_bytes - had) * m->slow;
        queue_add(f, link->clock, link->flows[2 * k]);
    }
}

void dts_flow_clock_set(struct dts_flow *f, int number)
{
    const struct dts_flow_wire *w = f->wire;
    struct dts_flow_wire_link *link = &w->links[number];
    if (link->clock != NULL || link->bound < MANY || link->dirty)
        return;
    if (link->patience > 0) {
        link->patience--;
        return;
    }
    struct dts_flow_wire_clock *c = link->clock = dts_alloc(1, sizeof(*c));
    *c = (struct dts_flow_wire_clock){.at_s = f->now_s, .least_cap = INFINITY};
    measure(f, number, c);
    c->highest = c->pace;
    queue_all(f, number);
    bool fits = c->pace > 0;
    for (int i = 0; i < c->queue.count && fits; i++)
        fits = others_free(f, number, c->queue.heap[i].who, 0);
    if (!fits || !raise_highest(f, number, fmin(head_room * c->pace, c->least_cap))) {
        forget(link);
        put_off(link, true);
        return;
    }
    for (int i = 0; i < c->queue.count; i++)
        dts_flow_date_clear(f, ~c->queue.heap[i].who);
    date_first(f, c, DTS_FLOW_NONE);
}

void dts_flow_clock_take(struct dts_flow *f, int number)
{
    const struct dts_flow_wire *w = f->wire;
    struct dts_flow_wire_link *link = &w->links[number];
    struct dts_flow_wire_clock *c = link->clock;
    if (c == NULL)
        return;
    advance(f, c);
    for (int i = 0; i < c->queue.count; i++) {
        struct dts_flow_message *m = &f->messages[c->queue.heap[i].who];
        m->left_bytes = fmax(0, m->clock_mark - c->bytes) / m->slow;
        m->since_s = f->now_s;
        m->rate = c->pace;
        load_others(f, number, c->queue.heap[i].who, c->pace - c->highest);
        dts_flow_date_set(f, ~c->queue.heap[i].who,
                          f->now_s + m->left_bytes * m->slow / m->rate);
    }
    put_off(link, c->turns < SHORT_LIVED);
    forget(link);
}

void dts_flow_clock_clear(struct dts_flow *f, int number)
{
    const struct dts_flow_wire *w = f->wire;
    dts_flow_clock_take(f, number);
    for (int k = 0; k < w->links[number].count; k++) {
        const int bound = f->messages[w->links[number].flows[2 * k]].bound;
        if (bound != DTS_FLOW_NONE)
            dts_flow_clock_take(f, bound);
    }
}
