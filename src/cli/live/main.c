/* main.c -- main() of dtsim-live: every rank builds the same plans, runs them over MPI,
 * and rank 0 holds what was measured against what dtsim predicts. `dtsim --live` becomes this.
 */
#include <stdlib.h>
#include <string.h>

#include "answer/notes/unused.h"
#include "base/mem.h"
#include "base/os/standard.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/live/report.h"
#include "cli/outputs.h"
#include "live/node.h"
#include "live/verify.h"
#include "train/live/calibrate.h"
#include "train/live/kernels/train.h"
#include "train/live/launcher.h"
#include "train/live/predicted.h"
#include "train/live/set.h"
#include "train/live/signals.h"

/* All of one rank. */
struct run {
    struct dts_options options;
    const char *word;
    struct dts_launcher launcher;
    struct dts_node_cores cores;
    struct dts_wire *wire;
    struct dts_live_set set;
    bool calibrates, predicted; // so that there is something to report
};

/* What a calibration has no use for. */
static bool check_calibration(const struct dts_options *options, struct dts_error *err)
{
    const char *other = dts_options_of_a_scenario(options);
    if (other != NULL)
        return dts_fail(err, DTS_BAD_INPUT, "calibrate: takes no %s", other);
    return options->word_count == 1 ||
           dts_fail(err, DTS_BAD_INPUT, "calibrate: takes no words, got \"%s\"",
                    options->words[1]);
}

static bool parse(struct run *run, int argc, char **argv, struct dts_error *err)
{
    const struct dts_options *options = &run->options;
    if (!dts_options_parse(&run->options, argc, argv, err))
        return false;
    run->calibrates = options->word_count > 0 && strcmp(options->words[0], "calibrate") == 0;
    if (run->calibrates)
        return check_calibration(options, err);
    const char *const *words;
    const int count = dts_command_words(&dts_predict_command, options, &words);
    if (count > 0 && dts_command_find(words[0]) != NULL)
        return dts_fail(err, DTS_BAD_INPUT, "--live: goes with a scenario, not with `dtsim %s`",
                        words[0]);
    if (count != 1)
        return dts_fail(err, DTS_BAD_INPUT, "--live: runs one scenario, got %d", count);
    if (options->changes.sweep_count > 0)
        return dts_fail(err, DTS_BAD_INPUT, "--live: has no --sweep: start it for each value");
    run->word = words[0];
    return true;
}

/* All that rank 0 may write. */
static bool check_outputs(const struct run *run, struct dts_error *err)
{
    const struct dts_live_settings *live = &run->set.scene.scenario.live;
    const bool log_to_stderr = live->mllog != NULL && strcmp(live->mllog, "-") == 0;
    const bool trains = strcmp(live->compute, "timed") != 0;
    char *measured = dts_live_measured_path(run->options.trace);
    const struct dts_named_output outputs[] = {
        {"--output", run->options.output},
        {"--trace", run->options.trace},
        {"the measured --trace", measured},
        {"live.checkpoint.file", trains ? live->checkpoint.file : NULL},
        {"live.mllog", trains && !log_to_stderr ? live->mllog : NULL},
        {"live.weights", trains ? live->weights : NULL},
    };
    const bool good = dts_live_report_check(&run->options, err) &&
                      dts_outputs_check(outputs, sizeof(outputs) / sizeof(outputs[0]),
                                        &run->set.scene, 1, err);
    free(measured);
    return good;
}

static void tell_devices(const struct run *run, struct dts_error *err)
{
    struct dts_text note = {0};
    const bool alone = run->launcher.name == NULL && dts_wire_size(run->wire) == 1;
    if (!dts_live_set_devices(&run->set, alone, &note, err) || note.length == 0)
        return;
    fprintf(stderr, "dtsim: note: %s\n", dts_text_string(&note));
    dts_text_free(&note);
}

/* Rank 0 reads first: where the device is measured at first use, one rank alone does it. */
static bool open_set(struct run *run, struct dts_error *err)
{
    int size = dts_wire_size(run->wire), rank = dts_wire_rank(run->wire);
    if (rank == 0)
        (void)(dts_live_set_open(&run->options.changes, run->word, size, &run->set, err) &&
               check_outputs(run, err));
    if (rank == 0 && err->cause == DTS_NO_ERROR)
        tell_devices(run, err);
    if (rank == 0 && err->cause == DTS_NO_ERROR)
        dts_unused_tell(run->word, &run->set.scene.unused);
    dts_wire_idle_barrier(run->wire);
    if (!dts_wire_agree(run->wire, err))
        return false;
    if (rank > 0)
        dts_live_set_open(&run->options.changes, run->word, size, &run->set, err);
    return dts_wire_agree(run->wire, err);
}

