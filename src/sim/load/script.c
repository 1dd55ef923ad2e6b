/* script.c -- the messages of a collective, step by step, as every member meets them. */
#include "sim/load/script.h"

#include <stdlib.h>

#include "base/mem.h"
#include "plan/run.h"

/* What a member does in a step. */
struct moment {
    int member;
    struct dts_turn turn;
};

struct writer {
    struct dts_script *script;
    struct dts_rank_pairs *pairs;
    const int *cohort_of; // by rank
    int cohort;
    struct moment *moments;
    int *first_sent;    // that a member sends in the step at hand; members + 1 entries
    int *first_message; // likewise
    struct dts_coll_message *messages; // of the step at hand
    int turn_message_count, moment_count;
    size_t script_room, turn_message_room, moment_room, message_room;
};

static void add_message(struct writer *w, int member, const struct dts_coll_message *message)
{
    struct dts_script *s = w->script;
    int first = s->role->first, to = message->peer - first;
    s->messages = dts_grow(s->messages, &w->script_room, (size_t)s->message_count + 1,
                           sizeof(*s->messages));
    s->messages[s->message_count++] = (struct dts_script_message){
        .pair = dts_rank_pairs_number(w->pairs, first + member, message->peer),
        .from = member,
        .to = to,
        .lane = message->lane,
        .first = message->first,
        .count = message->count};
}

/* The messages of all members in a step, and a message of the script for each that is sent. */
static void ask_step(struct writer *w, int step)
{
    struct dts_script *s = w->script;
    size_t most = (size_t)DTS_COLL_MESSAGES * (size_t)s->collective->channels;
    int count = 0;
    for (int m = 0; m < s->members; m++) {
        w->first_message[m] = count;
        w->first_sent[m] = s->message_count;
        w->messages =
            dts_grow(w->messages, &w->message_room, (size_t)count + most, sizeof(*w->messages));
        int rank = s->role->first + m, end = count;
        if (w->cohort_of[rank] == w->cohort)
            end += dts_collective_step(s->role, s->collective, rank, step, w->messages + count);
        for (; count < end; count++)
            if (w->messages[count].send)
                add_message(w, m, &w->messages[count]);
    }
    w->first_message[s->members] = count;
    w->first_sent[s->members] = s->message_count;
}

/* The number of a message that a member receives. */
static int received(const struct writer *w, int member, const struct dts_coll_message *message)
{
    int from = message->peer - w->script->role->first, number = w->first_sent[from];
    while (w->script->messages[number].to != member ||
           w->script->messages[number].lane != message->lane)
        number++;
    return number;
}

static void write_step(struct writer *w, int step)
{
    struct dts_script *s = w->script;
    ask_step(w, step);
    size_t turn_messages = (size_t)(w->turn_message_count + w->first_message[s->members]);
    s->turn_messages = dts_grow(s->turn_messages, &w->turn_message_room, turn_messages,
                                sizeof(*s->turn_messages));
    for (int m = 0; m < s->members; m++) {
        int count = w->first_message[m + 1] - w->first_message[m], sent = w->first_sent[m];
        if (count == 0)
            continue;
        w->moments = dts_grow(w->moments, &w->moment_room, (size_t)w->moment_count + 1,
                              sizeof(*w->moments));
        w->moments[w->moment_count++] =
            (struct moment){m, {step, w->turn_message_count, count}};
        for (int i = w->first_message[m]; i < w->first_message[m + 1]; i++) {
            const struct dts_coll_message *message = &w->messages[i];
            int number = message->send ? sent++ : received(w, m, message);
            if (!message->send)
                s->messages[number].add = message->add;
            s->turn_messages[w->turn_message_count++] = message->send ? number : ~number;
        }
    }
}

/* Moments came step by step; turns are kept member by member. */
static void sort_turns(struct writer *w)
{
    struct dts_script *s = w->script;
    s->first_turn = dts_alloc((size_t)s->members + 1, sizeof(*s->first_turn));
    s->turns = dts_alloc((size_t)w->moment_count, sizeof(*s->turns));
    for (int i = 0; i < w->moment_count; i++)
        s->first_turn[w->moments[i].member + 1]++;
    for (int m = 0; m < s->members; m++)
        s->first_turn[m + 1] += s->first_turn[m];
    int *next = dts_alloc((size_t)s->members, sizeof(*next));
    for (int i = 0; i < w->moment_count; i++) {
        int m = w->moments[i].member;
        s->turns[s->first_turn[m] + next[m]++] = w->moments[i].turn;
    }
    free(next);
}

struct dts_script *dts_script_new(const struct dts_net *net, struct dts_routes *routes,
                                  struct dts_rank_pairs *pairs,
                                  const struct dts_cohorts *cohorts, int cohort,
                                  const struct dts_collective *collective)
{
    const struct dts_role *role = cohorts->all[cohort].role;
    struct dts_script *s = dts_alloc(1, sizeof(*s));
    *s = (struct dts_script){.role = role,
                             .collective = collective,
                             .members = role->count,
                             .pairs = &pairs->shares};
    struct writer w = {.script = s, .pairs = pairs, .cohort_of = cohorts->of, .cohort = cohort};
    w.first_sent = dts_alloc((size_t)s->members + 1, sizeof(*w.first_sent));
    w.first_message = dts_alloc((size_t)s->members + 1, sizeof(*w.first_message));
    s->steps = collective->algorithm->steps(&collective->shape);
    s->class_of = dts_alloc((size_t)s->steps, sizeof(*s->class_of));
    for (int i = 0; i < s->steps; i++) {
        s->class_of[i] = collective->algorithm->like(&collective->shape, i);
        write_step(&w, i);
    }
    sort_turns(&w);
    dts_rank_pairs_find_routes(pairs, routes, net);
    free(w.first_sent);
    free(w.first_message);
    free(w.messages);
    free(w.moments);
    return s;
}

void dts_script_free(struct dts_script *s)
{
    if (s == NULL)
        return;
    free(s->class_of);
    free(s->messages);
    free(s->turns);
    free(s->first_turn);
    free(s->turn_messages);
    free(s);
}
