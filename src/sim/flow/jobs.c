/* jobs.c -- several jobs on one network: their ranks, and the steps of neighbours. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sim/flow/flow.h"

/* So many steps in a row that take no time, and a lane stands until another one of its rank has
 * done a step that does. */
enum { MOST_TIMELESS = 64 };

static struct dts_neighbour first_of(const struct dts_simulation *s)
{
    return (struct dts_neighbour){.job = s->job,
                                  .endpoint = s->endpoint,
                                  .slowdown = s->slowdown,
                                  .reduce_bytes_per_s = s->reduce_bytes_per_s,
                                  .noise = s->noise,
                                  .compute_factor = s->compute_factor};
}

void dts_flow_jobs_open(struct dts_flow *f)
{
    const struct dts_simulation *s = f->simulation;
    f->job_count = 1 + s->neighbour_count;
    f->jobs = dts_alloc((size_t)f->job_count, sizeof(*f->jobs));
    for (int j = 0; j < f->job_count; j++) {
        struct dts_flow_job *job = &f->jobs[j];
        job->of = j == 0 ? first_of(s) : s->neighbours[j - 1];
        job->workers = dts_job_workers(job->of.job);
        job->first_rank = f->rank_count;
        f->rank_count += job->of.job->ranks;
    }
    f->ranks = dts_alloc((size_t)f->rank_count, sizeof(*f->ranks));
    f->endpoint = dts_alloc((size_t)f->rank_count, sizeof(*f->endpoint));
    for (int j = 0; j < f->job_count; j++)
        memcpy(&f->endpoint[f->jobs[j].first_rank], f->jobs[j].of.endpoint,
               (size_t)f->jobs[j].of.job->ranks * sizeof(*f->endpoint));
}

static void end_step(struct dts_flow *f, const struct dts_flow_lane *lane)
{
    struct dts_flow_job *job = &f->jobs[lane->job];
    const int step = lane->step - 1;
    if (step >= job->begun) {
        job->begun = step + 1;
        job->ended =
            dts_grow(job->ended, &job->ended_room, (size_t)job->begun, sizeof(*job->ended));
        job->step_ends = dts_grow(job->step_ends, &job->ends_room, (size_t)job->begun,
                                  sizeof(*job->step_ends));
    }
    job->step_ends[step] = f->now_s; // time does not go back: the latest so far
    if (++job->ended[step] == job->enders)
        job->steps = step + 1;
}

static void wake_standing(struct dts_flow *f, const struct dts_flow_lane *lane)
{
    const struct dts_flow_rank *rank = &f->ranks[lane->place];
    for (int other = rank->first_lane; other < rank->first_lane + rank->lane_count; other++)
        if (f->lanes[other].state == DTS_FLOW_STANDS)
            dts_flow_lane_wake(f, other);
}

bool dts_flow_job_step(struct dts_flow *f, int number)
{
    struct dts_flow_lane *lane = &f->lanes[number];
    if (lane->ends_step)
        end_step(f, lane);
    if (f->now_s > lane->step_s) {
        lane->timeless = 0;
        lane->step_s = f->now_s;
        wake_standing(f, lane);
    } else if (++lane->timeless == MOST_TIMELESS) {
        lane->timeless = 0;
        lane->state = DTS_FLOW_STANDS;
        return false;
    }
    return true;
}

void dts_flow_jobs_close(struct dts_flow *f)
{
    const int count = f->job_count - 1;
    if (count == 0)
        return;
    f->timing->neighbours = dts_alloc((size_t)count, sizeof(*f->timing->neighbours));
    for (int j = 1; j <= count; j++) {
        const struct dts_flow_job *job = &f->jobs[j];
        const int steps = job->steps;
        f->timing->neighbours[j - 1] = (struct dts_neighbour_time){
            .steps = steps,
            .step_s = steps > 1 ? (job->step_ends[steps - 1] - job->step_ends[0]) / (steps - 1)
                                : NAN};
    }
}

void dts_flow_jobs_free(struct dts_flow *f)
{
    for (int j = 0; j < f->job_count; j++) {
        free(f->jobs[j].ended);
        free(f->jobs[j].step_ends);
    }
    free(f->jobs);
    free(f->ranks);
    free(f->endpoint);
}
