/* test_formats.c -- a result in text, JSON and CSV: the same numbers, absent things left out.
 */
#include "check.h"

#include <stdlib.h>

#include "answer/result.h"
#include "base/json/cfg.h"

/* Two points: one with everything, one refused. */
static void fill(struct dts_result points[2])
{
    for (int i = 0; i < 2; i++) {
        dts_result_init(&points[i]);
        snprintf(points[i].strategy, DTS_RESULT_TEXT, "ring");
        snprintf(points[i].model, DTS_RESULT_TEXT, "resnet50");
        points[i].devices = 8 << i;
    }
    snprintf(points[0].engine, sizeof(points[0].engine), "fluid");
    snprintf(points[0].class, sizeof(points[0].class), "data_parallel");
    points[0].error_p90_percent = 20;
    points[0].nodes = 1;
    points[0].global_batch = 256;
    points[0].step.total_s = 0.25;
    points[0].step.compute_s = 0.2;
    points[0].step.exposed_comm_s = 0.05;
    points[0].throughput_samples_per_s = 1024;
    points[0].training.epochs = 90;
    points[0].training.time_s = 7200;
    snprintf(points[0].assumed[0], sizeof(points[0].assumed[0]), "net: nics.latency_us");
    snprintf(points[0].assumed[1], sizeof(points[0].assumed[1]), "net: storage");
    points[0].assumed_count = 2;
    dts_result_refer(&points[0], "step_s", 0.2, "a paper, \"2017\"");
    points[1].throughput_samples_per_s = 99999; // of a refused point nothing counts
    dts_fail(&points[1].error, DTS_BAD_INPUT, "x.json: devices 16: the platform has 8");
}

/* What a format prints, with all that is known or in short. The caller frees it. */
static char *print_as(const char *format, bool explain, struct dts_result *points, int count)
{
    struct dts_report report = {.scenario = "x",
                                .summary = "a test",
                                .file = "x.json",
                                .sample = "image",
                                .explain = explain,
                                .points = points,
                                .count = count};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    dts_format_find(format)->print(&report, 1, out);
    fclose(out);
    return text;
}

static char *print(const char *format, struct dts_result *points, int count)
{
    return print_as(format, false, points, count);
}

/* A number of a JSON result: point, group ("" for the point itself), key. NAN: absent. */
static double number(const struct dts_cfg *point, const char *group, const char *key)
{
    struct dts_error err = {0};
    struct dts_cfg in = *group != '\0' ? dts_cfg_member(point, group) : *point;
    struct dts_cfg at = dts_cfg_member(&in, key);
    double value = NAN;
    if (dts_cfg_exists(&at))
        CHECK(dts_cfg_real(&at, 0, 0, &value, &err));
    return value;
}

static void json_is_read_back(void)
{
    struct dts_result points[2];
    struct dts_error err = {0};
    struct dts_doc *doc;
    const char *word;
    fill(points);
    char *text = print("json", points, 2);
    if (!CHECK(dts_doc_parse(&doc, "result", text, &err)))
        return;
    struct dts_cfg top = dts_doc_top(doc), schema = dts_cfg_member(&top, "schema");
    CHECK(dts_cfg_string(&schema, &word, &err));
    CHECK_STRING(word, "dtsim-result/1");
    struct dts_cfg list = dts_cfg_member(&top, "points");
    CHECK_INT(dts_cfg_length(&list), 2);
    struct dts_cfg first = dts_cfg_item(&list, 0), second = dts_cfg_item(&list, 1);
    CHECK_NEAR(number(&first, "", "devices"), 8, 0);
    CHECK_NEAR(number(&first, "step", "total_s"), 0.25, 0);
    CHECK_NEAR(number(&first, "step", "exposed_comm_s"), 0.05, 0);
    CHECK_NEAR(number(&first, "training", "time_s"), 7200, 0);
    CHECK_NEAR(number(&first, "reference", "predicted"), 0.25, 0);
    CHECK_NEAR(number(&first, "reference", "error_percent"), 25, 1e-9);
    CHECK(isnan(number(&first, "step", "input_s"))); // absent: left out
    CHECK(isnan(number(&first, "memory", "total_bytes")));

    struct dts_cfg error = dts_cfg_member(&second, "error");
    struct dts_cfg cause = dts_cfg_member(&error, "cause");
    CHECK(dts_cfg_string(&cause, &word, &err));
    CHECK_STRING(word, "input");
    CHECK_NEAR(number(&second, "", "devices"), 16, 0);
    CHECK(isnan(number(&second, "", "throughput_samples_per_s")));
    struct dts_cfg step = dts_cfg_member(&second, "step");
    CHECK(!dts_cfg_exists(&step));
    dts_doc_free(doc);
    free(text);
}

