/* format_json.c -- "dtsim-result/1": one object for each scenario, units in the names, absent
 * things left out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/live/comparison.h"
#include "answer/target/frontier.h"
#include "answer/winner.h"
#include "base/json/json_out.h"
#include "base/mem.h"
#include "cli/print/format.h"
#include "cli/print/question.h"

static const char *const causes[] = {
    [DTS_NO_ERROR] = NULL,
    [DTS_SYSTEM] = "system",
    [DTS_BAD_INPUT] = "input",
    [DTS_UNSUPPORTED] = "unsupported",
};

static void put_word(struct dts_json *json, const char *key, const char *word)
{
    if (word != NULL && word[0] != '\0')
        dts_json_string(json, key, word);
}

static void put_count(struct dts_json *json, const char *key, int count)
{
    if (count > 0)
        dts_json_integer(json, key, count);
}

/* To 12 digits: those beyond differ between mathematical libraries. */
static double rounded(double value)
{
    char text[32];
    snprintf(text, sizeof(text), "%.12g", value);
    return strtod(text, NULL);
}

static void put_metric(struct dts_json *json, const struct dts_metric *metric, double value)
{
    char key[64];
    snprintf(key, sizeof(key), "%s%s%s", metric->name, metric->unit != NULL ? "_" : "",
             metric->unit != NULL ? metric->unit : "");
    dts_json_number(json, key, rounded(value));
}

/* Behind the step: what it may be. */
static void put_interval(struct dts_json *json, const struct dts_result *result)
{
    dts_json_number(json, "low_s", rounded(result->low_s));
    dts_json_number(json, "high_s", rounded(result->high_s));
}

/* An object for each group of metrics of which one is there. */
static void put_metrics(struct dts_json *json, const struct dts_result *result)
{
    const char *open = NULL;
    for (const struct dts_metric *metric = dts_metrics; metric->name != NULL; metric++) {
        double value = dts_metric_value(metric, result);
        if (!isfinite(value))
            continue;
        if (open != NULL && (metric->group == NULL || strcmp(open, metric->group) != 0)) {
            dts_json_end(json);
            open = NULL;
        }
        if (open == NULL && metric->group != NULL) {
            dts_json_object(json, metric->group);
            open = metric->group;
        }
        put_metric(json, metric, value);
        if (metric->offset == offsetof(struct dts_result, step.total_s) &&
            isfinite(result->low_s))
            put_interval(json, result);
    }
    if (open != NULL)
        dts_json_end(json);
}

static void put_held(struct dts_json *json, const char *key, const struct dts_held *held)
{
    dts_json_object(json, key);
    dts_json_string(json, "metric", held->metric);
    dts_json_number(json, "value", held->value);
    dts_json_number(json, "predicted", rounded(held->predicted));
    dts_json_number(json, "error_percent", rounded(held->error_percent));
    put_word(json, "source", held->source);
    dts_json_end(json);
}

static void put_reference(struct dts_json *json, const struct dts_result *result)
{
    if (result->reference.metric[0] == '\0')
        return;
    put_held(json, "reference", &result->reference);
    if (result->more_count == 0)
        return;
    dts_json_list(json, "more_references");
    for (int i = 0; i < result->more_count; i++)
        put_held(json, NULL, &result->more[i]);
    dts_json_end(json);
}

static void put_neighbours(struct dts_json *json, const struct dts_result *result)
{
    if (result->beside_count == 0 || dts_result_refused(result))
        return;
    dts_json_list(json, "neighbours");
    for (int i = 0; i < result->beside_count; i++) {
        const struct dts_result_beside *beside = &result->besides[i];
        const struct {
            const char *key;
            double value;
        } numbers[] = {
            {"step_mean_s", beside->step_mean_s},
            {"step_worst_s", beside->step_worst_s},
            {"throughput_samples_per_s", beside->throughput_samples_per_s},
        };
        dts_json_object(json, NULL);
        dts_json_string(json, "name", beside->name);
        dts_json_integer(json, "jobs", beside->jobs);
        dts_json_integer(json, "devices", beside->devices);
        for (size_t n = 0; n < sizeof(numbers) / sizeof(numbers[0]); n++)
            if (isfinite(numbers[n].value))
                dts_json_number(json, numbers[n].key, rounded(numbers[n].value));
        dts_json_end(json);
    }
    dts_json_end(json);
}

