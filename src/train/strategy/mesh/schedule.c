/* schedule.c -- the table of schedules, and how many microbatches they keep. */
#include "train/strategy/mesh/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

extern const struct dts_pipeline_schedule dts_pipeline_gpipe;
extern const struct dts_pipeline_schedule dts_pipeline_1f1b;
extern const struct dts_pipeline_schedule dts_pipeline_eager_1f1b;
extern const struct dts_pipeline_schedule dts_pipeline_interleaved;
extern const struct dts_pipeline_schedule dts_pipeline_zb_h1;
extern const struct dts_pipeline_schedule dts_pipeline_dualpipe;

const struct dts_pipeline_schedule *const dts_pipeline_schedules[] = {
    &dts_pipeline_1f1b,
    &dts_pipeline_gpipe,
    &dts_pipeline_eager_1f1b,
    &dts_pipeline_interleaved,
    &dts_pipeline_zb_h1,
    &dts_pipeline_dualpipe,
    NULL,
};

const struct dts_pipeline_schedule *dts_pipeline_schedule_find(const char *name)
{
    for (int i = 0; dts_pipeline_schedules[i] != NULL; i++)
        if (strcmp(dts_pipeline_schedules[i]->name, name) == 0)
            return dts_pipeline_schedules[i];
    return NULL;
}

const char *dts_pipeline_schedule_name(int i)
{
    return dts_pipeline_schedules[i] != NULL ? dts_pipeline_schedules[i]->name : NULL;
}

int dts_pipeline_most_passes(const struct dts_pipeline_shape *shape)
{
    return 3 * shape->chunks * shape->microbatches;
}

bool dts_pipeline_is_last(enum dts_pass pass)
{
    return pass == DTS_BACKWARD || pass == DTS_BACKWARD_WEIGHT;
}

struct dts_pipeline_place dts_pipeline_place(const struct dts_pipeline_schedule *schedule,
                                             const struct dts_pipeline_shape *shape, int stage,
                                             int chunk)
{
    if (schedule->place != NULL)
        return schedule->place(shape, stage, chunk);
    return (struct dts_pipeline_place){.part = chunk * shape->stages + stage};
}

int dts_pipeline_copies(const struct dts_pipeline_schedule *schedule)
{
    return schedule->copies > 0 ? schedule->copies : 1;
}

int dts_pipeline_parts(const struct dts_pipeline_schedule *schedule,
                       const struct dts_pipeline_shape *shape)
{
    return shape->stages * shape->chunks / dts_pipeline_copies(schedule);
}

bool dts_pipeline_find(const struct dts_pipeline_schedule *schedule,
                       const struct dts_pipeline_shape *shape, struct dts_pipeline_place place,
                       int *stage, int *chunk)
{
    for (*stage = 0; *stage < shape->stages; ++*stage)
        for (*chunk = 0; *chunk < shape->chunks; ++*chunk) {
            const struct dts_pipeline_place here =
                dts_pipeline_place(schedule, shape, *stage, *chunk);
            if (here.part == place.part && here.copy == place.copy)
                return true;
        }
    return false;
}

int dts_pipeline_first_microbatch(const struct dts_pipeline_schedule *schedule,
                                  const struct dts_pipeline_shape *shape, int copy)
{
    return copy * (shape->microbatches / dts_pipeline_copies(schedule));
}

int dts_pipeline_alternate(const struct dts_pipeline_shape *shape, int before,
                           struct dts_pipeline_pass *passes)
{
    const int m = shape->microbatches, warm = before < m ? before : m;
    int n = 0;
    for (int i = 0; i < warm; i++)
        passes[n++] = (struct dts_pipeline_pass){.pass = DTS_FORWARD, .microbatch = i};
    for (int i = warm; i < m; i++) {
        passes[n++] = (struct dts_pipeline_pass){.pass = DTS_FORWARD, .microbatch = i};
        passes[n++] = (struct dts_pipeline_pass){.pass = DTS_BACKWARD, .microbatch = i - warm};
    }
    for (int i = m - warm; i < m; i++)
        passes[n++] = (struct dts_pipeline_pass){.pass = DTS_BACKWARD, .microbatch = i};
    return n;
}

void dts_pipeline_slots(const struct dts_pipeline_shape *shape,
                        const struct dts_pipeline_pass *passes, int length, int *slots,
                        int *most)
{
    const int each = shape->microbatches;
    bool *taken = dts_alloc((size_t)(shape->chunks * each), sizeof(*taken));
    int *slot_of = dts_alloc((size_t)(shape->chunks * each), sizeof(*slot_of));
    for (int c = 0; c < shape->chunks; c++)
        most[c] = 0;
    for (int i = 0; i < length; i++) {
        const struct dts_pipeline_pass *p = &passes[i];
        bool *free_of = taken + p->chunk * each;
        int *slot = &slot_of[p->chunk * each + p->microbatch];
        if (p->pass == DTS_FORWARD) {
            *slot = 0;
            while (free_of[*slot])
                ++*slot;
            free_of[*slot] = true;
            most[p->chunk] = *slot + 1 > most[p->chunk] ? *slot + 1 : most[p->chunk];
        }
        slots[i] = *slot;
        if (dts_pipeline_is_last(p->pass))
            free_of[*slot] = false;
    }
    free(taken);
    free(slot_of);
}

int *dts_pipeline_most(const struct dts_pipeline_schedule *schedule,
                       const struct dts_pipeline_shape *shape, int stage)
{
    const size_t room = (size_t)dts_pipeline_most_passes(shape);
    struct dts_pipeline_pass *passes = dts_alloc(room, sizeof(*passes));
    int *slots = dts_alloc(room, sizeof(*slots));
    int *most = dts_alloc((size_t)shape->chunks, sizeof(*most));
    dts_pipeline_slots(shape, passes, schedule->list(shape, stage, passes), slots, most);
    free(passes);
    free(slots);
    return most;
}
