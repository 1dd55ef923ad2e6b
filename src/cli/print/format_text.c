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
#include "cli/print/sentence.h"
#include "cli/print/text_accuracy.h"
#include "cli/print/text_cases.h"
#include "cli/print/text_columns.h"
#include "cli/print/text_neighbours.h"
#include "cli/print/text_notes.h"
#include "cli/print/text_phases.h"
#include "cli/print/text_tables.h"
#include "cli/print/time_unit.h"

#define AT(member) offsetof(struct dts_result, member)

static double largest(const struct dts_report *report, size_t offset)
{
    return dts_text_largest(report, offset);
}

static bool has_word(const struct dts_report *report, size_t offset)
{
    return dts_text_has_word(report, offset);
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

void dts_text_points(const struct dts_report *report, dts_table_printer *print_table, FILE *out)
{
    struct dts_text epochs = {0};
    char time_title[48], rate_title[48];
    if (!dts_text_add_common_epochs(&epochs, report))
        dts_text_add(&epochs, "training");
    snprintf(time_title, sizeof(time_title), "%.40s\n", dts_text_string(&epochs));
    if (strchr(time_title, ' ') != NULL)
        *strchr(time_title, ' ') = '\n'; // it is narrow
    dts_text_free(&epochs);
    snprintf(rate_title, sizeof(rate_title), "%ss\nper s\n",
             report->sample != NULL ? report->sample : "sample");
    enum { COUNT_DIGITS = 1 }; // at least: whole numbers are never cut
    const bool steps = trains(report), chosen = has_word(report, AT(chosen));
    const bool targets = has_target(report);
    const struct dts_text_column all[] = {
        {"strategy", AT(strategy), DTS_TEXT_WORD, .always = true},
        {"setting", AT(setting), DTS_TEXT_WORD, .always = has_word(report, AT(setting))},
        {"devices\n", AT(devices), DTS_TEXT_COUNT, .digits = COUNT_DIGITS, .always = true},
        {"nodes\n", AT(nodes), DTS_TEXT_COUNT, .digits = COUNT_DIGITS, .always = true,
         .rank = 12},
        {"batch\n", AT(global_batch), DTS_TEXT_COUNT, .digits = COUNT_DIGITS, .always = steps,
         .rank = 7},
        {steps ? "step\n" : "time\n", AT(step.total_s), DTS_TEXT_STEP, .digits = 4,
         .always = true},
        {"off by\n", AT(error_p90_percent), DTS_TEXT_NUMBER, "%", 1, 2, .rank = 4},
        {is_roofline(report) ? "compute\n(roofline)\n" : "compute\n", AT(step.compute_s),
         DTS_TEXT_STEP, .digits = 4, .always = steps, .rank = 9},
        {"exposed\ncomm\n", AT(step.exposed_comm_s), DTS_TEXT_STEP, .digits = 3,
         .always = steps, .rank = 8},
        {"input\n", AT(step.input_s), DTS_TEXT_STEP, .digits = 3, .rank = 10},
        {"bubble\n", AT(step.bubble_s), DTS_TEXT_STEP, .digits = 3, .rank = 10},
        {"strag-\ngler\n", AT(step.straggler_s), DTS_TEXT_STEP, .digits = 3, .rank = 11},
        {"alone\n", AT(beside.alone_s), DTS_TEXT_STEP, .digits = 4},
        {"slow-\ndown\n", AT(beside.slowdown), DTS_TEXT_NUMBER, "times", 1, 4},
        {"algbw\n", AT(algbw_bytes_s), DTS_TEXT_NUMBER, "GB/s", 1e-9, 4},
        {"busbw\n", AT(busbw_bytes_s), DTS_TEXT_NUMBER, "GB/s", 1e-9, 4},
        {"chosen", AT(chosen), DTS_TEXT_WORD, .always = chosen && !steps},
        {rate_title, AT(throughput_samples_per_s), DTS_TEXT_NUMBER, "", 1, 4,
         .rank = largest(report, AT(tokens_per_s_device)) > 0 ? 7 : 3},
        {"tokens per s\nand device\n", AT(tokens_per_s_device), DTS_TEXT_NUMBER, "", 1, 4,
         .rank = 3},
        {"MFU\n", AT(mfu), DTS_TEXT_NUMBER, "%", 100, 3, .rank = 2},
        {"memory\n", AT(memory.total_bytes), DTS_TEXT_NUMBER, "GB", 1e-9, 3, .rank = 6},
        {"effi-\nciency\n", AT(scaling_efficiency), DTS_TEXT_NUMBER, "%", 100, 3, .rank = 5},
        {"vs one\ndevice\n", AT(scaling_efficiency_one_device), DTS_TEXT_NUMBER, "%", 100, 3,
         .rank = 13},
        {time_title, AT(training.time_s), DTS_TEXT_TIME, .digits = 3, .rank = 1},
        {"energy\n", AT(training.energy_kwh), DTS_TEXT_NUMBER, "kWh", 1, 3, .rank = 4},
        {"cost\n", AT(training.cost), DTS_TEXT_NUMBER, "", 1, 4, .rank = 4},
    };
    enum { ALL = sizeof(all) / sizeof(all[0]) };
    struct dts_text_column shown[ALL];
    int count = 0;
    for (int c = 0; c < ALL; c++)
        if (!steps && all[c].offset == AT(step.exposed_comm_s))
            continue; // all of a collective alone
        else if (targets && all[c].offset >= AT(training.time_s) &&
                 all[c].offset <= AT(training.cost))
            continue; // the table below has them
        else if (all[c].always ||
                 (all[c].kind >= DTS_TEXT_NUMBER && largest(report, all[c].offset) > 0))
            shown[count++] = all[c];
    dts_text_columns(report, shown, count, print_table, out);
}

/* The time to a target, with the interval that 80 % of runs lie in. */
void dts_text_targets(const struct dts_report *report, dts_table_printer *print_table,
                      FILE *out)
{
    if (!has_target(report))
        return;
    const bool epochs = largest(report, AT(training.epochs)) > 0;
    char need_title[48];
    snprintf(need_title, sizeof(need_title), "%ss\n",
             report->sample != NULL ? report->sample : "sample");
    const struct dts_text_column all[] = {
        {"strategy", AT(strategy), DTS_TEXT_WORD, .always = true},
        {"setting", AT(setting), DTS_TEXT_WORD, .always = has_word(report, AT(setting))},
        {"devices\n", AT(devices), DTS_TEXT_COUNT, .digits = 1, .always = true},
        {"batch\n", AT(global_batch), DTS_TEXT_COUNT, .digits = 1, .always = true, .rank = 5},
        {"epochs\n", AT(training.epochs), DTS_TEXT_NUMBER, "", 1, 4, .always = epochs},
        {need_title, AT(training.samples), DTS_TEXT_NUMBER, "", 1, 4, .always = !epochs},
        {"steps\n", AT(training.steps), DTS_TEXT_NUMBER, "", 1, 4, .always = true},
        {"by late\ngradients\n", AT(staleness_steps), DTS_TEXT_NUMBER, "times", 1, 3,
         .always = largest(report, AT(staleness_steps)) > 0},
        {"evalu-\nation\n", AT(training.evaluation_s), DTS_TEXT_TIME, .digits = 3,
         .always = largest(report, AT(training.evaluation_s)) > 0, .rank = 3},
        {"time to\ntarget\n", AT(training.time_s), DTS_TEXT_TIME, .digits = 3, .always = true},
        {"80 %\nfrom\n", AT(training.time_low_s), DTS_TEXT_TIME, .digits = 3, .always = true},
        {"\nto\n", AT(training.time_high_s), DTS_TEXT_TIME, .digits = 3, .always = true},
        {"device-\nhours\n", AT(training.device_hours), DTS_TEXT_NUMBER, "", 1, 4,
         .always = true},
        {"energy\n", AT(training.energy_kwh), DTS_TEXT_NUMBER, "kWh", 1, 3,
         .always = largest(report, AT(training.energy_kwh)) > 0, .rank = 2},
        {"cost\n", AT(training.cost), DTS_TEXT_NUMBER, "", 1, 4,
         .always = largest(report, AT(training.cost)) > 0, .rank = 1},
        {"returns", AT(target.region), DTS_TEXT_WORD,
         .always = has_word(report, AT(target.region)), .rank = 4},
    };
    enum { ALL = sizeof(all) / sizeof(all[0]) };
    struct dts_text_column shown[ALL];
    int count = 0;
    for (int c = 0; c < ALL; c++)
        if (all[c].always)
            shown[count++] = all[c];
    fputc('\n', out);
    dts_text_columns(report, shown, count, print_table, out);
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

/* The answer comes first; of a list of cases it is the table's last line. */
static void print_sentence(const struct dts_report *report, FILE *out)
{
    struct dts_text text = {0};
    dts_sentence(report, &text);
    if (text.length > 0 && !report->listed) {
        char lead[16];
        const char *words = strchr(dts_text_string(&text), ' ') + 1; // "Fastest: ring, ..."
        snprintf(lead, sizeof(lead), "%.*s", (int)(words - dts_text_string(&text)),
                 dts_text_string(&text));
        dts_text_paragraph(out, lead, 2, words);
        fputc('\n', out);
    }
    dts_text_free(&text);
}

static void print(const struct dts_report *reports, int count, FILE *out)
{
    for (int i = 0; i < count; i++) {
        if (i > 0)
            fputc('\n', out);
        print_head(&reports[i], out);
        print_sentence(&reports[i], out);
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
