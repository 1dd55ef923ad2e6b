/* live_main.c -- main() of dtsim-live: every rank builds the same plans, runs them over MPI,
 * and rank 0 holds what was measured against what dtsim predicts. `dtsim --live` becomes this.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/comparison.h"
#include "cli/format.h"
#include "cli/live_calibrate.h"
#include "cli/live_predicted.h"
#include "cli/live_set.h"
#include "cli/live_signals.h"
#include "cli/live_train.h"
#include "cli/outputs.h"
#include "cli/trace.h"
#include "live/verify.h"

/* All of one rank. */
struct run {
    struct dts_options options;
    const char *word;
    struct dts_wire *wire;
    struct dts_live_set set;
    struct dts_comparison *comparisons; // by point; filled on rank 0
    struct dts_timing *timings;         // the same: the step of median time
    bool calibrates;
};

static bool parse(struct run *run, int argc, char **argv, struct dts_error *err)
{
    if (!dts_options_parse(&run->options, argc, argv, err))
        return false;
    run->calibrates =
        run->options.word_count == 1 && strcmp(run->options.words[0], "calibrate") == 0;
    if (run->options.word_count != 1)
        return dts_fail(err, DTS_BAD_INPUT, "--live: runs one scenario, got %d",
                        run->options.word_count);
    if (run->options.sweep_count > 0)
        return dts_fail(err, DTS_BAD_INPUT, "--live: has no --sweep: start it for each value");
    run->word = run->options.words[0];
    return true;
}

/* "here.json" becomes "here.measured.json". NULL: no trace. */
static char *measured_path(const char *trace)
{
    struct dts_text path = {0};
    if (trace == NULL)
        return NULL;
    size_t length = strlen(trace);
    bool json = length > 5 && strcmp(trace + length - 5, ".json") == 0;
    dts_text_add(&path, "%.*s.measured.json", (int)(json ? length - 5 : length), trace);
    return dts_text_take(&path);
}

/* All that rank 0 may write. */
static bool check_outputs(const struct run *run, struct dts_error *err)
{
    const struct dts_live_settings *live = &run->set.scene.scenario.live;
    const bool log_to_stderr = live->mllog != NULL && strcmp(live->mllog, "-") == 0;
    const bool trains = strcmp(live->compute, "timed") != 0;
    char *measured = measured_path(run->options.trace);
    const struct dts_named_output outputs[] = {
        {"--output", run->options.output},
        {"--trace", run->options.trace},
        {"the measured --trace", measured},
        {"live.checkpoint.file", trains ? live->checkpoint.file : NULL},
        {"live.mllog", trains && !log_to_stderr ? live->mllog : NULL},
        {"live.weights", trains ? live->weights : NULL},
    };
    const bool good = dts_outputs_check(outputs, sizeof(outputs) / sizeof(outputs[0]),
                                        &run->set.scene, 1, err);
    free(measured);
    return good;
}

