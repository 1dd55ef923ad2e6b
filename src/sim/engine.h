/* engine.h -- what an engine is given and what it answers. Two rows: exact, fluid.
 *
 * Both walk the same job over the same network for `steps` steps. Times of an operation are of
 * the last step, in seconds since the step began (the end of the step before), over the ranks
 * of the role that take part: start is the latest begin, end the latest completion. Who began
 * earlier has waited for the others since, as far as they depend on each other. The end of a
 * step is the latest end of its DTS_COMPUTE operations in role 0.
 */
#ifndef DTS_SIM_ENGINE_H
#define DTS_SIM_ENGINE_H

#include <stdint.h>

#include "base/progress.h"
#include "plan/plan.h"
#include "sim/net/net.h"

/* How compute times scatter (docs/model.md, "Stragglers"). 0: not at all. */
struct dts_noise {
    double device_sigma; // a factor of each device, the same in all steps: 1 + sigma * normal
    double step_sigma;   // a factor of each device and step, on the whole compute of the step
    uint64_t seed;
};

struct dts_simulation {
    const struct dts_job *job;
    const struct dts_net *net;
    const int *endpoint; // of each rank
    int steps;       // >= 2: the first fills pipes and is not counted in step_s; 1: from rest
    double slowdown; // while a communication of this rank runs, its kernels run at 1/(1+s)
    double message_slowdown; // while its kernels run, messages of a rank run at 1/(1+this)
    double
        reduce_bytes_per_s; // a device sums arriving gradients at this rate (counted once per
                            // arriving byte); 0: free. A transport's own rate goes first.
    struct dts_noise noise;
    struct dts_loader *loader; // loads that fluid counted before, of the same job, network and
                               // ranks; NULL: it counts anew
    struct dts_progress *progress; // where the engine says how far it is; NULL: to nobody
};

struct dts_op_time {
    double start_s, end_s;
};

/* Over the ranks that take part, as simulated or measured: first none of them, then one more.
 */
struct dts_op_time dts_op_time_none(void);
void dts_op_time_add(struct dts_op_time *time, double begin_s, double end_s);

struct dts_timing {
    double step_s;      // mean over steps 2 .. steps; of a single step from rest to its end
    double compute_s;   // sum of DTS_COMPUTE calls of one rank of role 0 in the last step (mean
                        // over ranks), slowdown by communication and noise included
    double first_s;     // when the last step began, in simulated seconds
    double mean_s;      // mean over all steps, the first one, that begins from rest, included
    double messages;    // simulated one by one; fluid: that the engine did not have to
    const char *limits; // why this answer may be further off than the engine promises, and how
                        // far; NULL: it is not. Static
    int *first_op;      // of role r in ops; role_count + 1 entries
    struct dts_op_time *ops;
};

/* Room for all operations of the job, all zero. */
void dts_timing_open(const struct dts_job *job, struct dts_timing *timing);
void dts_timing_free(struct dts_timing *timing);

/* What follows from when each of `steps` steps ended, in simulated seconds; the times of
 * operations, which are of the last step, count from its begin from here on. */
void dts_timing_steps(struct dts_timing *timing, const double *ends_s, int steps, int ops);

struct dts_engine {
    const char *name, *summary;
    bool slows_messages; // knows message_slowdown; else that must be 0
    bool (*run)(const struct dts_simulation *simulation, struct dts_timing *timing,
                struct dts_error *err);
};

extern const struct dts_engine *const dts_engines[];        // ended by NULL
const struct dts_engine *dts_engine_find(const char *name); // NULL for none such, and "auto"
const char *dts_engine_name(int i);                         // "auto" first

/* How many messages exact simulates in a second (exact.c); 0: this build has no SimGrid. */
extern const double dts_exact_messages_per_s;

/* The engine that "auto" picks: exact where its messages take about a second or less
 * and each pair of ranks has one path. */
const struct dts_engine *dts_engine_auto(const struct dts_simulation *simulation);

#endif