/* The value in a row (0: the first below the names) under a name. */
static void csv_cell(const char *csv, int row, const char *name, char *value, size_t room)
{
    int column = 0;
    const char *at = csv;
    for (; strncmp(at, name, strlen(name)) != 0 || strcspn(at, ",\n") != strlen(name); column++)
        at += strcspn(at, ",\n") + 1;
    at = csv;
    for (int r = 0; r <= row; r++)
        at = strchr(at, '\n') + 1;
    for (int c = 0; c < column; c++)
        at += strcspn(at, ",\n") + 1;
    snprintf(value, room, "%.*s", (int)strcspn(at, ",\n"), at);
}

static void csv_has_the_units_in_the_names(void)
{
    struct dts_result points[2];
    char value[64];
    fill(points);
    char *text = print("csv", points, 2);
    csv_cell(text, 0, "step_total_s", value, sizeof(value));
    CHECK_STRING(value, "0.25");
    csv_cell(text, 0, "throughput_samples_per_s", value, sizeof(value));
    CHECK_STRING(value, "1024");
    csv_cell(text, 0, "step_input_s", value, sizeof(value));
    CHECK_STRING(value, "");
    csv_cell(text, 1, "devices", value, sizeof(value));
    CHECK_STRING(value, "16");
    csv_cell(text, 1, "throughput_samples_per_s", value, sizeof(value));
    CHECK_STRING(value, "");
    csv_cell(text, 1, "error", value, sizeof(value));
    CHECK_STRING(value, "x.json: devices 16: the platform has 8");
    free(text);
}

static bool has(const char *text, const char *words)
{
    bool found = strstr(text, words) != NULL;
    if (!found)
        printf("not there: %s\nin\n%s", words, text);
    return found;
}

static void text_says_what_it_rests_on(void)
{
    struct dts_result points[2];
    fill(points);
    char *text = print("text", points, 2);
    CHECK(has(text, "x: a test\n"));
    CHECK(has(text, "images") && has(text, "per s"));
    CHECK(has(text, " 90\n") && has(text, "epochs"));
    CHECK(has(text, "step 250 ms, published 200 ms: +25.0 %. a paper, \"2017\""));
    CHECK(has(text,
              "Answer: ring, 8 devices: 250.0 ms a step, give or take 20 %, 1024 images/s, 90\n"
              "  epochs in 2.00 h\n"));
    CHECK(has(text, "Rests on: engine fluid; off by: nine in ten"));
    CHECK(has(text, "2 assumed"));
    CHECK(strstr(text, "nics.latency_us") == NULL);
    CHECK(has(text, "\nNot predicted\n  ring, 16 devices: x.json: devices 16: the platform"));
    CHECK(strstr(text, "input") == NULL); // a column in which nothing is
    CHECK(strstr(text, "99999") == NULL);
    CHECK(strstr(text, "nan") == NULL);
    free(text);
    text = print_as("text", true, points, 2);
    CHECK(has(text, "assumed   net: nics.latency_us, storage\n"));
    CHECK(strstr(text, "--explain") == NULL);
    free(text);
}

static void a_refused_point_is_not_judged(void)
{
    struct dts_result points[2];
    fill(points);
    char *text = print("json", points, 2);
    CHECK(has(text, "\"class\": \"data_parallel\""));
    CHECK(has(text, "\"error_p90_percent\": 20"));
    CHECK(strstr(strstr(text, "p90") + 1, "p90") == NULL);
    free(text);
}

static void growth_is_said_in_plain_digits_and_without_rounding(void)
{
    struct dts_result points[2];
    fill(points);
    points[1].error = (struct dts_error){0};
    points[0].global_batch = points[0].devices;
    points[1].global_batch = points[1].devices;
    points[0].step =
        (struct dts_step){.total_s = 0.25, .compute_s = 0.2, .exposed_comm_s = 0.05};
    points[1].step = points[0].step;
    points[1].step.total_s = 2.58;
    points[1].step.exposed_comm_s = 2.38;
    points[1].step.overlap_slowdown_s = 4.4e-16;
    points[1].step.straggler_s = -1e-15;
    points[1].bare_total_s = 12345.6;
    char *text = print_as("text", true, points, 2);
    CHECK(has(text,
              "ring, 16 devices: +2330 ms from 8 devices on: exposed communication +2330,"));
    CHECK(has(text, "overlap +0, stragglers +0\n"));
    CHECK(has(text, "Without overheads, slowdown and noise: 12345600 ms."));
    free(text);
}