/* Rank 0 reads first: where the device is measured at first use, one rank alone does it. */
static bool open_set(struct run *run, struct dts_error *err)
{
    int size = dts_wire_size(run->wire), rank = dts_wire_rank(run->wire);
    if (rank == 0)
        (void)(dts_live_set_open(&run->options, run->word, size, &run->set, err) &&
               check_outputs(run, err));
    if (!dts_wire_agree(run->wire, err))
        return false;
    if (rank > 0)
        dts_live_set_open(&run->options, run->word, size, &run->set, err);
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

/* One step on known numbers: are the sums right? */
static bool verify(const struct dts_live *live, struct dts_live_rank *rank, size_t *checked,
                   struct dts_error *err)
{
    struct dts_live once = *live;
    struct dts_live_times times;
    once.steps = 1;
    once.executor = dts_executor_find("timed"); // whatever computes: it leaves buffers alone
    dts_live_fill(rank);
    if (!dts_live_run(&once, rank, &times, err))
        return false;
    dts_live_times_free(&times);
    bool right = dts_live_check(live->job, rank, checked, err);
    dts_live_clear(rank);
    return right;
}

static bool walk(struct run *run, int i, const struct dts_live *live,
                 struct dts_live_rank *rank, struct dts_error *err)
{
    struct dts_comparison *comparison = &run->comparisons[i];
    const struct dts_live_training training = {live, rank, live->context, comparison,
                                               &run->timings[i]};
    size_t checked = 0;
    verify(live, rank, &checked, err);
    if (!dts_wire_agree(run->wire, err))
        return false;
    comparison->checked = (double)checked;
    if (live->executor == dts_live_kernels())
        return dts_live_train(&training, err);
    return dts_live_walk(live, rank, run->set.scene.scenario.live.warm_up, comparison,
                         &run->timings[i], err);
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
                            .steps = settings->warm_up + settings->steps};
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

static bool run_all(struct run *run, struct dts_error *err)
{
    if (!open_set(run, err) || !agree_on_plans(run, err))
        return false;
    run->comparisons = dts_alloc((size_t)run->set.count, sizeof(*run->comparisons));
    run->timings = dts_alloc((size_t)run->set.count, sizeof(*run->timings));
    for (int i = 0; i < run->set.count; i++)
        if (run->set.points[i].error.cause == DTS_NO_ERROR && !run_point(run, i, err))
            return false;
    return true;
}

/* What rank 0 knows of a point, predicted and measured. */
static bool report_point(struct run *run, int i, struct dts_result *result,
                         struct dts_error *err)
{
    const struct dts_live_point *point = &run->set.points[i];
    const char *trace = i == dts_live_set_last(&run->set) ? run->options.trace : NULL;
    if (point->error.cause != DTS_NO_ERROR) {
        dts_result_open(&point->question, result);
        result->error = point->error;
        return true;
    }
    dts_estimate(&point->question, result);
    result->live = &run->comparisons[i];
    if (!dts_live_predict(&run->options, run->word, point, trace, &run->comparisons[i],
                          result->engine, sizeof(result->engine), err))
        return false;
    result->step = run->comparisons[i].predicted;
    if (trace == NULL)
        return true;
    char *path = measured_path(trace);
    bool good = dts_trace_write(path, &point->built.job, &run->timings[i], err);
    free(path);
    return good;
}

static void print_text(const struct dts_report *report, FILE *out)
{
    fprintf(out, "%s: %s\n\n", report->scenario, report->summary);
    dts_comparison_text(report, out);
}

static bool report(struct run *run, struct dts_error *err)
{
    struct dts_result *results = dts_alloc((size_t)run->set.count, sizeof(*results));
    const struct dts_scenario *s = &run->set.scene.scenario;
    struct dts_report report = {.scenario = s->name,
                                .summary = s->summary,
                                .file = run->word,
                                .sample = s->model.sample,
                                .points = results,
                                .count = run->set.count};
    const char *format = run->options.format->name;
    struct dts_output out;
    bool good = true;
    for (int i = 0; i < run->set.count && good; i++)
        good = report_point(run, i, &results[i], err);
    if (good && dts_output_open(&out, run->options.output, err)) {
        if (strcmp(format, "text") == 0)
            print_text(&report, out.stream);
        else if (strcmp(format, "csv") == 0)
            dts_comparison_csv(&report, out.stream);
        else
            run->options.format->print(&report, 1, out.stream);
        dts_output_close(&out, err);
    }
    free(results);
    return err->cause == DTS_NO_ERROR;
}

static void free_run(struct run *run)
{
    for (int i = 0; run->comparisons != NULL && i < run->set.count; i++) {
        dts_comparison_free(&run->comparisons[i]);
        dts_timing_free(&run->timings[i]);
    }
    free(run->comparisons);
    free(run->timings);
    dts_live_set_free(&run->set);
    dts_options_free(&run->options);
}

/* All ranks have the error; rank 0 says it. */
static void say(int rank, const struct dts_error *err)
{
    if (rank == 0 && err->cause != DTS_NO_ERROR)
        fprintf(stderr, "dtsim: %s\n", err->text);
}

int main(int argc, char **argv)
{
    struct dts_error err = {0}, late = {0};
    struct run run = {0};
    int rank = 0;
    bool good = false, open = dts_wire_open(&run.wire, true, &argc, &argv, &err);
    if (open) {
        rank = dts_wire_rank(run.wire);
        dts_live_signals(rank == 0);
        parse(&run, argc, argv, &err);
        if (dts_wire_agree(run.wire, &err))
            good = run.calibrates ? dts_live_calibrate(&run.options, run.wire, &err)
                                  : run_all(&run, &err);
    }
    say(rank, &err); // before another rank's exit status makes mpirun end this one
    if (err.cause != DTS_NO_ERROR)
        dts_live_signals(false); // and then it says nothing more
    if (open)
        dts_wire_close(run.wire);
    if (rank == 0 && good && !run.calibrates)
        report(&run, &late);
    free_run(&run);
    if (rank == 0 && (fflush(stdout) != 0 || ferror(stdout)) && late.cause == DTS_NO_ERROR)
        dts_fail(&late, DTS_SYSTEM, "standard output: %s", strerror(errno));
    say(rank, &late);
    return (int)(err.cause != DTS_NO_ERROR ? err.cause : late.cause);
}
