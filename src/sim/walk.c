#include "sim/walk.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sim/alarms.h"
#include "sim/flows.h"
#include "sim/weigh.h"

enum { NONE = -1 };

/* Where a message is, in one round. */
struct letter {
    bool sent, awaited; // the sender's latency is paid; the receiver is there
    bool over;          // the wire is done
    double arrived_s;   // latency included
};

struct member {
    int round, turn; // at hand
    int pending;     // messages of the turn whose wire is not done
};

struct walk {
    const struct dts_script *script;
    const struct dts_weighed *messages; // by line
    struct dts_flows *flows;
    struct letter *letters; // by round and line
    struct dts_progress *progress;
    struct member *members;
    struct dts_alarms alarms; // letter NONE: the member's turn is over
    int *ready, ready_count;  // members that begin their turn now
    int taking_part;          // members with turns
    bool even;                // all messages of a step carry the same
    int together; // the step that all began together last, and when; NONE: they did not
    double together_s;
    int rounds, ended; // rounds that members have done
    double now, first_ended_s;
    size_t arrival_room;
    double *arrivals; // of the messages of one turn that are summed, each with its sum
};

static void start_if_met(struct walk *w, int number)
{
    int line = number % w->script->line_count;
    const struct dts_weighed *m = &w->messages[line];
    const struct letter *letter = &w->letters[number];
    if (letter->sent && (letter->awaited || !m->blocks))
        dts_flows_start(w->flows, w->script->lines[line].way, m->wire_bytes, number, w->now);
}

/* The turn of a member is over: it is ready for the next one, if there is one. */
static void next_turn(struct walk *w, int number)
{
    struct member *m = &w->members[number];
    if (++m->turn == w->script->first_turn[number + 1]) {
        if (w->ended++ == 0)
            w->first_ended_s = w->now;
        m->turn = w->script->first_turn[number];
        m->round++;
    }
    if (m->round < w->rounds)
        w->ready[w->ready_count++] = number;
}