/* All ranks have the plans of rank 0, and its seconds. */
static bool agree_on_plans(struct run *run, struct dts_error *err)
{
    uint64_t mine = dts_live_set_hash(&run->set), first = mine;
    dts_wire_share(run->wire, &first, sizeof(first));
    if (mine != first)
        dts_fail(err, DTS_BAD_INPUT,
                 "rank %d has another plan than rank 0: are its scenario, platform and model "
                 "(%s) the same files?",
                 dts_wire_rank(run->wire), run->word);
    if (!dts_wire_agree(run->wire, err))
        return false;
    size_t count = dts_live_set_calls(&run->set);
    double *seconds = dts_alloc(count, sizeof(*seconds));
    dts_live_set_seconds(&run->set, seconds, false);
    dts_wire_share(run->wire, seconds, count * sizeof(*seconds));
    dts_live_set_seconds(&run->set, seconds, true);
    free(seconds);
    return true;
}

/* Rank 0 asks the simulator; all have its answer which points are run. */
static bool predict(struct run *run, struct dts_error *err)
{
    if (dts_wire_rank(run->wire) == 0)
        dts_live_predict(&run->options.changes, run->word, run->options.trace, &run->set, err);
    dts_wire_idle_barrier(run->wire);
    if (!dts_wire_agree(run->wire, err))
        return false;
    for (int i = 0; i < run->set.count; i++)
        dts_wire_share(run->wire, &run->set.points[i].error, sizeof(struct dts_error));
    run->predicted = true;
    return true;
}

/* What all ranks have of what was checked; rank 0's comparison tells. */
static void tell_checked(const struct run *run, size_t sums, const struct dts_traffic *sent,
                         struct dts_comparison *comparison)
{
    const double mine[2] = {sent->messages, sent->bytes};
    double *all = dts_alloc(2 * (size_t)dts_wire_size(run->wire), sizeof(*all));
    dts_wire_gather(run->wire, mine, 2, all);
    comparison->checked = (double)sums;
    for (int r = 0; r < dts_wire_size(run->wire); r++) {
        comparison->messages += all[2 * r];
        comparison->bytes += all[2 * r + 1];
    }
    free(all);
}

/* One step on known numbers: are the sums right, and the messages those of the plan? */
static bool verify(const struct dts_live *live, struct dts_live_rank *rank, size_t *checked,
                   struct dts_traffic *sent, struct dts_error *err)
{
    struct dts_live once = *live;
    struct dts_live_times times;
    once.steps = 1;
    once.executor = &dts_executor_instant; // whatever computes
    once.in_order = true;
    once.every_op = true;
    dts_live_fill(rank);
    if (!dts_live_run(&once, rank, &times, err))
        return false;
    bool right = dts_live_check(live->job, rank, checked, err) &&
                 dts_live_check_sent(&once, rank, &times, sent, err);
    dts_live_times_free(&times);
    dts_live_clear(rank);
    dts_live_mean_sent(live, rank, sent);
    return right;
}

static bool walk(struct run *run, int i, const struct dts_live *live,
                 struct dts_live_rank *rank, struct dts_error *err)
{
    struct dts_live_point *point = &run->set.points[i];
    const struct dts_live_training training = {live, rank, live->context, &point->comparison,
                                               &point->timing};
    struct dts_traffic sent = {0, 0};
    size_t checked = 0;
    verify(live, rank, &checked, &sent, err);
    if (!dts_wire_agree(run->wire, err))
        return false;
    tell_checked(run, checked, &sent, &point->comparison);
    point->comparison.node_ranks = run->cores.ranks;
    point->comparison.node_cores = run->cores.cores;
    if (live->executor == dts_live_kernels())
        return dts_live_train(&training, err);
    return dts_live_walk(live, rank, run->set.scene.scenario.live.warm_up, &point->comparison,
                         &point->timing, err);
}

/* How many times as long this rank's kernels shall take; 1: it is none that trains. */
static double slow_factor(const struct run *run, int i)
{
    const struct dts_job *job = &run->set.points[i].built.job;
    const int self = dts_wire_rank(run->wire);
    int worker = 0;
    for (int r = 0; r < self && r < job->ranks; r++)
        worker += dts_job_role(job, r)->kind == DTS_WORKER;
    return self < job->ranks && dts_job_role(job, self)->kind == DTS_WORKER
               ? dts_slow_workers_factor(&run->set.scene.scenario.slow_workers, worker)
               : 1;
}

