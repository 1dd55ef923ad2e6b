/* turns.c -- steps between the calls of a profile. */
#include "turns/turns.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "train/model/calls.h"

/* Steps of less are as many in each turn as may be: the next turn owes them nothing. */
static const double short_s = 10 * DTS_FORGOTTEN_S;

static const double share = 0.5; // of the time that the profile takes

struct turns {
    const struct dts_profile_request *profile;
    struct dts_steps_request requests[DTS_MOST_TURNS];
    int count, total; // kinds of steps; turns that there will be
    struct dts_step_series *series[DTS_MOST_TURNS];
    struct dts_op_call_key *keys[DTS_MOST_TURNS]; // of its calls; owned
    int key_count[DTS_MOST_TURNS];
    double last_s[DTS_MOST_TURNS]; // of a step
    int steps[DTS_MOST_TURNS];     // that count
    double since_s;                // when the last turn ended
    double owed_s;                 // what calls took and steps have not yet
    bool stepped;                  // in the last turn
};

static void find_keys(struct turns *t, int i)
{
    const struct dts_model *model = t->requests[i].model;
    struct dts_layer_call *calls = dts_alloc((size_t)model->layer_count, sizeof(*calls));
    t->keys[i] = dts_alloc((size_t)model->layer_count, sizeof(*t->keys[i]));
    dts_model_calls(model, true, calls);
    for (int l = 0; l < model->layer_count; l++)
        if (calls[l].call.op != NULL)
            t->keys[i][t->key_count[i]++] = dts_op_call_key(&calls[l].call);
    free(calls);
}

static bool has_call(const struct turns *t, int i, const char *key)
{
    for (int k = 0; k < t->key_count[i]; k++)
        if (strcmp(t->keys[i][k].chars, key) == 0)
            return true;
    return false;
}

/* Of the kinds that have this call: with slow moments of minutes it matters that steps run
 * where their own calls do. -1: none has. */
static int fewest_steps(const struct turns *t, const char *key)
{
    int fewest = -1;
    for (int i = 0; i < t->count; i++)
        if ((fewest < 0 || t->steps[i] < t->steps[fewest]) && has_call(t, i, key))
            fewest = i;
    return fewest;
}

/* Steps that do not count, one or as many as last a short run. What the first uses lies where
 * the calls before the turn have left it, memory that was not used for seconds may be slow, and
 * a processor has forgotten the code of short steps. */
static void pass_steps(struct turns *t, int i)
{
    const double begin_s = dts_now_s();
    do
        dts_steps_pass(t->series[i]);
    while (dts_now_s() - begin_s < DTS_SHORT_RUN_S);
}

/* Steps of one kind, for as long as steps are owed, or as many as there may be in a turn. */
static void run_steps(struct turns *t, int i)
{
    const int fair = t->requests[i].steps * t->count / t->total, most = fair > 1 ? fair : 1;
    const double begin_s = dts_now_s();
    pass_steps(t, i);
    for (int n = 0; n < most; n++) {
        if (n > 0 && dts_now_s() - begin_s > t->owed_s - t->last_s[i] / 2)
            break;
        t->last_s[i] = dts_steps_next(t->series[i]);
        t->steps[i]++;
    }
    const double spent_s = dts_now_s() - begin_s;
    t->owed_s = t->last_s[i] < short_s ? 0 : t->owed_s - spent_s; // no more of them in one turn
}

/* Between two calls of the profile. */
static void take_turn(void *argument, int done, int total, const char *what)
{
    struct turns *t = argument;
    if (t->profile->progress != NULL)
        t->profile->progress(t->profile->argument, done, total, what);
    t->total = total > t->total ? total : t->total;
    t->stepped = false;
    const int next = fewest_steps(t, what);
    if (next >= 0) {
        t->owed_s += share * (dts_now_s() - t->since_s);
        const bool owed = t->owed_s >= 2 * t->last_s[next];
        // networks of many like layers have few calls: a step in each sweep at the least
        t->stepped = owed || t->steps[next] <= done * t->profile->sweeps / total;
        if (t->stepped)
            run_steps(t, next);
    }
    t->since_s = dts_now_s();
}

static bool behind_step(void *argument)
{
    const struct turns *t = argument;
    return t->stepped;
}

static bool begin(struct turns *t, struct dts_error *err)
{
    bool good = true;
    for (int i = 0; good && i < t->count; i++) {
        find_keys(t, i);
        good = dts_steps_begin(&t->series[i], &t->requests[i], err);
        if (good)
            t->last_s[i] = dts_steps_pass(t->series[i]);
    }
    t->since_s = dts_now_s();
    return good;
}

bool dts_turns_measure(const struct dts_profile_request *profile, const char *path,
                       const struct dts_steps_request *requests, int count,
                       struct dts_steps *steps, struct dts_profile_moments *moments,
                       struct dts_error *err)
{
    struct turns turns = {.profile = profile, .count = count, .total = 1};
    struct dts_profile_request in_turns = *profile;
    assert(count <= DTS_MOST_TURNS);
    in_turns.progress = take_turn;
    in_turns.behind_step = behind_step;
    in_turns.argument = &turns;
    in_turns.all_count = true;
    for (int i = 0; i < count; i++) {
        turns.requests[i] = requests[i];
        turns.requests[i].all_count = true;
    }
    const bool good = begin(&turns, err) && dts_profile_measure(&in_turns, path, moments, err);
    for (int i = 0; i < count; i++) {
        if (good) {
            if (turns.steps[i] == 0)
                run_steps(&turns, i); // no turn was long enough
            dts_steps_end(turns.series[i], moments->pace_s, &steps[i]);
        }
        dts_steps_free(turns.series[i]);
        free(turns.keys[i]);
    }
    return good;
}
