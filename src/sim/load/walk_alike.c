/* walk_alike.c -- steps that take as long as the one before them are not walked. */
#include "sim/load/walk_private.h"

/* Is every member about to begin its turn of one and the same step? */
static bool is_together(const struct walk *w)
{
    if (w->ready_count < w->taking_part)
        return false;
    const struct member *one = &w->members[w->ready[0]];
    const struct round *round = &w->rounds[one->round];
    const struct dts_turn *turns = round->script->turns;
    for (int i = 0; i < w->ready_count; i++) {
        const struct member *m = &w->members[w->ready[i]];
        if (m->round != one->round || turns[m->turn].step != turns[one->turn].step)
            return false;
    }
    return round->even;
}

void dts_walk_skip_alike(struct walk *w)
{
    if (w->ready_count == 0)
        return;
    if (!is_together(w)) {
        w->together = NONE;
        return;
    }
    const struct member *one = &w->members[w->ready[0]];
    const struct dts_script *s = w->rounds[one->round].script;
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
            dts_walk_next_turn(w, m);
        }
}
