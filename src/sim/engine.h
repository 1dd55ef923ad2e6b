/* engine.h -- what an engine is given and what it answers; rows: exact, exact_spread, flow,
 * fluid.
 *
 * All walk the same job over the same network for `steps` steps. A step ends with the latest
 * end of its DTS_COMPUTE operations on workers. Times of an operation are those of the last
 * step in which it acts (none: NAN), in seconds since the end of the step before. The start of
 * an operation is the latest begin among the ranks of the role that take part, its end the
 * latest completion. Ranks that began earlier have waited for the others since, as far as they
 * depend on each other.
 */
#ifndef DTS_SIM_ENGINE_H
#define DTS_SIM_ENGINE_H

#include <stdint.h>

#include "base/progress.h"
#include "plan/plan.h"
#include "sim/net/net.h"

/* How compute times scatter (docs/model.md, "Stragglers"); 0: they do not. */
struct dts_noise {
    double device_sigma; // of the factor of a device, the same in all steps: 1 + sigma * normal
    double step_sigma;   // of a further factor for each device and step
    uint64_t seed;
};

/* Another job on the same network. It begins at start_s, in seconds after the first one, and
 * repeats its steps until the first one has done its own. Numbers are as in dts_simulation. */
struct dts_neighbour {
    const struct dts_job *job; // whose servers wait for all of its workers
    const int *endpoint;
    double start_s;
    double slowdown, reduce_bytes_per_s;
    struct dts_noise noise;
    const double *compute_factor;
};

struct dts_simulation {
    const struct dts_job *job;
    const struct dts_net *net;
    const int *endpoint; // of each rank
    int steps; // >= 2: the first fills pipes and is not counted in step_s; 1: from rest

    /* Which step of the training the first of them is, counted from 0: where operations act in
     * some steps only (plan/plan.h). */
    long first_step;

    /* Of servers that answer as requests come: more steps than that, until the pace is steady.
     */
    bool settles;

    /* Kernels of a rank run at 1 / (1 + slowdown) of their speed while it communicates; its
     * messages run at 1 / (1 + message_slowdown) of their rate while its kernels run. */
    double slowdown, message_slowdown;

    /* A device sums arriving gradients at this rate, counted once per arriving byte; 0: sums
     * take no time. The rate of a transport has precedence. */
    double reduce_bytes_per_s;

    struct dts_noise noise;

    /* Kernels of a rank take so many times as long, by rank; NULL: all take as long as the plan
     * says. */
    const double *compute_factor;

    const struct dts_neighbour *neighbours; // other jobs; NULL: there are none
    int neighbour_count;

    /* Loads that fluid counted before, of the same job, network and ranks; NULL: none. */
    struct dts_loader *loader;

    struct dts_progress *progress; // where the engine says how far it is; NULL: nowhere
};

/* Where operations act in some steps only: whole periods of the long run, from the end of one
 * on, so that the step that is not counted is the last of a period, too. */
void dts_simulation_settle(struct dts_simulation *simulation);

static inline double dts_compute_factor(const struct dts_simulation *simulation, int rank)
{
    return simulation->compute_factor != NULL ? simulation->compute_factor[rank] : 1;
}

/* The last of the simulation's steps, counted from 0, in which an operation acts, whose times
 * are noted; -1: it acts in none of them. */
int dts_engine_last_step(const struct dts_simulation *simulation, const struct dts_when *when);

struct dts_op_time {
    double start_s, end_s;
};

/* The time of an operation over the ranks that take part: dts_op_time_none() has no rank yet,
 * dts_op_time_add() adds one. */
struct dts_op_time dts_op_time_none(void);
void dts_op_time_add(struct dts_op_time *time, double begin_s, double end_s);

/* A neighbour's steps that ended before the first job's last one. */
struct dts_neighbour_time {
    int steps;
    double step_s; // mean over steps 2 .. steps; NAN: there are fewer than two
};

struct dts_timing {
    double step_s; // mean over steps 2 .. steps; of a single step from rest to its end

    /* The DTS_COMPUTE calls of a worker in the last step in which they act, by the share of
     * steps in which they do, mean over all workers. Includes the slowdown by communication,
     * noise, and factors of ranks. Where workers drift apart without servers: in the mean over
     * the second half of the steps. */
    double compute_s;

    /* In so many steps everything repeats: times of operations that act in some of them only
     * count by that share in a step. 0 or 1: all steps are alike, or the times are those of
     * one. */
    int period;

    double first_s;  // when the last step began, in simulated seconds
    double mean_s;   // mean over all steps; the first of them begins from rest
    double messages; // exact, flow: all that were simulated; fluid: those that it stands for

    /* Why this answer may be further off than the engine promises, and how far; NULL: it is
     * not. Static. */
    const char *limits;

    /* Of a job with servers that answer in the order of requests; owned; NULL: of another one.
     * There step_s is the harmonic mean of the workers' steps while all of them run, without
     * the first half, compute_s the mean over their gradients, and times of operations count
     * from the begin of their own rank's step. Those of such servers are of requests: from the
     * begin of the last step of whoever asks, a receive from when its request is sent. */
    struct dts_stale_counts *staleness;

    struct dts_neighbour_time *neighbours; // as many as there were; owned; NULL: none

    int *first_op; // of role r in ops; role_count + 1 entries
    struct dts_op_time *ops;
};

/* Of a worker that does not wait for the others: its steps in a second, from ends of its steps.
 * Counted without the first half, in which workers part, and until `until_s`, when the first of
 * them has done its last step; in whole periods (plan/plan.h), if there is one. */
double dts_drifting_rate(const double *ends_s, int steps, int period, double until_s);

/* Makes room for all operations of the job; all times are zero. */
void dts_timing_open(const struct dts_job *job, struct dts_timing *timing);
void dts_timing_free(struct dts_timing *timing);

/* What follows from when each of the steps ended, in simulated seconds; the times of an
 * operation count from the begin of its step from here on. */
void dts_timing_steps(struct dts_timing *timing, const struct dts_simulation *simulation,
                      const double *ends_s);

struct dts_engine {
    const char *name, *summary;
    bool slows_messages; // takes message_slowdown into account; else it must be 0
    bool serves; // knows servers that answer in the order of requests (plan/serve.h), and jobs
                 // whose workers drift apart (plan/plan.h)
    bool shares; // knows neighbours

    /* Messages that it simulates in a second on a quiet network; 0: it does not take each, or
     * this build has it not. */
    double messages_per_s;
    bool (*run)(const struct dts_simulation *simulation, struct dts_timing *timing,
                struct dts_error *err);
};

extern const struct dts_engine *const dts_engines[];        // ended by NULL
const struct dts_engine *dts_engine_find(const char *name); // NULL for none such, and "auto"
const char *dts_engine_name(int i);                         // "auto" first

/* Links of a network that `exact` takes: SimGrid needs some 900 bytes for each. */
enum { DTS_EXACT_MOST_LINKS = 1 << 22 };

/* The engine that "auto" picks: flow where there are neighbours, and where its messages are few
 * and each pair of ranks has one path. */
const struct dts_engine *dts_engine_auto(const struct dts_simulation *simulation);

/* For many predictions: fluid, which takes no time for each message; flow where fluid does not
 * know the job. */
const struct dts_engine *dts_engine_quick(const struct dts_simulation *simulation);

#endif