static int by_first(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* When a turn whose messages are through is complete. Sums follow one another in the order of
 * arrival. */
static double end_s(struct walk *w, int round, const struct dts_turn *turn)
{
    double end = w->now, summed = 0;
    size_t adding = 0;
    w->arrivals =
        dts_grow(w->arrivals, &w->arrival_room, 2 * (size_t)turn->count, sizeof(*w->arrivals));
    for (int i = turn->first; i < turn->first + turn->count; i++) {
        int cue = w->script->cues[i];
        if (cue >= 0 || w->messages[~cue].wire_bytes == 0)
            continue;
        double arrived = w->letters[round * w->script->line_count + ~cue].arrived_s;
        end = fmax(end, arrived);
        if (w->messages[~cue].sum_s > 0) {
            w->arrivals[2 * adding] = arrived;
            w->arrivals[2 * adding + 1] = w->messages[~cue].sum_s;
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
    double end = end_s(w, m->round, &w->script->turns[m->turn]);
    if (end > w->now)
        dts_alarm_set(&w->alarms, end, number, NONE);
    else
        next_turn(w, number);
}

static void begin_turn(struct walk *w, int number)
{
    struct member *m = &w->members[number];
    const struct dts_turn *turn = &w->script->turns[m->turn];
    m->pending = 0;
    for (int i = turn->first; i < turn->first + turn->count; i++) {
        int cue = w->script->cues[i], line = cue >= 0 ? cue : ~cue;
        const struct dts_weighed *message = &w->messages[line];
        int letter_number = m->round * w->script->line_count + line;
        struct letter *letter = &w->letters[letter_number];
        if (message->wire_bytes == 0)
            continue;
        m->pending += !letter->over;
        if (cue >= 0 && message->before_s > 0) {
            dts_alarm_set(&w->alarms, w->now + message->before_s, number, letter_number);
        } else if (cue >= 0) {
            letter->sent = true;
            start_if_met(w, letter_number);
        } else {
            letter->awaited = true;
            if (message->blocks)
                start_if_met(w, letter_number);
        }
    }
    if (m->pending == 0)
        end_turn(w, number);
}

static void ring(struct walk *w, struct dts_alarm alarm)
{
    if (alarm.letter == NONE) {
        next_turn(w, alarm.member);
        return;
    }
    w->letters[alarm.letter].sent = true;
    start_if_met(w, alarm.letter);
}

static void arrive(struct walk *w, int number)
{
    struct letter *letter = &w->letters[number];
    const struct dts_line *line = &w->script->lines[number % w->script->line_count];
    letter->over = true;
    dts_progress_more(w->progress);
    letter->arrived_s = w->now + w->messages[number % w->script->line_count].after_s;
    if (--w->members[line->from].pending == 0)
        end_turn(w, line->from);
    if (letter->awaited && --w->members[line->to].pending == 0)
        end_turn(w, line->to);
}

static bool let_time_pass(struct walk *w)
{
    dts_flows_settle(w->flows, w->now);
    double next_s = fmin(dts_alarm_next(&w->alarms), dts_flows_next(w->flows));
    if (isinf(next_s))
        return false;
    w->now = fmax(w->now, next_s);
    double nearly = w->now * (1 + 1e-12); // what would be at once, but for rounding, is
    while (dts_alarm_next(&w->alarms) <= nearly)
        ring(w, dts_alarm_take(&w->alarms));
    for (int number; (number = dts_flows_end(w->flows, nearly)) >= 0;)
        arrive(w, number);
    return true;
}

/* Is every member about to begin its turn of one and the same step? */
static bool is_together(const struct walk *w)
{
    const struct member *one = &w->members[w->ready[0]];
    for (int i = 0; i < w->ready_count; i++) {
        const struct member *m = &w->members[w->ready[i]];
        if (m->round != one->round ||
            w->script->turns[m->turn].step != w->script->turns[one->turn].step)
            return false;
    }
    return w->ready_count == w->taking_part;
}

/* Where loads are even, members end together what they begin together. The next step then takes
 * as long as the one before, if that had the same traffic, and so do all of its like that
 * follow: they need not be walked. */
static void skip_alike(struct walk *w)
{
    const struct dts_script *s = w->script;
    if (w->ready_count == 0)
        return;
    if (!w->even || w->ready_count < w->taking_part || !is_together(w)) {
        w->together = NONE;
        return;
    }
    const struct member *one = &w->members[w->ready[0]];
    int step = s->turns[one->turn].step, alike = 0;
    if (w->together != NONE && w->together == step - 1 &&
        s->class_of[step] == s->class_of[step - 1])
        while (step + alike < s->steps && s->class_of[step + alike] == s->class_of[step])
            alike++;
    double passed_s = w->now - w->together_s;
    w->together = step;
    w->together_s = w->now;
    if (alike == 0)
        return;
    w->now += alike * passed_s;
    w->together = NONE;
    w->ready_count = 0;
    for (int m = 0; m < s->members; m++)
        if (s->first_turn[m] < s->first_turn[m + 1]) {
            w->members[m].turn += alike - 1;
            next_turn(w, m);
        }
}

static void stand_ready(struct walk *w)
{
    for (int m = 0; m < w->script->members; m++) {
        w->members[m].turn = w->script->first_turn[m];
        if (w->members[m].turn < w->script->first_turn[m + 1])
            w->ready[w->ready_count++] = m;
    }
    w->taking_part = w->ready_count;
}

/* All members from rest, `rounds` times in a row: when the first is done for the first time,
 * and the last for the last. */
static void walk(struct dts_progress *progress, const struct dts_script *script,
                 const struct dts_weighed *messages, bool even, int rounds, double *first_s,
                 double *last_s)
{
    struct walk w = {.script = script,
                     .progress = progress,
                     .messages = messages,
                     .even = even,
                     .rounds = rounds,
                     .together = NONE};
    size_t members = (size_t)script->members;
    dts_progress_begin(progress, "walking a collective", (double)rounds * script->line_count);
    w.flows = dts_flows_new(&script->ways);
    w.letters = dts_alloc((size_t)rounds * (size_t)script->line_count, sizeof(*w.letters));
    w.members = dts_alloc(members, sizeof(*w.members));
    w.ready = dts_alloc(members, sizeof(*w.ready));
    stand_ready(&w);
    do {
        skip_alike(&w);
        while (w.ready_count > 0)
            begin_turn(&w, w.ready[--w.ready_count]);
    } while (let_time_pass(&w));
    *first_s = w.first_ended_s;
    *last_s = w.now;
    dts_flows_free(w.flows);
    free(w.letters);
    free(w.members);
    free(w.ready);
    free(w.alarms.heap);
    free(w.arrivals);
}

struct dts_period dts_walk_collective(const struct dts_simulation *simulation,
                                      const struct dts_script *script, size_t elements,
                                      size_t element_bytes)
{
    bool even;
    double first_s, alone_s, twice_s;
    struct dts_weighed *messages =
        dts_script_weigh(simulation, script, elements, element_bytes, &even);
    walk(simulation->progress, script, messages, even, 1, &first_s, &alone_s);
    twice_s = 2 * alone_s;
    if (first_s < alone_s) // else the second time is like the first
        walk(simulation->progress, script, messages, even, 2, &first_s, &twice_s);
    free(messages);
    return (struct dts_period){alone_s, twice_s - alone_s};
}
