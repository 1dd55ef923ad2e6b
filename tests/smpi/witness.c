/* witness.c -- the live program's communication as a program of SMPI: its lanes, exchanges and
 * wire (src/live), compiled with smpicc, walk the jobs of cases.h in simulated time.
 *
 *     smpirun ... libwitness.so      prints "NAME RANKS step_s messages bytes" for each case
 *
 * Messages and bytes are those of one step.
 */
#include "counted.h"
#include "live/live.h"
#include "live/verify.h"

#include "cases.h"

static struct {
    double messages, bytes;
} sent;

void counted_send(size_t bytes)
{
    sent.messages += 1;
    sent.bytes += (double)bytes;
}

void counted_take(double *messages, double *bytes)
{
    *messages = sent.messages;
    *bytes = sent.bytes;
    sent.messages = sent.bytes = 0;
}

/* When the rank's last operation of a step ended. */
static double end_of(const struct dts_live_times *times, int ops, int step)
{
    double end_s = 0;
    for (int o = 0; o < ops; o++) {
        double s = times->end_s[step * ops + o];
        end_s = s > end_s ? s : end_s;
    }
    return end_s;
}

/* Over all ranks: where a step ends is where the last worker ends. */
static double latest(const struct dts_wire *wire, double mine_s)
{
    static double all[MOST_NODES];
    double most_s = 0;
    dts_wire_gather(wire, &mine_s, 1, all);
    for (int r = 0; dts_wire_rank(wire) == 0 && r < dts_wire_size(wire); r++)
        most_s = all[r] > most_s ? all[r] : most_s;
    return most_s;
}

static void run(const char *name, struct dts_live *live, struct dts_live_rank *rank)
{
    struct dts_error err = {0};
    struct dts_live_times times;
    double messages, bytes;
    size_t checked;
    live->steps = 1;
    dts_live_fill(rank);
    dts_live_run(live, rank, &times, &err);
    dts_live_times_free(&times);
    if (live->job->role_count == 1)
        dts_live_check(live->job, rank, &checked, &err);
    dts_wire_barrier(live->wire);
    if (rank->rank == 0)
        counted_take(&messages, &bytes);
    dts_wire_barrier(live->wire);

    live->steps = STEPS;
    dts_live_run(live, rank, &times, &err);
    const int ops = rank->role->plan.op_count;
    const bool worker = rank->role == &live->job->roles[0];
    const double first_s = latest(live->wire, worker ? end_of(&times, ops, 0) : 0);
    const double last_s = latest(live->wire, worker ? end_of(&times, ops, STEPS - 1) : 0);
    dts_live_times_free(&times);
    dts_wire_barrier(live->wire);
    if (rank->rank == 0) {
        counted_take(&messages, &bytes);
        printf("%s %d %.9e %.0f %.0f%s%s\n", name, live->job->ranks,
               (last_s - first_s) / (STEPS - 1), messages / STEPS, bytes / STEPS,
               err.cause == DTS_NO_ERROR ? "" : " ", err.text);
    }
}

int main(int argc, char **argv)
{
    struct dts_error err = {0};
    struct dts_wire *wire;
    struct dts_job job;
    const char *name;
    if (!dts_wire_open(&wire, false, &argc, &argv, &err)) {
        printf("%s\n", err.text);
        return 1;
    }
    for (int i = 0; case_of(i, dts_wire_size(wire), &name, &job); i++) {
        if (name == NULL)
            continue;
        struct dts_live live = {
            .job = &job, .wire = wire, .executor = dts_executor_find("timed")};
        struct dts_live_rank rank;
        if (dts_live_open(&live, &rank, &err))
            run(name, &live, &rank);
        dts_live_close(&rank);
        free_job(&job);
    }
    dts_wire_close(wire);
    return 0;
}
