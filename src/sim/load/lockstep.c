/* lockstep.c -- a collective walked twice in lockstep: its period is what that adds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "plan/run.h"
#include "sim/load/lockstep.h"

enum { MOST_MESSAGES = 20000, ROUNDS = 2 };

/* When each member of the group has done its step: what it sends has left, what it receives has
 * come from a sender that had done its own last step. */
static void walk_step(const struct dts_role *role, const struct dts_collective *c, int i,
                      struct dts_step_time time, const double *before, double *after,
                      struct dts_message *messages)
{
    int stride = c->group.stride;
    for (int m = 0; m < c->group.size; m++) {
        int count = dts_collective_messages(role, c, role->first + m * stride, i, messages);
        after[m] = before[m];
        for (int k = 0; k < count; k++) {
            int peer = (messages[k].peer - role->first) / stride;
            if (messages[k].bytes > 0)
                after[m] = fmax(after[m], messages[k].send ? before[m] + time.stay_s
                                                           : before[peer] + time.hop_s);
        }
    }
}

struct dts_lockstep dts_lockstep_find(const struct dts_role *role,
                                      const struct dts_collective *c,
                                      const struct dts_step_time *steps_s, double sum_s)
{
    int steps = c->algorithm->steps(&c->shape), size = c->group.size;
    if ((double)steps * size * c->channels > MOST_MESSAGES)
        return (struct dts_lockstep){sum_s, sum_s};

    double *before = dts_alloc((size_t)size, sizeof(*before));
    double *after = dts_alloc((size_t)size, sizeof(*after));
    struct dts_message *messages =
        dts_alloc((size_t)DTS_COLL_MESSAGES * (size_t)c->channels, sizeof(*messages));
    double ends[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < steps; i++) {
            walk_step(role, c, i, steps_s[i], before, after, messages);
            memcpy(before, after, (size_t)size * sizeof(*before));
        }
        ends[r] = dts_largest(before, size);
    }
    free(before);
    free(after);
    free(messages);
    double period_s = ends[ROUNDS - 1] - ends[ROUNDS - 2];
    return (struct dts_lockstep){ends[0], fmin(ends[0], period_s)};
}
