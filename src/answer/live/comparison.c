/* comparison.c -- prediction and measurement side by side, phase by phase. */
#include "answer/live/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/target/staleness.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"

#define AT(member) offsetof(struct dts_step, member)

/* What a step is made of. Those that add up to the total can be to blame for its error. */
static const struct phase {
    const char *name, *title; // JSON key without "_s"; for people
    size_t offset;
    bool adds;
} phases[] = {
    {"total", "step", AT(total_s), false},
    {"compute", "compute", AT(compute_s), true},
    {"comm", "communication", AT(comm_s), false},
    {"exposed_comm", "exposed comm", AT(exposed_comm_s), true},
    {"input", "input", AT(input_s), true},
    {"bubble", "bubble", AT(bubble_s), true},
    {"straggler", "straggler", AT(straggler_s), true},
};

enum { PHASES = sizeof(phases) / sizeof(phases[0]) };

static double at(const struct dts_step *step, const struct phase *phase)
{
    double value;
    memcpy(&value, (const char *)step + phase->offset, sizeof(value));
    return value;
}

void dts_comparison_free(struct dts_comparison *comparison)
{
    free(comparison->buckets);
    dts_trained_free(&comparison->trained);
    dts_noise_free(&comparison->noise);
    *comparison = (struct dts_comparison){0};
}

double dts_error_percent(double predicted, double measured)
{
    return measured > 0 ? 100 * (predicted - measured) / measured : NAN;
}

/* With its sign. */
static void add_ms(struct dts_text *text, double seconds)
{
    dts_text_add(text, "%s", seconds < 0 ? "-" : "+");
    dts_text_add_significant(text, 1e3 * fabs(seconds), 3);
    dts_text_add(text, " ms");
}

void dts_comparison_explain(const struct dts_comparison *c, char *text, size_t room)
{
    if (c->steps == 0) {
        snprintf(text, room, "no step was measured");
        return;
    }
    double error_s = c->predicted.total_s - c->measured.total_s;
    const struct phase *worst = NULL;
    double most_s = 0;
    for (int p = 0; p < PHASES; p++) {
        double part_s = at(&c->predicted, &phases[p]) - at(&c->measured, &phases[p]);
        if (phases[p].adds && fabs(part_s) > most_s) {
            worst = &phases[p];
            most_s = fabs(part_s);
        }
    }
    struct dts_text line = {0};
    if (worst == NULL || fabs(error_s) <= 2 * c->mad.total_s) {
        dts_text_add(&line, "the error of ");
        add_ms(&line, error_s);
        dts_text_add(&line, " is within twice the spread of the step");
    } else {
        dts_text_add(&line, "the prediction is ");
        dts_text_add_significant(&line, 1e3 * fabs(error_s), 3);
        dts_text_add(&line,
                     " ms too %s; the largest part is %s: ", error_s > 0 ? "long" : "short",
                     worst->title);
        add_ms(&line, at(&c->predicted, worst) - at(&c->measured, worst));
    }
    snprintf(text, room, "%s", dts_text_string(&line));
    dts_text_free(&line);
}

static void put_step(struct dts_json *json, const char *key, const struct dts_step *step)
{
    dts_json_object(json, key);
    for (int p = 0; p < PHASES; p++) {
        char name[48];
        snprintf(name, sizeof(name), "%s_s", phases[p].name);
        dts_json_number(json, name, at(step, &phases[p]));
    }
}

static void put_bucket(struct dts_json *json, const struct dts_compared_bucket *bucket)
{
    const struct dts_bucket_times *times[] = {&bucket->predicted, &bucket->measured};
    static const char *const names[] = {"predicted", "measured"};
    dts_json_object(json, NULL);
    dts_json_integer(json, "bucket", bucket->number);
    for (int i = 0; i < 2; i++) {
        dts_json_object(json, names[i]);
        dts_json_number(json, "start_s", times[i]->start_s);
        dts_json_number(json, "end_s", times[i]->end_s);
        dts_json_end(json);
    }
    dts_json_number(json, "error_percent",
                    dts_error_percent(bucket->predicted.end_s - bucket->predicted.start_s,
                                      bucket->measured.end_s - bucket->measured.start_s));
    dts_json_end(json);
}

