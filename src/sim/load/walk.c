/* walk.c -- from one event to the next: messages, turns and members of a row. */
#include "sim/load/walk.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sim/load/flows.h"
#include "sim/load/walk_private.h"

static void add_event(struct walk *w, double at_s, int member, int what)
{
    dts_heap_add(&w->events,
                 (struct dts_heap_event){.at_s = at_s, .member = member, .what = what});
}

static const struct round *round_of(const struct walk *w, int message)
{
    return &w->rounds[w->messages[message].round];
}

static void start_if_met(struct walk *w, int number)
{
    const struct round *round = round_of(w, number);
    const int in_script = number - round->first_message;
    const struct dts_message_cost *cost = &round->costs[in_script];
    const struct message *message = &w->messages[number];
    if (message->sent && (message->awaited || !cost->blocks))
        dts_flows_start(w->flows, round->script->messages[in_script].pair, cost->wire_bytes,
                        number, w->now);
}

/* When a member that is done with its round can begin the next one. */
static double begin_s(const struct walk *w, int number)
{
    const struct round *before = &w->rounds[w->members[number].round];
    const double *until_s = w->between.until_s;
    const double first_s = before->ended > 0 ? before->first_s : w->now;
    const double least_s = w->now + w->between.least_s;
    return until_s == NULL ? least_s : fmax(least_s, first_s + until_s[number]);
}

/* The member begins the round that it is at, or the first one after that in which it has any
 * turns. */
static void begin_round(struct walk *w, int number)
{
    struct member *m = &w->members[number];
    for (; m->round < w->round_count; m->round++) {
        const struct round *round = &w->rounds[m->round];
        const int *first = round->script->first_turn;
        m->turn = first[number];
        if (m->turn < first[number + 1]) {
            if (round->begun_s != NULL)
                round->begun_s[number] = w->now;
            w->ready[w->ready_count++] = number;
            return;
        }
    }
}

static void end_round(struct walk *w, int number)
{
    struct member *m = &w->members[number];
    struct round *round = &w->rounds[m->round];
    if (round->ended++ == 0)
        round->first_s = w->now;
    round->last_s = w->now;
    if (round->ended_s != NULL)
        round->ended_s[number] = w->now;
    w->together = NONE;
    const double begins_s = begin_s(w, number);
    if (++m->round < w->round_count && begins_s > w->now)
        add_event(w, begins_s, number, BEGINS);
    else
        begin_round(w, number);
}

void dts_walk_next_turn(struct walk *w, int number)
{
    struct member *m = &w->members[number];
    if (++m->turn == w->rounds[m->round].script->first_turn[number + 1])
        end_round(w, number);
    else
        w->ready[w->ready_count++] = number;
}