static bool run_point(struct run *run, int i, struct dts_error *err)
{
    const struct dts_live_settings *settings = &run->set.scene.scenario.live;
    struct dts_live_kernels kernels = {.point = &run->set.points[i].built.point,
                                       .settings = settings};
    const struct dts_executor *trainer = dts_live_kernels();
    const bool trains = trainer != NULL && strcmp(settings->compute, trainer->name) == 0;
    enum dts_half half;
    dts_precision_is_half(run->set.scene.scenario.precision, &half);
    struct dts_live live = {.job = &run->set.points[i].built.job,
                            .wire = run->wire,
                            .executor = trains ? trainer : dts_executor_find(settings->compute),
                            .context = &kernels,
                            .half = half,
                            .from_rest =
                                run->set.points[i].question.strategy->kind->trains_nothing,
                            .steps = settings->warm_up + settings->steps,
                            .slow_factor = slow_factor(run, i)};
    struct dts_live_rank rank = {0};
    if (live.executor == NULL)
        return dts_fail(err, DTS_UNSUPPORTED, "live.compute: this build has no \"%s\"",
                        settings->compute);
    bool open = dts_live_fits(&live, err) && dts_live_open(&live, &rank, err);
    bool good = dts_wire_agree(run->wire, err) && walk(run, i, &live, &rank, err);
    if (open)
        dts_live_close(&rank);
    return good;
}

/* Ranks that have no core of their own are told before they run. */
static void find_cores(struct run *run)
{
    dts_node_cores(run->wire, &run->cores);
    if (dts_wire_rank(run->wire) == 0 && run->cores.ranks > run->cores.cores)
        fprintf(stderr,
                "dtsim: note: %d ranks of a node have %d core%s between them: each waits while "
                "another computes, and what is measured is longer than with a core for each\n",
                run->cores.ranks, run->cores.cores, dts_plural(run->cores.cores));
}

/* Did all ranks that were started find one another? */
static bool check_launcher(const struct run *run, struct dts_error *err)
{
    return dts_launcher_check(&run->launcher, run->wire,
                              run->calibrates ? "calibrate" : "--live", err);
}

static bool run_all(struct run *run, struct dts_error *err)
{
    if (!open_set(run, err))
        return false;
    find_cores(run);
    if (!agree_on_plans(run, err) || !predict(run, err))
        return false;
    for (int i = 0; i < run->set.count; i++)
        if (run->set.points[i].error.cause == DTS_NO_ERROR && !run_point(run, i, err))
            return false;
    return true;
}

static bool calibrate(struct run *run, struct dts_error *err)
{
    find_cores(run);
    return dts_live_calibrate(run->options.output, run->wire, err);
}

static void free_run(struct run *run)
{
    dts_live_set_free(&run->set);
    dts_options_free(&run->options);
}

/* All ranks have the error; rank 0 says it. */
static void say(int rank, const struct dts_error *err)
{
    if (rank == 0 && err->cause != DTS_NO_ERROR)
        fprintf(stderr, "dtsim: %s\n", err->text);
}

/* Where the run failed before anything was measured there is only the reason. */
static bool has_report(const struct run *run, const struct dts_error *err)
{
    bool measured = err->cause == DTS_NO_ERROR;
    for (int i = 0; run->predicted && i < run->set.count; i++)
        measured = measured || run->set.points[i].comparison.steps > 0;
    return run->predicted && measured;
}

/* 0: this rank prints. Of ranks that did not find one another each is rank 0 of MPI. */
static int speaker(const struct run *run)
{
    const bool alone = dts_wire_size(run->wire) == 1 && run->launcher.ranks > 1;
    return alone && run->launcher.rank > 0 ? run->launcher.rank : dts_wire_rank(run->wire);
}

/* Rank 0 prints while the others wait: a rank that ends with another status than 0 makes mpirun
 * end all. */
static void report(struct run *run, struct dts_error *err)
{
    struct dts_error late = {0};
    const int rank = speaker(run);
    if (rank == 0 && has_report(run, err))
        dts_live_report(&run->options, run->word, &run->set, err, &late);
    say(rank, err);
    say(rank, &late);
    dts_wire_idle_barrier(run->wire);
    if (err->cause == DTS_NO_ERROR)
        *err = late;
    dts_wire_agree(run->wire, err);
}

int main(int argc, char **argv)
{
    struct dts_error err = {0};
    struct run run = {0};
    dts_standard_open();
    dts_launcher_find(&run.launcher);
    if (!dts_wire_open(&run.wire, true, &argc, &argv, &err)) {
        say(0, &err);
        return (int)err.cause;
    }
    dts_live_signals(dts_wire_rank(run.wire) == 0);
    (void)(parse(&run, argc, argv, &err) && check_launcher(&run, &err));
    if (dts_wire_agree(run.wire, &err))
        (void)(run.calibrates ? calibrate(&run, &err) : run_all(&run, &err));
    report(&run, &err);
    if (err.cause != DTS_NO_ERROR)
        dts_live_signals(false); // what is wrong was said
    dts_wire_close(run.wire);
    free_run(&run);
    if (err.cause != DTS_NO_ERROR)
        dts_standard_end((int)err.cause);
    return 0;
}
