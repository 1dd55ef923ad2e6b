/* fluid.c -- the engine `fluid`: one representative rank for each role, one transfer for all
 * messages of an operation.
 *
 * Lanes (a stream of a role) walk the plan. A call runs for its seconds, slower while its rank
 * communicates. A collective becomes a transfer when the lane reaches it, an exchange when both
 * sides have. A transfer goes through the phases of its load (load.h), at the rate that is left
 * to it by the others under way (share.h). Time jumps from one completion to the next.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/stats.h"
#include "plan/run.h"
#include "sim/engine.h"
#include "sim/load.h"
#include "sim/share.h"

enum lane_state {
    WAITING,   // for other operations
    CALLING,   // a kernel runs
    MEETING,   // an exchange whose other side is not there yet
    SENDING,   // a transfer is under way
    FINISHING, // what was sent is on its way: latency that does not block
    FINISHED,  // all steps done
};

struct lane {
    const struct dts_role *role;
    int role_number;
    enum dts_stream stream;
    int step, op; // where it is; op == op_count: the step is over
    enum lane_state state;
    double left_s; // CALLING: at full speed; FINISHING
    int transfer;  // SENDING
};

struct transfer {
    bool active;
    const struct dts_load *load;
    int phase;
    double left;          // repetitions of the phase
    double repetition_s;  // at the rate of now
    int sender, receiver; // lanes; receiver -1: a collective
    double after_s;       // until the receiver has it
};

struct fluid {
    const struct dts_simulation *simulation;
    struct dts_timing *timing;
    struct dts_loader *loader;
    struct dts_sharer *sharer;
    struct lane *lanes;
    int lane_count;
    struct transfer *transfers; // one for each lane that may send
    const struct dts_phase **phases;
    double *rates;
    int *done;     // by op of all roles: in how many steps
    int *talking;  // by role: communications under way, which slow its kernels
    double *noise; // by role: factor on its kernels
    double now, *step_ends;
};

static int op_index(const struct fluid *f, const struct lane *lane, int op)
{
    return f->timing->first_op[lane->role_number] + op;
}

static const struct dts_op *op_of(const struct lane *lane)
{
    return &lane->role->plan.ops[lane->op];
}

static bool waits_are_over(const struct fluid *f, const struct lane *lane)
{
    const struct dts_op *op = op_of(lane);
    for (int w = 0; w < op->wait_count; w++) {
        struct dts_wait wait = lane->role->plan.waits[op->first_wait + w];
        if (f->done[op_index(f, lane, wait.op)] <= lane->step - wait.previous_step)
            return false;
    }
    return true;
}

static void go_to_next_op(const struct fluid *f, struct lane *lane)
{
    const struct dts_plan *plan = &lane->role->plan;
    lane->state = WAITING;
    do {
        if (++lane->op >= plan->op_count) {
            lane->op = 0;
            lane->step++;
        }
        if (lane->step == f->simulation->steps) {
            lane->state = FINISHED;
            return;
        }
    } while (plan->ops[lane->op].stream != lane->stream);
}

/* Does the end of this operation count as the end of the step? */
static bool ends_step(const struct fluid *f, const struct lane *lane)
{
    return lane->role_number == 0 &&
           (lane->stream == DTS_COMPUTE ||
            !dts_plan_uses(&f->simulation->job->roles[0].plan, DTS_COMPUTE));
}

static void complete(struct fluid *f, struct lane *lane)
{
    const struct dts_op *op = op_of(lane);
    int index = op_index(f, lane, lane->op);
    f->done[index] = lane->step + 1;
    f->timing->ops[index].end_s = f->now;
    if (op->kind != DTS_OP_CALL)
        f->talking[lane->role_number]--;
    if (ends_step(f, lane))
        f->step_ends[lane->step] = fmax(f->step_ends[lane->step], f->now);
    if (lane->step == f->simulation->steps - 1 && lane->role_number == 0 &&
        op->kind == DTS_OP_CALL && lane->stream == DTS_COMPUTE)
        f->timing->compute_s += f->now - f->timing->ops[index].start_s;
    go_to_next_op(f, lane);
}