static void text_chooses_the_unit_of_time_by_the_longest(void)
{
    static const struct {
        double step_s, time_s;
        const char *step, *time;
    } cases[] = {
        {2e-5, 50, "[us]", "[s]"},
        {0.25, 600, "[ms]", "[min]"},
        {20, 7200, "[s]", "[h]"},
        {20, 1e6, "[s]", "[days]"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct dts_result points[2];
        fill(points);
        points[0].step.total_s = cases[i].step_s;
        points[0].training.time_s = cases[i].time_s;
        char *text = print("text", points, 1);
        CHECK(has(text, cases[i].step));
        CHECK(has(text, cases[i].time));
        free(text);
    }
}

static void every_format_prints_a_report_of_refusals_alone(void)
{
    for (int f = 0; dts_formats[f] != NULL; f++) {
        struct dts_result points[2];
        if (dts_formats[f]->print == NULL)
            continue; // a picture has nothing to show
        fill(points);
        char *text = print(dts_formats[f]->name, points + 1, 1);
        CHECK(has(text, "the platform has 8"));
        CHECK(strstr(text, "nan") == NULL);
        free(text);
    }
}

static void every_metric_of_a_reference_is_found_by_its_name(void)
{
    int count = 0;
    for (; dts_metric_reference(count) != NULL; count++)
        CHECK_STRING(dts_metric_find(dts_metric_reference(count))->reference,
                     dts_metric_reference(count));
    CHECK(count >= 4);
    CHECK(dts_metric_find("speed") == NULL);
}

/* The whole of a file of the sources. The caller frees it. */
static char *source(const char *path)
{
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    fseek(file, 0, SEEK_END);
    const size_t size = (size_t)ftell(file);
    rewind(file);
    char *text = calloc(size + 1, 1);
    CHECK(fread(text, 1, size, file) == size);
    fclose(file);
    return text;
}

static bool is_part_of_a_name(char c)
{
    return (c >= 'a' && c <= 'z') || c == '_';
}

/* Is the name there, and not as a part of another? */
static bool names(const char *text, const char *name)
{
    for (const char *at = text; (at = strstr(at, name)) != NULL; at++)
        if (!is_part_of_a_name(at[-1]) && !is_part_of_a_name(at[strlen(name)]))
            return true;
    printf("not there: %s\n", name);
    return false;
}

static void every_figure_of_a_result_is_defined(void)
{
    char *text = source(DTS_SOURCE "/docs/model.md");
    for (const struct dts_metric *metric = dts_metrics; metric->name != NULL; metric++) {
        char name[64];
        snprintf(name, sizeof(name), "%s%s%s", metric->name, metric->unit != NULL ? "_" : "",
                 metric->unit != NULL ? metric->unit : "");
        CHECK(names(text, name));
    }
    static const char *const others[] = {"global_batch",  "nodes",           "why",
                                         "reference",     "more_references", "error_percent",
                                         "predicted",     "slowdown_source", "noise_source",
                                         "engine_limits", "low_s",           "high_s",
                                         "unlike"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        CHECK(names(text, others[i]));
    free(text);
    static const struct {
        const char *page, *name;
    } elsewhere[] = {
        {DTS_SOURCE "/docs/live.md", "node_ranks"},
        {DTS_SOURCE "/docs/live.md", "node_cores"},
        {DTS_SOURCE "/docs/live.md", "train_loss"},
        {DTS_SOURCE "/docs/live.md", "left_out_steps"},
        {DTS_SOURCE "/docs/convergence.md", "phases"},
        {DTS_SOURCE "/docs/convergence.md", "memory_bytes"},
        {DTS_SOURCE "/docs/convergence.md", "level_kernels"},
        {DTS_SOURCE "/docs/convergence.md", "level_step"},
        {DTS_SOURCE "/docs/convergence.md", "to_target"},
        {DTS_SOURCE "/docs/convergence.md", "to_targets"},
    };
    for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++) {
        text = source(elsewhere[i].page);
        CHECK(names(text, elsewhere[i].name));
        free(text);
    }
}

static void the_help_names_every_metric_of_a_reference(void)
{
    char *text = source(DTS_SOURCE "/tests/golden/help/help_scenario.want");
    for (int i = 0; dts_metric_reference(i) != NULL; i++)
        CHECK(names(text, dts_metric_reference(i)));
    free(text);
}

TESTS(TEST(json_is_read_back), TEST(csv_has_the_units_in_the_names),
      TEST(text_says_what_it_rests_on), TEST(a_refused_point_is_not_judged),
      TEST(growth_is_said_in_plain_digits_and_without_rounding),
      TEST(text_chooses_the_unit_of_time_by_the_longest),
      TEST(every_format_prints_a_report_of_refusals_alone),
      TEST(every_metric_of_a_reference_is_found_by_its_name),
      TEST(every_figure_of_a_result_is_defined),
      TEST(the_help_names_every_metric_of_a_reference))
