/* format_text.c -- a table that a person reads, and below it what it rests on. Columns in which
 * there is nothing to say are left out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/target/frontier.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"
#include "cli/print/format.h"
#include "cli/print/question.h"
#include "cli/print/text_accuracy.h"
#include "cli/print/text_cases.h"
#include "cli/print/text_neighbours.h"
#include "cli/print/text_notes.h"
#include "cli/print/text_phases.h"
#include "cli/print/text_tables.h"
#include "cli/print/time_unit.h"

/* Where the cell of a column comes from: a word, a count or a number of the result. */
enum source { WORD, COUNT, NUMBER };

struct source_column {
    const char *title;
    size_t offset;
    enum source source;
    const char *unit; // NUMBER: as the table shows it
    double scale;
    int digits;
    bool always; // else only when it is not 0 in some point
};

enum { SETTING_ROOM = 64 }; // bytes of a setting in the table

#define AT(member) offsetof(struct dts_result, member)

static double largest(const struct dts_report *report, size_t offset)
{
    double most = 0;
    for (int i = 0; i < report->count; i++) {
        double value;
        memcpy(&value, (const char *)&report->points[i] + offset, sizeof(value));
        if (report->points[i].error.cause == DTS_NO_ERROR && fabs(value) > most)
            most = fabs(value);
    }
    return most;
}

static bool has_target(const struct dts_report *report)
{
    return largest(report, AT(training.device_hours)) > 0;
}

/* False of a report that has collectives alone: no batch, no compute that could hide them. */
static bool trains(const struct dts_report *report)
{
    bool alone = false;
    for (int i = 0; i < report->count; i++) {
        if (report->points[i].global_batch > 0)
            return true;
        alone = alone || isfinite(report->points[i].busbw_bytes_s);
    }
    return !alone;
}

/* Do all answers stand on a bare roofline? */
static bool is_roofline(const struct dts_report *report)
{
    int answers = 0, roofs = 0;
    for (int i = 0; i < report->count; i++) {
        answers += !dts_result_refused(&report->points[i]);
        roofs += !dts_result_refused(&report->points[i]) && report->points[i].roofline;
    }
    return roofs > 0 && roofs == answers;
}

static bool has_word(const struct dts_report *report, size_t offset)
{
    for (int i = 0; i < report->count; i++)
        if (((const char *)&report->points[i])[offset] != '\0')
            return true;
    return false;
}

/* Settings as the table shows them, one for each point. The caller frees them. */
static char (*short_settings(const struct dts_report *report))[SETTING_ROOM]
{
    char(*settings)[SETTING_ROOM] = dts_alloc((size_t)report->count, sizeof(*settings));
    for (int i = 0; i < report->count; i++)
        dts_text_setting(report->points[i].setting, settings[i], sizeof(settings[i]));
    return settings;
}

static struct dts_cell cell_of(const struct source_column *column,
                               const struct dts_result *point)
{
    const char *at = (const char *)point + column->offset;
    struct dts_cell cell = {0};
    int count;
    switch (column->source) {
    case WORD:
        cell.word = at;
        break;
    case COUNT:
        memcpy(&count, at, sizeof(count));
        cell.number = count > 0 ? count : NAN;
        break;
    case NUMBER:
        memcpy(&cell.number, at, sizeof(cell.number));
        if (dts_result_refused(point))
            cell.number = NAN;
        break;
    }
    return cell;
}

static void print_columns(const struct dts_report *report, const struct source_column *sources,
                          int count, dts_table_printer *print_table, FILE *out)
{
    struct dts_column *columns = dts_alloc((size_t)count, sizeof(*columns));
    struct dts_cell *cells = dts_alloc((size_t)count * (size_t)report->count, sizeof(*cells));
    char(*settings)[SETTING_ROOM] = short_settings(report);
    for (int c = 0; c < count; c++) {
        columns[c] = (struct dts_column){.title = sources[c].title,
                                         .name = sources[c].title,
                                         .unit = sources[c].source == WORD ? NULL : "",
                                         .digits = sources[c].digits,
                                         .text_scale = sources[c].scale,
                                         .text_unit = sources[c].unit};
        for (int r = 0; r < report->count; r++) {
            cells[r * count + c] = cell_of(&sources[c], &report->points[r]);
            if (sources[c].offset == AT(setting))
                cells[r * count + c].word = settings[r];
        }
    }
    print_table(out, columns, count, cells, report->count);
    free(settings);
    free(columns);
    free(cells);
}