static void put_phases(struct dts_json *json, const struct dts_result *result)
{
    if (result->phase_count == 0 || dts_result_refused(result))
        return;
    dts_json_list(json, "phases");
    for (int i = 0; i < result->phase_count; i++) {
        const struct dts_result_phase *phase = &result->phases[i];
        const struct {
            const char *key;
            double value;
        } numbers[] = {
            {"epochs", phase->epochs},
            {"steps", phase->steps},
            {"step_s", phase->step_s},
            {"time_s", phase->time_s},
            {"memory_bytes", phase->memory_bytes},
            {"energy_kwh", phase->energy_kwh},
            {"level_kernels", phase->level_kernels},
            {"level_step", phase->level_step},
        };
        dts_json_object(json, NULL);
        dts_json_integer(json, "global_batch", phase->global_batch);
        for (size_t n = 0; n < sizeof(numbers) / sizeof(numbers[0]); n++)
            if (isfinite(numbers[n].value))
                dts_json_number(json, numbers[n].key, rounded(numbers[n].value));
        dts_json_end(json);
    }
    dts_json_end(json);
}

static void put_target(struct dts_json *json, const struct dts_result *result)
{
    if (result->target.profile[0] == '\0' && result->target.doubt[0] == '\0')
        return;
    dts_json_object(json, "target");
    put_word(json, "profile", result->target.profile);
    put_word(json, "rule", result->target.rule);
    put_word(json, "law", result->target.law);
    put_word(json, "late", result->target.late);
    put_word(json, "region", result->target.region);
    put_word(json, "doubt", result->target.doubt);
    dts_json_end(json);
}

static void put_histogram(struct dts_json *json, const struct dts_result *result)
{
    if (result->staleness.bin_width == 0)
        return;
    dts_json_object(json, "staleness_histogram");
    dts_json_integer(json, "bin_updates", result->staleness.bin_width);
    dts_json_list_flat(json, "share");
    int last = DTS_RESULT_BINS - 1;
    while (last > 0 && result->staleness.share[last] == 0)
        last--;
    for (int b = 0; b <= last; b++)
        dts_json_number(json, NULL, rounded(result->staleness.share[b]));
    dts_json_end(json);
    dts_json_end(json);
}

static void put_accuracy(struct dts_json *json, const struct dts_result *result)
{
    if (result->accuracy.table[0] == '\0')
        return;
    dts_json_object(json, "accuracy");
    put_word(json, "table", result->accuracy.table);
    put_word(json, "rule", result->accuracy.rule);
    put_word(json, "doubt", result->accuracy.doubt);
    dts_json_end(json);
}

/* How far predictions like this one were off. */
static void put_validation(struct dts_json *json, const struct dts_result *result)
{
    if (result->class[0] == '\0' || dts_result_refused(result))
        return;
    dts_json_object(json, "validation");
    dts_json_string(json, "class", result->class);
    if (isfinite(result->error_p90_percent))
        dts_json_number(json, "error_p90_percent", rounded(result->error_p90_percent));
    dts_json_end(json);
}

static void put_error(struct dts_json *json, const struct dts_error *error)
{
    if (error->cause == DTS_NO_ERROR)
        return;
    dts_json_object(json, "error");
    dts_json_string(json, "cause", causes[error->cause]);
    dts_json_string(json, "text", error->text);
    dts_json_end(json);
}

static void put_point(struct dts_json *json, const struct dts_result *result)
{
    dts_json_object(json, NULL);
    put_word(json, "strategy", result->strategy);
    put_word(json, "setting", result->setting);
    put_count(json, "devices", result->devices);
    put_count(json, "nodes", result->nodes);
    put_count(json, "global_batch", result->global_batch);
    put_word(json, "model", result->model);
    put_word(json, "platform", result->platform);
    put_word(json, "stack", result->stack);
    put_word(json, "engine", result->engine);
    put_word(json, "engine_limits", result->limits);
    put_word(json, "basis", result->basis);
    put_word(json, "outside", result->outside);
    put_word(json, "doubt", result->doubt);
    put_word(json, "unlike", result->unlike);
    put_word(json, "transports", result->transports);
    put_word(json, "slowdown_source", result->slowdown_source);
    put_word(json, "noise_source", result->noise_source);
    if (result->error.cause == DTS_NO_ERROR) {
        dts_json_list_flat(json, "assumed");
        for (int i = 0; i < result->assumed_count; i++)
            dts_json_string(json, NULL, result->assumed[i]);
        dts_json_end(json);
    }
    put_metrics(json, result);
    put_validation(json, result);
    put_histogram(json, result);
    put_neighbours(json, result);
    put_phases(json, result);
    put_target(json, result);
    put_accuracy(json, result);
    put_reference(json, result);
    if (result->live != NULL)
        dts_comparison_json(result->live, json);
    put_word(json, "chosen", result->chosen);
    put_word(json, "chosen_why", result->chosen_why);
    put_word(json, "why", result->why);
    put_error(json, &result->error);
    dts_json_end(json);
}

