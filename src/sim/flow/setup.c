/* setup.c -- what a run begins with, and what it answers. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "sim/flow/flow.h"

/* Which streams a plan uses, and how many of them. */
static int find_streams(const struct dts_plan *plan, bool uses[DTS_STREAMS])
{
    int count = 0;
    for (int stream = 0; stream < DTS_STREAMS; stream++)
        uses[stream] = false;
    for (int o = 0; o < plan->op_count; o++) {
        count += !uses[plan->ops[o].stream];
        uses[plan->ops[o].stream] = true;
    }
    return count;
}

static void add_lanes(struct dts_flow *f, int job, int role_number, int rank, const bool *uses)
{
    const struct dts_role *role = &f->jobs[job].of.job->roles[role_number];
    const int place = f->jobs[job].first_rank + rank;
    struct dts_flow_rank *r = &f->ranks[place];
    r->first_lane = f->lane_count;
    r->compute = uses[DTS_COMPUTE] ? f->lane_count : DTS_FLOW_NONE; // the first of all streams
    for (enum dts_stream stream = 0; stream < DTS_STREAMS; stream++)
        if (uses[stream])
            f->lanes[f->lane_count++] = (struct dts_flow_lane){
                .role = role,
                .role_number = role_number,
                .rank = rank,
                .job = job,
                .place = place,
                .stream = stream,
                .ends_step =
                    role->kind == DTS_WORKER && (stream == DTS_COMPUTE || !uses[DTS_COMPUTE]),
                .walk = {.role = role,
                         .rank = rank,
                         .stream = stream,
                         .step = f->simulation->first_step},
                .op = -1};
    r->lane_count = f->lane_count - r->first_lane;
    for (int l = r->first_lane; l < f->lane_count; l++)
        f->jobs[job].enders += f->lanes[l].ends_step;
}

/* A rank that serves has one lane. */
static void add_server(struct dts_flow *f, int role_number, int rank)
{
    const struct dts_role *role = &f->simulation->job->roles[role_number];
    struct dts_flow_rank *r = &f->ranks[rank]; // of job 0
    r->first_lane = f->lane_count;
    r->lane_count = 1;
    r->compute = DTS_FLOW_NONE;
    f->lanes[f->lane_count++] = (struct dts_flow_lane){
        .role = role, .role_number = role_number, .rank = rank, .place = rank, .op = -1};
    dts_flow_serve_open(f, r->first_lane);
}

static void add_role(struct dts_flow *f, int job, int number)
{
    const struct dts_noise *noise = &f->jobs[job].of.noise;
    const struct dts_role *role = &f->jobs[job].of.job->roles[number];
    bool uses[DTS_STREAMS];
    const int streams = find_streams(&role->plan, uses);
    f->lanes = dts_grow(f->lanes, &f->lane_room,
                        (size_t)f->lane_count + (size_t)role->count * (size_t)streams,
                        sizeof(*f->lanes));
    for (int rank = role->first; rank < role->first + role->count; rank++) {
        const int place = f->jobs[job].first_rank + rank;
        f->ranks[place].done =
            dts_alloc((size_t)role->plan.op_count, sizeof(*f->ranks[place].done));
        f->ranks[place].device_noise =
            fmax(0.1, 1 + noise->device_sigma * dts_normal(noise->seed, 1, (uint64_t)place));
        if (role->serve.rule != NULL)
            add_server(f, number, rank);
        else
            add_lanes(f, job, number, rank, uses);
    }
}

void dts_flow_open(struct dts_flow *f)
{
    const struct dts_simulation *s = f->simulation;
    const struct dts_job *job = s->job;
    dts_flow_jobs_open(f);
    f->step_ends = dts_alloc((size_t)s->steps, sizeof(*f->step_ends));
    if (dts_job_serving(job) != NULL)
        f->timing->staleness = dts_alloc(1, sizeof(*f->timing->staleness));
    if (dts_job_drifts(job))
        f->ends = dts_alloc((size_t)job->ranks * (size_t)s->steps, sizeof(*f->ends));
    f->pairs.net = s->net;
    f->queue = f->free_message = DTS_FLOW_NONE;
    for (int o = 0; o < f->timing->first_op[job->role_count]; o++)
        f->timing->ops[o] = dts_op_time_none();
    for (int j = 0; j < f->job_count; j++) {
        for (int r = 0; r < f->jobs[j].of.job->role_count; r++)
            add_role(f, j, r);
        if (j == 0)
            f->running = f->lane_count;
    }
    f->dates.place_of_lane = dts_alloc((size_t)f->lane_count, sizeof(int));
    for (int l = 0; l < f->lane_count; l++)
        f->dates.place_of_lane[l] = DTS_FLOW_NONE;
}