void dts_text_points(const struct dts_report *report, dts_table_printer *print_table, FILE *out)
{
    const struct dts_time_unit *step = dts_time_unit_step(largest(report, AT(step.total_s)));
    const struct dts_time_unit *time =
        dts_time_unit_training(largest(report, AT(training.time_s)));
    double epochs = largest(report, AT(training.epochs));
    char time_title[48], rate_title[48];
    snprintf(time_title, sizeof(time_title), "%.6g\nepoch%s\n", epochs,
             dts_plural((long)epochs));
    snprintf(rate_title, sizeof(rate_title), "%ss\nper s\n",
             report->sample != NULL ? report->sample : "sample");
    enum { COUNT_DIGITS = 1 }; // at least: whole numbers are never cut
    const bool steps = trains(report), chosen = has_word(report, AT(chosen));
    const bool targets = has_target(report);
    const struct source_column all[] = {
        {"strategy", AT(strategy), WORD, NULL, 0, 0, true},
        {"setting", AT(setting), WORD, NULL, 0, 0, has_word(report, AT(setting))},
        {"devices\n", AT(devices), COUNT, NULL, 0, COUNT_DIGITS, true},
        {"nodes\n", AT(nodes), COUNT, NULL, 0, COUNT_DIGITS, true},
        {"batch\n", AT(global_batch), COUNT, NULL, 0, COUNT_DIGITS, steps},
        {steps ? "step\n" : "time\n", AT(step.total_s), NUMBER, step->name, step->scale, 4,
         true},
        {is_roofline(report) ? "compute\n(roofline)\n" : "compute\n", AT(step.compute_s),
         NUMBER, step->name, step->scale, 4, steps},
        {"exposed\ncomm\n", AT(step.exposed_comm_s), NUMBER, step->name, step->scale, 3, steps},
        {"input\n", AT(step.input_s), NUMBER, step->name, step->scale, 3, false},
        {"bubble\n", AT(step.bubble_s), NUMBER, step->name, step->scale, 3, false},
        {"strag-\ngler\n", AT(step.straggler_s), NUMBER, step->name, step->scale, 3, false},
        {"alone\n", AT(beside.alone_s), NUMBER, step->name, step->scale, 4, false},
        {"slow-\ndown\n", AT(beside.slowdown), NUMBER, "times", 1, 4, false},
        {"algbw\n", AT(algbw_bytes_s), NUMBER, "GB/s", 1e-9, 4, false},
        {"busbw\n", AT(busbw_bytes_s), NUMBER, "GB/s", 1e-9, 4, false},
        {"chosen", AT(chosen), WORD, NULL, 0, 0, chosen && !steps},
        {rate_title, AT(throughput_samples_per_s), NUMBER, "", 1, 4, false},
        {"tokens per s\nand device\n", AT(tokens_per_s_device), NUMBER, "", 1, 4, false},
        {"MFU\n", AT(mfu), NUMBER, "%", 100, 3, false},
        {"effi-\nciency\n", AT(scaling_efficiency), NUMBER, "%", 100, 3, false},
        {"vs one\ndevice\n", AT(scaling_efficiency_one_device), NUMBER, "%", 100, 3, false},
        {time_title, AT(training.time_s), NUMBER, time->name, time->scale, 3, false},
        {"energy\n", AT(training.energy_kwh), NUMBER, "kWh", 1, 3, false},
        {"cost\n", AT(training.cost), NUMBER, "", 1, 4, false},
    };
    enum { ALL = sizeof(all) / sizeof(all[0]) };
    struct source_column shown[ALL];
    int count = 0;
    for (int c = 0; c < ALL; c++)
        if (!steps && all[c].offset == AT(step.exposed_comm_s))
            continue; // all of a collective alone
        else if (targets && all[c].offset >= AT(training.time_s) &&
                 all[c].offset <= AT(training.cost))
            continue; // the table below has them
        else if (all[c].always ||
                 (all[c].source == NUMBER && largest(report, all[c].offset) > 0))
            shown[count++] = all[c];
    print_columns(report, shown, count, print_table, out);
}