/* Noise and slowdown act on what the device computes, not on fixed times. */
static bool is_kernel(const struct dts_op *op)
{
    enum dts_pass pass = op->call.pass;
    return op->stream == DTS_COMPUTE &&
           (pass == DTS_FORWARD || pass == DTS_BACKWARD || pass == DTS_UPDATE);
}

static void begin_transfer(struct fluid *f, int sender, int receiver)
{
    struct lane *lane = &f->lanes[sender];
    struct transfer *t = &f->transfers[sender];
    *t = (struct transfer){.active = true, .sender = sender, .receiver = receiver};
    t->load = dts_loader_count(f->loader, lane->role, lane->op);
    t->left = t->load->phase_count > 0 ? t->load->phases[0].repeat : 0;
    lane->state = SENDING;
    lane->transfer = sender;
    if (receiver >= 0) {
        struct lane *other = &f->lanes[receiver];
        const struct dts_load *received = dts_loader_count(f->loader, other->role, other->op);
        t->after_s = received->phases[0].lap_s;
        other->state = SENDING;
        other->transfer = sender;
    }
}

/* The lane at the other side of an exchange, if it is there; -1: not yet. */
static int other_side(const struct fluid *f, const struct lane *lane)
{
    const struct dts_exchange *mine = &op_of(lane)->exchange;
    for (int i = 0; i < f->lane_count; i++) {
        const struct lane *other = &f->lanes[i];
        if (other == lane || other->state != MEETING || other->stream != lane->stream ||
            other->step != lane->step)
            continue;
        const struct dts_exchange *theirs = &op_of(other)->exchange;
        if (theirs->channel == mine->channel && theirs->send != mine->send)
            return i;
    }
    return -1;
}

static void begin(struct fluid *f, int number)
{
    struct lane *lane = &f->lanes[number];
    const struct dts_op *op = op_of(lane);
    f->timing->ops[op_index(f, lane, lane->op)].start_s = f->now;
    if (op->kind == DTS_OP_CALL) {
        lane->state = CALLING;
        lane->left_s = op->call.seconds * (is_kernel(op) ? f->noise[lane->role_number] : 1);
        return;
    }
    f->talking[lane->role_number]++;
    if (op->kind == DTS_OP_COLLECTIVE) {
        begin_transfer(f, number, -1);
        return;
    }
    lane->state = MEETING;
    if (op->exchange.peer_count == 0) {
        complete(f, lane);
        return;
    }
    int other = other_side(f, lane);
    if (other >= 0)
        begin_transfer(f, op->exchange.send ? number : other,
                       op->exchange.send ? other : number);
}

/* Start all that can start now. */
static void start_lanes(struct fluid *f)
{
    bool started = true;
    while (started) {
        started = false;
        for (int i = 0; i < f->lane_count; i++)
            if (f->lanes[i].state == WAITING && waits_are_over(f, &f->lanes[i])) {
                begin(f, i);
                started = true;
            }
    }
}

static double call_speed(const struct fluid *f, const struct lane *lane)
{
    bool slow = is_kernel(op_of(lane)) && f->talking[lane->role_number] > 0;
    return slow ? 1 / (1 + f->simulation->slowdown) : 1;
}

/* How long a repetition of each transfer takes, now that these are under way together. */
static void set_rates(struct fluid *f)
{
    int count = 0;
    for (int i = 0; i < f->lane_count; i++)
        if (f->transfers[i].active && f->transfers[i].phase < f->transfers[i].load->phase_count)
            f->phases[count++] = &f->transfers[i].load->phases[f->transfers[i].phase];
    if (count > 1)
        dts_share(f->sharer, f->phases, count, f->rates);

    for (int i = 0, n = 0; i < f->lane_count; i++) {
        struct transfer *t = &f->transfers[i];
        if (!t->active || t->phase >= t->load->phase_count)
            continue;
        const struct dts_phase *phase = f->phases[n];
        double alone_s = fmax(phase->load_s[0], phase->load_s[1]);
        double rate = count > 1 && alone_s > 0 ? f->rates[n] * alone_s / phase->bytes : 1;
        t->repetition_s = dts_phase_seconds(phase, fmin(rate, 1));
        n++;
    }
}