void dts_flow_start(struct dts_flow *f)
{
    for (int l = 0; l < f->lane_count; l++)
        if (f->lanes[l].server != NULL)
            dts_flow_serve_start(f, l);
        else if (f->jobs[f->lanes[l].job].of.start_s > 0)
            dts_flow_date_set(f, l, f->jobs[f->lanes[l].job].of.start_s);
        else
            dts_flow_lane_wake(f, l);
    dts_flow_lanes_go_on(f);
}

/* A plan that cannot go on is an error of ours: plans are checked when they are built. Who is
 * furthest behind keeps the others. */
static bool check_finished(const struct dts_flow *f, const char *engine, struct dts_error *err)
{
    const struct dts_flow_lane *stuck = NULL;
    for (int i = 0; i < f->lane_count; i++) {
        const struct dts_flow_lane *lane = &f->lanes[i];
        if (lane->job == 0 && lane->state != DTS_FLOW_FINISHED &&
            (stuck == NULL || lane->step < stuck->step))
            stuck = lane;
    }
    if (stuck == NULL)
        return true;
    const bool waits = stuck->state == DTS_FLOW_WAITS;
    const int op = waits ? stuck->awaited_op : stuck->op < 0 ? 0 : stuck->op;
    return dts_fail(
        err, DTS_SYSTEM,
        "%s: the plan cannot go on: %s %d (rank %d) waits %s \"%s\" on stream %s in "
        "step %d",
        engine, stuck->role->name, stuck->rank - stuck->role->first, stuck->rank,
        waits ? "for" : "in", stuck->role->plan.ops[op].label, dts_stream_name(stuck->stream),
        stuck->step + 1);
}

static void tear_down(struct dts_flow *f)
{
    for (int l = 0; l < f->lane_count; l++) {
        dts_walk_free(&f->lanes[l].walk);
        free(f->lanes[l].mail);
        free(f->lanes[l].arrivals);
        free(f->lanes[l].known);
        dts_flow_serve_free(f->lanes[l].server);
    }
    for (int r = 0; r < f->rank_count; r++)
        free(f->ranks[r].done);
    dts_flow_jobs_free(f);
    free(f->lanes);
    free(f->step_ends);
    free(f->ends);
    free(f->dates.queue.heap);
    free(f->dates.place_of_lane);
    free(f->boxes);
    free(f->messages);
    dts_map_free(&f->box_numbers);
    dts_endpoint_pairs_free(&f->pairs);
}

/* Workers that do not wait for each other: their rates while all of them run. Means are over
 * gradients: who makes more of them counts more. */
static void set_drifting_steps(struct dts_flow *f)
{
    const struct dts_job *job = f->simulation->job;
    const int steps = f->simulation->steps;
    double until_s = INFINITY, rates = 0, last_s = 0, compute_s = 0;
    for (int rank = 0; rank < job->ranks; rank++)
        if (dts_job_role(job, rank)->kind == DTS_WORKER)
            until_s = fmin(until_s, f->ends[rank * steps + steps - 1]);
    for (int rank = 0; rank < job->ranks; rank++) {
        const double *ends = &f->ends[rank * steps];
        if (dts_job_role(job, rank)->kind != DTS_WORKER)
            continue;
        const double rate = dts_drifting_rate(ends, steps, dts_job_period(job), until_s);
        rates += rate;
        compute_s += rate * f->ranks[rank].compute_s;
        last_s = fmax(last_s, ends[steps - 1]);
    }
    f->timing->step_s = f->jobs[0].workers / rates;
    f->timing->compute_s = compute_s / rates;
    f->timing->first_s = 0;
    f->timing->mean_s = last_s / steps;
}

/* The mean of all workers. */
static void set_compute(struct dts_flow *f)
{
    const struct dts_job *job = f->simulation->job;
    for (int rank = 0; rank < job->ranks; rank++)
        f->timing->compute_s += f->ranks[rank].compute_s / f->jobs[0].workers;
}

/* Times of operations of workers that drift apart count from their own rank's step already. */
static void set_steps(struct dts_flow *f)
{
    double *zeros = dts_alloc((size_t)f->simulation->steps, sizeof(*zeros));
    const bool drifts = f->ends != NULL && f->simulation->steps > 1;
    dts_timing_steps(f->timing, f->simulation, drifts ? zeros : f->step_ends);
    free(zeros);
}

bool dts_flow_close(struct dts_flow *f, const char *engine, struct dts_error *err)
{
    const bool ok = check_finished(f, engine, err);
    if (ok) {
        set_steps(f);
        if (f->ends != NULL && f->simulation->steps > 1)
            set_drifting_steps(f);
        else
            set_compute(f);
        f->timing->messages = f->sent;
        dts_flow_jobs_close(f);
    }
    tear_down(f);
    return ok;
}