static void put_staleness(struct dts_json *json, const struct dts_comparison *c)
{
    const struct dts_stale *stale[] = {&c->predicted_staleness, &c->staleness};
    static const char *const names[] = {"predicted", "measured"};
    if (c->staleness.bin_width == 0)
        return;
    dts_json_object(json, "staleness");
    for (int i = 0; i < 2; i++) {
        if (stale[i]->bin_width == 0)
            continue;
        dts_json_object(json, names[i]);
        dts_json_number(json, "mean_updates", stale[i]->mean);
        dts_json_number(json, "p95_updates", stale[i]->p95);
        dts_json_number(json, "most_updates", stale[i]->most);
        dts_json_number(json, "used_share", stale[i]->used);
        dts_json_end(json);
    }
    dts_json_number(json, "distance",
                    dts_stale_distance(&c->predicted_staleness, &c->staleness));
    dts_json_end(json);
}

static void say_staleness(const struct dts_comparison *c, FILE *out)
{
    struct dts_text text = {0};
    if (c->staleness.bin_width == 0)
        return;
    dts_text_add(&text, "  Staleness: a gradient was ");
    dts_text_add_significant(&text, c->staleness.mean, 3);
    dts_text_add(&text, " updates behind in the mean, 95 %% at most %.0f", c->staleness.p95);
    if (c->predicted_staleness.bin_width > 0) {
        dts_text_add(&text, "; predicted ");
        dts_text_add_significant(&text, c->predicted_staleness.mean, 3);
        dts_text_add(&text, " and %.0f, the distance of the histograms is %.2f",
                     c->predicted_staleness.p95,
                     dts_stale_distance(&c->predicted_staleness, &c->staleness));
    }
    if (c->staleness.used < 1)
        dts_text_add(&text, "; %.1f %% were thrown away", 100 * (1 - c->staleness.used));
    fprintf(out, "%s.\n", dts_text_string(&text));
    dts_text_free(&text);
}

void dts_comparison_json(const struct dts_comparison *c, struct dts_json *json)
{
    char why[256];
    dts_comparison_explain(c, why, sizeof(why));
    dts_json_object(json, "live");
    put_step(json, "predicted", &c->predicted);
    dts_json_end(json);
    put_step(json, "measured", &c->measured);
    dts_json_number(json, "mad_s", c->mad.total_s);
    dts_json_end(json);
    put_step(json, "mad", &c->mad);
    dts_json_end(json);
    dts_json_integer(json, "steps", c->steps);
    dts_json_number(json, "error_percent",
                    dts_error_percent(c->predicted.total_s, c->measured.total_s));
    dts_json_number(json, "exposed_comm_error_percent",
                    dts_error_percent(c->predicted.exposed_comm_s, c->measured.exposed_comm_s));
    dts_json_number(json, "sums_checked", c->checked);
    dts_json_number(json, "sent_messages", c->messages);
    dts_json_number(json, "sent_bytes", c->bytes);
    dts_json_number(json, "network_bytes", c->network_bytes > 0 ? c->network_bytes : NAN);
    if (c->node_ranks > 0) {
        dts_json_integer(json, "node_ranks", c->node_ranks);
        dts_json_integer(json, "node_cores", c->node_cores);
    }
    dts_json_list(json, "buckets");
    for (int b = 0; b < c->bucket_count; b++)
        put_bucket(json, &c->buckets[b]);
    dts_json_end(json);
    dts_json_string(json, "why", why);
    put_staleness(json, c);
    dts_profile_fit_json(&c->fit, json);
    dts_device_messages_json(&c->device_messages, json);
    dts_trained_json(&c->trained, json);
    dts_noise_json(&c->noise, json);
    dts_json_end(json);
}

/* Rows of the table, grown as they come. */
struct rows {
    struct dts_cell *cells;
    size_t room;
    int count;
    char (*names)[24]; // of buckets
    size_t name_room;
};

enum { COLUMNS = 6 };

static void add_row(struct rows *rows, const char *strategy, const char *part, double predicted,
                    double measured, double mad)
{
    rows->cells = dts_grow(rows->cells, &rows->room, (size_t)(rows->count + 1) * COLUMNS,
                           sizeof(*rows->cells));
    const struct dts_cell row[COLUMNS] = {
        {.word = strategy},    {.word = part},
        {.number = predicted}, {.number = measured},
        {.number = mad},       {.number = dts_error_percent(predicted, measured)},
    };
    memcpy(&rows->cells[rows->count++ * COLUMNS], row, sizeof(row));
}

