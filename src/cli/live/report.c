/* report.c -- results of the live program in the formats of dtsim. */
#include "cli/live/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "answer/estimate.h"
#include "answer/trace.h"
#include "base/mem.h"
#include "base/os/file.h"
#include "base/text.h"
#include "cli/picture/plot.h"
#include "cli/print/format.h"

char *dts_live_measured_path(const char *trace)
{
    struct dts_text path = {0};
    if (trace == NULL)
        return NULL;
    size_t length = strlen(trace);
    bool json = length > 5 && strcmp(trace + length - 5, ".json") == 0;
    dts_text_add(&path, "%.*s.measured.json", (int)(json ? length - 5 : length), trace);
    return dts_text_take(&path);
}

/* What rank 0 knows of a point, predicted and measured. */
static void fill(const struct dts_live_point *point, const struct dts_error *ended,
                 struct dts_result *result)
{
    const struct dts_comparison *c = &point->comparison;
    const bool ran = ended->cause == DTS_NO_ERROR || c->steps > 0;
    if (point->error.cause != DTS_NO_ERROR || !ran) {
        dts_result_open(&point->question, result);
        result->error = point->error.cause != DTS_NO_ERROR ? point->error : *ended;
        return;
    }
    dts_estimate(&point->question, result);
    result->live = c;
    result->step = c->predicted;
    snprintf(result->engine, sizeof(result->engine), "%s", c->engine);
}

static bool write_timeline(const struct dts_options *options, const struct dts_live_set *set,
                           struct dts_error *err)
{
    const struct dts_live_point *point = &set->points[dts_live_set_last(set)];
    char *path = dts_live_measured_path(options->trace);
    const bool good = path == NULL || point->timing.ops == NULL ||
                      dts_trace_write(path, &point->built.job, &point->timing, 0, err);
    free(path);
    return good;
}

bool dts_live_report_check(const struct dts_options *options, struct dts_error *err)
{
    const struct dts_plot *plot = options->plot != NULL ? dts_plot_find(options->plot) : NULL;
    const struct dts_drawing drawing = {.plot = options->plot, .line = options->line};
    if (plot != NULL && (plot->timeline || plot->links))
        return dts_fail(err, DTS_BAD_INPUT, "--plot %s: shows a prediction: leave out --live",
                        plot->name);
    return options->format->ready == NULL || options->format->ready(1, &drawing, err);
}

static void print_text(const struct dts_report *report, FILE *out)
{
    fprintf(out, "%s: %s\n\n", report->scenario, report->summary);
    dts_comparison_text(report, out);
}

static bool print(const struct dts_options *options, const struct dts_report *report,
                  struct dts_error *err)
{
    const char *format = options->format->name;
    const struct dts_drawing drawing = {.plot = options->plot, .line = options->line};
    struct dts_output out;
    bool good = true;
    if (!dts_output_open(&out, options->output, err))
        return false;
    if (strcmp(format, "text") == 0)
        print_text(report, out.stream);
    else if (strcmp(format, "csv") == 0)
        dts_comparison_csv(report, out.stream);
    else
        good = dts_format_write(options->format, report, 1, &drawing, out.stream, err);
    if (!good)
        dts_output_discard(&out);
    if (!good || !dts_output_close(&out, err))
        return false;
    return (fflush(stdout) == 0 && !ferror(stdout)) ||
           dts_fail(err, DTS_SYSTEM, "standard output: %s", strerror(errno));
}

bool dts_live_report(const struct dts_options *options, const char *word,
                     struct dts_live_set *set, const struct dts_error *ended,
                     struct dts_error *err)
{
    struct dts_result *results = dts_alloc((size_t)set->count, sizeof(*results));
    const struct dts_scenario *s = &set->scene.scenario;
    const struct dts_report report = {.scenario = s->name,
                                      .summary = s->summary,
                                      .file = word,
                                      .sample = s->model.sample,
                                      .changes = &options->changes,
                                      .seed = s->seed,
                                      .explain = options->explain,
                                      .hash = set->scene.hash,
                                      .points = results,
                                      .count = set->count};
    for (int i = 0; i < set->count; i++)
        fill(&set->points[i], ended, &results[i]);
    print(options, &report, err);
    write_timeline(options, set, err);
    free(results);
    return err->cause == DTS_NO_ERROR;
}