static void put_winners(struct dts_json *json, const struct dts_report *report)
{
    struct dts_winner *all = dts_alloc((size_t)report->count, sizeof(*all));
    const int count = dts_winners(report, all, report->count);
    if (count > 0)
        dts_json_list(json, "winners");
    for (int i = 0; i < count; i++) {
        dts_json_object(json, NULL);
        dts_json_integer(json, "devices", all[i].best->devices);
        put_word(json, "setting", all[i].best->setting);
        dts_json_string(json, "strategy", all[i].best->strategy);
        dts_json_string(json, "second", all[i].second->strategy);
        dts_json_number(json, "ahead_percent", rounded(all[i].ahead_percent));
        dts_json_bool(json, "even", all[i].even);
        put_word(json, "on_fewer_nodes", all[i].fewer != NULL ? all[i].fewer->strategy : NULL);
        put_word(json, "in_less_memory", all[i].lean != NULL ? all[i].lean->strategy : NULL);
        dts_json_end(json);
    }
    if (count > 0)
        dts_json_end(json);
    free(all);
}

static void put_choice(struct dts_json *json, const char *key, const struct dts_result *point)
{
    dts_json_object(json, key);
    dts_json_string(json, "strategy", point->strategy);
    put_word(json, "setting", point->setting);
    dts_json_integer(json, "devices", point->devices);
    dts_json_end(json);
}

static void put_frontier(struct dts_json *json, const char *key,
                         const struct dts_frontier *frontier)
{
    dts_json_object(json, key);
    dts_json_string(json, "target", frontier->target);
    put_choice(json, "shortest", frontier->shortest);
    put_choice(json, "fewest_device_hours", frontier->leanest);
    put_choice(json, "least_product", frontier->knee);
    dts_json_end(json);
}

/* An object; of several targets a list of such. */
static void put_frontiers(struct dts_json *json, const struct dts_report *report)
{
    struct dts_frontier *all = dts_alloc((size_t)report->count, sizeof(*all));
    const int count = dts_frontiers_find(report, all);
    if (count == 1)
        put_frontier(json, "to_target", &all[0]);
    if (count > 1)
        dts_json_list(json, "to_targets");
    for (int i = 0; i < count && count > 1; i++)
        put_frontier(json, NULL, &all[i]);
    if (count > 1)
        dts_json_end(json);
    free(all);
}

static void put_report(struct dts_json *json, const struct dts_report *report)
{
    dts_json_object(json, NULL);
    dts_json_string(json, "schema", "dtsim-result/1");
    dts_json_string(json, "scenario", report->scenario);
    dts_question_json(report, json);
    put_winners(json, report);
    put_frontiers(json, report);
    dts_json_list(json, "points");
    for (int p = 0; p < report->count; p++)
        put_point(json, &report->points[p]);
    dts_json_end(json);
    dts_json_end(json);
}

/* Of several scenarios one document, a list. */
static void print(const struct dts_report *reports, int count, FILE *out)
{
    struct dts_json json = {.out = out, .lines = count > 1 ? 5 : 4};
    if (count > 1)
        dts_json_list(&json, NULL);
    for (int i = 0; i < count; i++)
        put_report(&json, &reports[i]);
    if (count > 1)
        dts_json_end(&json);
}

static void print_lines(const struct dts_report *reports, int count, FILE *out)
{
    for (int i = 0; i < count; i++) {
        struct dts_json json = {.out = out, .lines = 0};
        put_report(&json, &reports[i]);
    }
}

const struct dts_format dts_format_json = {
    .name = "json",
    .summary = "an object, schema \"dtsim-result/1\"; a list of them for several scenarios",
    .suffix = ".json",
    .print = print,
};

const struct dts_format dts_format_ndjson = {
    .name = "ndjson",
    .summary = "the same objects, each on a line of its own",
    .suffix = ".ndjson",
    .print = print_lines,
};