static int by_first(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* When a turn whose messages are through is complete. Sums follow one another in the order of
 * arrival. */
static double end_s(struct walk *w, const struct round *round, const struct dts_turn *turn)
{
    const struct dts_message_cost *costs = round->costs;
    double end = w->now, summed = 0;
    size_t adding = 0;
    w->arrivals =
        dts_grow(w->arrivals, &w->arrival_room, 2 * (size_t)turn->count, sizeof(*w->arrivals));
    for (int i = turn->first; i < turn->first + turn->count; i++) {
        int in_script = ~round->script->turn_messages[i]; // negative: sent
        if (in_script < 0 || costs[in_script].wire_bytes == 0)
            continue;
        double arrived = w->messages[round->first_message + in_script].arrived_s;
        end = fmax(end, arrived);
        if (costs[in_script].sum_s > 0) {
            w->arrivals[2 * adding] = arrived;
            w->arrivals[2 * adding + 1] = costs[in_script].sum_s;
            adding++;
        }
    }
    if (adding > 1)
        qsort(w->arrivals, adding, 2 * sizeof(*w->arrivals), by_first);
    for (size_t i = 0; i < adding; i++)
        summed = fmax(summed, w->arrivals[2 * i]) + w->arrivals[2 * i + 1];
    return fmax(end, summed);
}

static void end_turn(struct walk *w, int number)
{
    const struct member *m = &w->members[number];
    const struct round *round = &w->rounds[m->round];
    double end = end_s(w, round, &round->script->turns[m->turn]);
    if (end > w->now)
        add_event(w, end, number, NONE);
    else
        dts_walk_next_turn(w, number);
}

static void begin_turn(struct walk *w, int member)
{
    struct member *m = &w->members[member];
    const struct round *round = &w->rounds[m->round];
    const struct dts_turn *turn = &round->script->turns[m->turn];
    m->pending = 0;
    for (int i = turn->first; i < turn->first + turn->count; i++) {
        int in_script = round->script->turn_messages[i];
        bool sends = in_script >= 0;
        in_script = sends ? in_script : ~in_script;
        const struct dts_message_cost *cost = &round->costs[in_script];
        int number = round->first_message + in_script;
        struct message *message = &w->messages[number];
        if (cost->wire_bytes == 0)
            continue;
        m->pending += !message->over;
        if (sends && cost->before_s > 0) {
            add_event(w, w->now + cost->before_s, member, number);
        } else if (sends) {
            message->sent = true;
            start_if_met(w, number);
        } else {
            message->awaited = true;
            if (cost->blocks)
                start_if_met(w, number);
        }
    }
    if (m->pending == 0)
        end_turn(w, member);
}

static void carry_out(struct walk *w, struct dts_heap_event event)
{
    if (event.what == BEGINS) {
        begin_round(w, event.member);
    } else if (event.what == NONE) {
        dts_walk_next_turn(w, event.member);
    } else {
        w->messages[event.what].sent = true;
        start_if_met(w, event.what);
    }
}

static void arrive(struct walk *w, int number)
{
    struct message *message = &w->messages[number];
    const struct round *round = round_of(w, number);
    const struct dts_script_message *planned =
        &round->script->messages[number - round->first_message];
    message->over = true;
    dts_progress_more(w->progress);
    message->arrived_s = w->now + round->costs[number - round->first_message].after_s;
    if (--w->members[planned->from].pending == 0)
        end_turn(w, planned->from);
    if (message->awaited && --w->members[planned->to].pending == 0)
        end_turn(w, planned->to);
}

static bool let_time_pass(struct walk *w)
{
    dts_flows_settle(w->flows, w->now);
    double next_s = fmin(dts_heap_next(&w->events), dts_flows_next(w->flows));
    if (isinf(next_s))
        return false;
    w->now = fmax(w->now, next_s);
    double nearly = w->now * (1 + 1e-12); // what would be at once, but for rounding, is
    while (dts_heap_next(&w->events) <= nearly)
        carry_out(w, dts_heap_take(&w->events));
    for (int number; (number = dts_flows_end(w->flows, nearly)) >= 0;)
        arrive(w, number);
    return true;
}

static bool takes_part(const struct walk *w, int member)
{
    for (int r = 0; r < w->round_count; r++) {
        const int *first = w->rounds[r].script->first_turn;
        if (first[member] < first[member + 1])
            return true;
    }
    return false;
}

static void begin(struct walk *w)
{
    for (int m = 0; m < w->member_count; m++) {
        w->taking_part += takes_part(w, m);
        if (w->begun_s != NULL && w->begun_s[m] > 0)
            add_event(w, w->begun_s[m], m, BEGINS);
        else
            begin_round(w, m);
    }
}

static void walk(struct walk *w)
{
    size_t members = (size_t)w->member_count;
    w->flows = dts_flows_new(w->rounds->script->pairs);
    w->members = dts_alloc(members, sizeof(*w->members));
    w->ready = dts_alloc(members, sizeof(*w->ready));
    begin(w);
    do {
        dts_walk_skip_alike(w);
        while (w->ready_count > 0)
            begin_turn(w, w->ready[--w->ready_count]);
    } while (let_time_pass(w));
    dts_flows_free(w->flows);
    free(w->members);
    free(w->ready);
    dts_heap_free(&w->events);
    free(w->arrivals);
}

static void open_rounds(struct walk *w, const struct dts_simulation *simulation,
                        const struct dts_move *moves)
{
    int messages = 0;
    for (int r = 0; r < w->round_count; r++) {
        struct round *round = &w->rounds[r];
        round->script = moves[r].script;
        round->costs = dts_script_cost(simulation, moves[r].script, moves[r].pace,
                                       moves[r].elements, moves[r].element_bytes, &round->even);
        round->first_message = messages;
        messages += round->script->message_count;
    }
    w->messages = dts_alloc((size_t)messages, sizeof(*w->messages));
    for (int r = 0; r < w->round_count; r++)
        for (int i = 0; i < w->rounds[r].script->message_count; i++)
            w->messages[w->rounds[r].first_message + i].round = r;
    dts_progress_begin(w->progress, "walking a collective", messages);
}

struct dts_row dts_walk_row(const struct dts_simulation *simulation,
                            const struct dts_move *moves, int count, const double *begun_s,
                            const struct dts_walk_gap *between, double *ended_s)
{
    struct round rounds[DTS_ROW_MOST] = {{0}};
    struct walk w = {.rounds = rounds,
                     .round_count = count,
                     .member_count = moves->script->members,
                     .progress = simulation->progress,
                     .begun_s = begun_s,
                     .between = between != NULL ? *between : (struct dts_walk_gap){0},
                     .together = NONE};
    open_rounds(&w, simulation, moves);
    for (int r = 0; r < count && ended_s != NULL; r++)
        rounds[r].ended_s = ended_s + r * w.member_count;
    if (ended_s != NULL)
        rounds[count - 1].begun_s = ended_s + count * w.member_count;
    walk(&w);
    for (int r = 0; r < count; r++)
        free(rounds[r].costs);
    free(w.messages);
    const struct round *last = &rounds[count - 1];
    double before_s = count > 1 ? rounds[count - 2].last_s : 0;
    return (struct dts_row){last->last_s - before_s, before_s, last->last_s - last->first_s};
}