static double transfer_left_s(const struct transfer *t)
{
    return t->phase < t->load->phase_count ? t->left * t->repetition_s : 0;
}

/* Seconds until something completes; INFINITY: nothing is under way. */
static double next_completion(const struct fluid *f)
{
    double least = INFINITY;
    for (int i = 0; i < f->lane_count; i++) {
        const struct lane *lane = &f->lanes[i];
        if (lane->state == CALLING)
            least = fmin(least, lane->left_s / call_speed(f, lane));
        else if (lane->state == FINISHING)
            least = fmin(least, lane->left_s);
        if (f->transfers[i].active)
            least = fmin(least, transfer_left_s(&f->transfers[i]));
    }
    return least;
}

static void end_transfer(struct fluid *f, struct transfer *t)
{
    t->active = false;
    if (t->receiver >= 0) {
        f->lanes[t->receiver].state = FINISHING;
        f->lanes[t->receiver].left_s = t->after_s;
    }
    complete(f, &f->lanes[t->sender]);
}

static void advance_transfer(struct fluid *f, struct transfer *t, double elapsed, double nearly)
{
    if (transfer_left_s(t) > nearly) {
        t->left -= elapsed / t->repetition_s;
        return;
    }
    if (++t->phase < t->load->phase_count)
        t->left = t->load->phases[t->phase].repeat;
    else
        end_transfer(f, t);
}

/* Let time pass. What completes within rounding of `elapsed` completes now, so that equal times
 * stay equal. Speeds are those from before any of it completed. */
static void advance(struct fluid *f, double elapsed)
{
    double nearly = elapsed * (1 + 1e-12) + 1e-15;
    double *left_s =
        f->rates; // by lane: what is left of its call; the rates are not needed now
    for (int i = 0; i < f->lane_count; i++) {
        struct lane *lane = &f->lanes[i];
        bool timed = lane->state == CALLING || lane->state == FINISHING;
        double speed = lane->state == CALLING ? call_speed(f, lane) : 1;
        left_s[i] = timed ? lane->left_s / speed : INFINITY;
        lane->left_s -= elapsed * speed;
    }
    f->now += elapsed;
    for (int i = 0; i < f->lane_count; i++) {
        struct lane *lane = &f->lanes[i];
        if (left_s[i] <= nearly)
            complete(f, lane);
        else if (f->transfers[i].active)
            advance_transfer(f, &f->transfers[i], elapsed, nearly);
    }
}

static bool is_over(const struct fluid *f)
{
    for (int i = 0; i < f->lane_count; i++)
        if (f->lanes[i].state != FINISHED)
            return false;
    return true;
}

/* A plan that cannot go on is an error of ours: plans are checked when they are built. */
static bool fail_stuck(const struct fluid *f, struct dts_error *err)
{
    for (int i = 0; i < f->lane_count; i++) {
        const struct lane *lane = &f->lanes[i];
        if (lane->state != FINISHED)
            return dts_fail(err, DTS_SYSTEM,
                            "fluid: the plan cannot go on: %s waits at \"%s\" in step %d",
                            lane->role->name, op_of(lane)->label, lane->step + 1);
    }
    return true;
}

static void add_lanes(struct fluid *f, const struct dts_job *job)
{
    size_t most = (size_t)job->role_count * DTS_STREAMS;
    f->lanes = dts_alloc(most, sizeof(*f->lanes));
    f->transfers = dts_alloc(most, sizeof(*f->transfers));
    f->phases = dts_alloc(most, sizeof(*f->phases));
    f->rates = dts_alloc(most, sizeof(*f->rates));
    for (int r = 0; r < job->role_count; r++)
        for (enum dts_stream s = 0; s < DTS_STREAMS; s++) {
            if (!dts_plan_uses(&job->roles[r].plan, s))
                continue;
            struct lane *lane = &f->lanes[f->lane_count++];
            *lane =
                (struct lane){.role = &job->roles[r], .role_number = r, .stream = s, .op = -1};
            go_to_next_op(f, lane);
        }
}