static void add_point(struct rows *rows, const struct dts_result *point, bool always_named)
{
    const struct dts_comparison *c = point->live;
    for (int p = 0; p < PHASES; p++) {
        double predicted = at(&c->predicted, &phases[p]),
               measured = at(&c->measured, &phases[p]);
        if (p > 0 && predicted == 0 && measured == 0)
            continue;
        add_row(rows, p == 0 || always_named ? point->strategy : "",
                always_named ? phases[p].name : phases[p].title, predicted, measured,
                at(&c->mad, &phases[p]));
    }
    for (int b = 0; b < c->bucket_count; b++) {
        const struct dts_compared_bucket *bucket = &c->buckets[b];
        add_row(rows, always_named ? point->strategy : "", rows->names[bucket->number],
                bucket->predicted.end_s - bucket->predicted.start_s,
                bucket->measured.end_s - bucket->measured.start_s, NAN);
    }
}

static void name_buckets(struct rows *rows, const struct dts_report *report)
{
    int most = 0;
    for (int i = 0; i < report->count; i++)
        for (int b = 0;
             report->points[i].live != NULL && b < report->points[i].live->bucket_count; b++)
            if (report->points[i].live->buckets[b].number >= most)
                most = report->points[i].live->buckets[b].number + 1;
    rows->names = dts_alloc((size_t)most, sizeof(*rows->names));
    for (int b = 0; b < most; b++)
        snprintf(rows->names[b], sizeof(rows->names[b]), "bucket %d", b);
}

static void fill(struct rows *rows, const struct dts_report *report, bool always_named)
{
    name_buckets(rows, report);
    for (int i = 0; i < report->count; i++)
        if (report->points[i].live != NULL)
            add_point(rows, &report->points[i], always_named);
}

static const struct dts_column columns[COLUMNS] = {
    {.title = "strategy", .name = "strategy"},
    {.title = "", .name = "part"},
    {.title = "predicted\n",
     .name = "predicted",
     .unit = "s",
     .digits = 4,
     .text_scale = 1e3,
     .text_unit = "ms"},
    {.title = "measured\n",
     .name = "measured",
     .unit = "s",
     .digits = 4,
     .text_scale = 1e3,
     .text_unit = "ms"},
    {.title = "spread\n",
     .name = "mad",
     .unit = "s",
     .digits = 2,
     .text_scale = 1e3,
     .text_unit = "ms"},
    {.title = "error\n", .name = "error", .unit = "percent", .digits = 2, .text_unit = "%"},
};

static void say_shared(const struct dts_comparison *c, FILE *out)
{
    if (c->node_ranks > c->node_cores)
        fprintf(out,
                "  %d ranks of a node had %d core%s between them: each waited while another "
                "computed.\n",
                c->node_ranks, c->node_cores, dts_plural(c->node_cores));
}

void dts_comparison_text(const struct dts_report *report, FILE *out)
{
    struct rows rows = {0};
    fill(&rows, report, false);
    dts_table_print_text(out, columns, COLUMNS, rows.cells, rows.count);
    fputc('\n', out);
    for (int i = 0; i < report->count; i++) {
        const struct dts_result *point = &report->points[i];
        char why[256];
        if (point->live != NULL) {
            dts_comparison_explain(point->live, why, sizeof(why));
            fprintf(out, "%s, %d device%s: %s.\n", point->strategy, point->devices,
                    dts_plural(point->devices), why);
            if (point->outside[0] != '\0')
                fprintf(out, "  Outside of what its seconds rest on: %s.\n", point->outside);
            say_shared(point->live, out);
            say_staleness(point->live, out);
            dts_profile_fit_text(&point->live->fit, out);
            dts_device_messages_text(&point->live->device_messages, out);
            dts_trained_text(&point->live->trained, out);
            dts_noise_text(&point->live->noise, out);
        } else {
            fprintf(out, "%s: not run: %s\n", point->strategy, point->error.text);
        }
    }
    free(rows.cells);
    free(rows.names);
}

static void print_trained(const struct dts_report *report, FILE *out)
{
    const struct dts_trained **trained = dts_alloc((size_t)report->count, sizeof(*trained));
    const char **strategies = dts_alloc((size_t)report->count, sizeof(*strategies));
    int count = 0;
    for (int i = 0; i < report->count; i++)
        if (report->points[i].live != NULL) {
            trained[count] = &report->points[i].live->trained;
            strategies[count++] = report->points[i].strategy;
        }
    dts_trained_csv(trained, strategies, count, out);
    free(trained);
    free(strategies);
}

void dts_comparison_csv(const struct dts_report *report, FILE *out)
{
    struct rows rows = {0};
    fill(&rows, report, true);
    dts_table_print_csv(out, columns, COLUMNS, rows.cells, rows.count);
    print_trained(report, out);
    free(rows.cells);
    free(rows.names);
}