/* The time to a target, with the interval that 80 % of runs lie in. */
void dts_text_targets(const struct dts_report *report, dts_table_printer *print_table,
                      FILE *out)
{
    if (!has_target(report))
        return;
    const double longest = largest(report, AT(training.time_high_s));
    const struct dts_time_unit *time = dts_time_unit_training(longest);
    const bool epochs = largest(report, AT(training.epochs)) > 0;
    const bool energy = largest(report, AT(training.energy_kwh)) > 0;
    char need_title[48];
    snprintf(need_title, sizeof(need_title), "%ss\n",
             report->sample != NULL ? report->sample : "sample");
    const struct source_column all[] = {
        {"strategy", AT(strategy), WORD, NULL, 0, 0, true},
        {"setting", AT(setting), WORD, NULL, 0, 0, has_word(report, AT(setting))},
        {"devices\n", AT(devices), COUNT, NULL, 0, 1, true},
        {"batch\n", AT(global_batch), COUNT, NULL, 0, 1, true},
        {"epochs\n", AT(training.epochs), NUMBER, "", 1, 4, epochs},
        {need_title, AT(training.samples), NUMBER, "", 1, 4, !epochs},
        {"steps\n", AT(training.steps), NUMBER, "", 1, 4, true},
        {"by late\ngradients\n", AT(staleness_steps), NUMBER, "times", 1, 3,
         largest(report, AT(staleness_steps)) > 0},
        {"evalu-\nation\n", AT(training.evaluation_s), NUMBER, time->name, time->scale, 3,
         largest(report, AT(training.evaluation_s)) > 0},
        {"time to\ntarget\n", AT(training.time_s), NUMBER, time->name, time->scale, 3, true},
        {"80 %\nfrom\n", AT(training.time_low_s), NUMBER, time->name, time->scale, 3, true},
        {"\nto\n", AT(training.time_high_s), NUMBER, time->name, time->scale, 3, true},
        {"device-\nhours\n", AT(training.device_hours), NUMBER, "", 1, 4, true},
        {"energy\n", AT(training.energy_kwh), NUMBER, "kWh", 1, 3, energy},
        {"cost\n", AT(training.cost), NUMBER, "", 1, 4, largest(report, AT(training.cost)) > 0},
        {"returns", AT(target.region), WORD, NULL, 0, 0, has_word(report, AT(target.region))},
    };
    enum { ALL = sizeof(all) / sizeof(all[0]) };
    struct source_column shown[ALL];
    int count = 0;
    for (int c = 0; c < ALL; c++)
        if (all[c].always)
            shown[count++] = all[c];
    fputc('\n', out);
    print_columns(report, shown, count, print_table, out);
}

/* "ring, 8 devices (28.6 min, 3.81 device-hours)" */
static void add_choice(struct dts_text *text, const char *lead, const struct dts_result *point)
{
    const struct dts_time_unit *time = dts_time_unit_training(point->training.time_s);
    char name[DTS_TEXT_POINT];
    dts_text_add(text, "%s%s (", lead, dts_text_point(point, name));
    dts_text_add_significant(text, point->training.time_s * time->scale, 3);
    dts_text_add(text, " %s, ", time->name);
    dts_text_add_significant(text, point->training.device_hours, 3);
    dts_text_add(text, " device-hours)");
}

void dts_text_frontier(const struct dts_report *report, FILE *out)
{
    if (!has_target(report))
        return;
    struct dts_frontier *all = dts_alloc((size_t)report->count, sizeof(*all));
    const int count = dts_frontiers_find(report, all);
    if (count > 0)
        fputc('\n', out);
    for (int i = 0; i < count; i++) {
        struct dts_text text = {0};
        if (count > 1)
            dts_text_add(&text, "to %s: ", all[i].target);
        add_choice(&text, "", all[i].shortest);
        add_choice(&text, "; fewest device-hours: ", all[i].leanest);
        add_choice(&text, "; least product of both: ", all[i].knee);
        dts_text_paragraph(out, count > 1 ? "Shortest " : "Shortest: ", 2,
                           dts_text_string(&text));
        dts_text_free(&text);
    }
    free(all);
}

static void print_head(const struct dts_report *report, FILE *out)
{
    struct dts_text text = {0};
    dts_text_add(&text, "%s", report->summary != NULL ? report->summary : "");
    char lead[256];
    snprintf(lead, sizeof(lead), "%s%s", report->scenario, text.length > 0 ? ": " : "");
    dts_text_paragraph(out, lead, 2, dts_text_string(&text));
    dts_text_free(&text);
    for (int i = 0; i < report->count && !report->listed; i++) {
        const struct dts_result *point = &report->points[i];
        if (dts_result_refused(point) || point->model[0] == '\0')
            continue;
        fprintf(out, "  %s on %s, stack %s\n", point->model, point->platform, point->stack);
        break;
    }
    dts_question_text(report, out);
    fputc('\n', out);
}

static void print(const struct dts_report *reports, int count, FILE *out)
{
    for (int i = 0; i < count; i++) {
        if (i > 0)
            fputc('\n', out);
        print_head(&reports[i], out);
        dts_text_cases(&reports[i], dts_table_print_text, out);
        dts_text_points(&reports[i], dts_table_print_text, out);
        dts_text_targets(&reports[i], dts_table_print_text, out);
        dts_text_frontier(&reports[i], out);
        dts_text_neighbours(&reports[i], dts_table_print_text, out);
        dts_text_phases(&reports[i], dts_table_print_text, out);
        dts_text_accuracy(&reports[i], dts_table_print_text, out);
        dts_text_notes(&reports[i], out);
    }
}

const struct dts_format dts_format_text = {
    .name = "text",
    .summary = "a table, and below it what it rests on",
    .suffix = ".txt",
    .print = print,
};