static void set_noise(struct fluid *f, const struct dts_simulation *simulation)
{
    const struct dts_noise *noise = &simulation->noise;
    double sigma = hypot(noise->device_sigma, noise->step_sigma);
    for (int r = 0; r < simulation->job->role_count; r++)
        f->noise[r] = 1 + sigma * dts_expected_maximum(simulation->job->roles[r].count);
}

static void open_timing(const struct dts_job *job, struct dts_timing *timing)
{
    *timing = (struct dts_timing){0};
    timing->first_op = dts_alloc((size_t)job->role_count + 1, sizeof(*timing->first_op));
    for (int r = 0; r < job->role_count; r++)
        timing->first_op[r + 1] = timing->first_op[r] + job->roles[r].plan.op_count;
    timing->ops = dts_alloc((size_t)timing->first_op[job->role_count], sizeof(*timing->ops));
}

/* Times become relative to the beginning of the last step. */
static void close_timing(struct fluid *f)
{
    const struct dts_simulation *s = f->simulation;
    struct dts_timing *timing = f->timing;
    double last = f->step_ends[s->steps - 1], first = f->step_ends[0];
    timing->step_s = (last - first) / (s->steps - 1);
    timing->first_s = f->step_ends[s->steps - 2];
    for (int o = 0; o < timing->first_op[s->job->role_count]; o++) {
        timing->ops[o].start_s -= timing->first_s;
        timing->ops[o].end_s -= timing->first_s;
    }
    for (int r = 0; r < s->job->role_count; r++)
        for (int o = 0; o < s->job->roles[r].plan.op_count; o++) {
            const struct dts_op *op = &s->job->roles[r].plan.ops[o];
            if (op->kind != DTS_OP_CALL)
                timing->messages +=
                    s->steps * dts_loader_count(f->loader, &s->job->roles[r], o)->messages;
        }
}

static bool walk(struct fluid *f, struct dts_error *err)
{
    for (;;) {
        start_lanes(f);
        if (is_over(f))
            return true;
        set_rates(f);
        double elapsed = next_completion(f);
        if (isinf(elapsed))
            return fail_stuck(f, err);
        advance(f, elapsed);
    }
}

static bool run(const struct dts_simulation *simulation, struct dts_timing *timing,
                struct dts_error *err)
{
    const struct dts_job *job = simulation->job;
    struct fluid f = {.simulation = simulation, .timing = timing};
    open_timing(job, timing);
    f.loader = simulation->loader != NULL ? simulation->loader : dts_loader_new(simulation);
    f.sharer = dts_sharer_new(simulation->net);
    f.done = dts_alloc((size_t)timing->first_op[job->role_count], sizeof(*f.done));
    f.talking = dts_alloc((size_t)job->role_count, sizeof(*f.talking));
    f.noise = dts_alloc((size_t)job->role_count, sizeof(*f.noise));
    f.step_ends = dts_alloc((size_t)simulation->steps, sizeof(*f.step_ends));
    set_noise(&f, simulation);
    add_lanes(&f, job);

    bool ok = walk(&f, err);
    if (ok)
        close_timing(&f);
    else
        dts_timing_free(timing);

    if (f.loader != simulation->loader)
        dts_loader_free(f.loader);
    dts_sharer_free(f.sharer);
    free(f.lanes);
    free(f.transfers);
    free(f.phases);
    free(f.rates);
    free(f.done);
    free(f.talking);
    free(f.noise);
    free(f.step_ends);
    return ok;
}

const struct dts_engine dts_engine_fluid = {
    .name = "fluid",
    .summary = "counts the load on each link; exact where one operation is alone, and fast",
    .run = run,
};
