/* noise_left_out.c -- rows of noise_law.h, each from the others. */
#include "cli/print/noise_left_out.h"

#include <string.h>

#include "base/table.h"
#include "base/text.h"

enum { COLUMNS = 8, MOST_ROWS = 32 };

static int fill(struct dts_cell *cells)
{
    int rows = 0;
    for (const struct dts_noise_row *row = dts_noise_rows; row->name != NULL; row++) {
        const struct dts_noise_left_out out = dts_noise_leave_out(row);
        const double predicted = out.predicted, off = predicted > row->critical_batch
                                                          ? predicted / row->critical_batch
                                                          : row->critical_batch / predicted;
        const struct dts_cell line[COLUMNS] = {
            {.word = row->name},
            {.number = row->scale},
            {.number = row->critical_batch},
            {.number = predicted},
            {.number = out.low},
            {.number = out.high},
            {.number = off},
            {.word = out.covered ? "yes" : "no"},
        };
        memcpy(&cells[rows++ * COLUMNS], line, sizeof(line));
    }
    return rows;
}

void dts_noise_left_out_text(FILE *out)
{
    static const struct dts_column columns[COLUMNS] = {
        {.title = "benchmark"},
        {.title = "noise\nscale\n", .unit = "", .digits = 3},
        {.title = "critical\nbatch\n", .unit = "", .digits = 3},
        {.title = "predicted\n", .unit = "", .digits = 3},
        {.title = "80 %\nfrom\n", .unit = "", .digits = 3},
        {.title = "\nto\n", .unit = "", .digits = 3},
        {.title = "off\n", .unit = "", .digits = 2, .text_unit = "times"},
        {.title = "covered"},
    };
    struct dts_cell cells[MOST_ROWS * COLUMNS];
    const int rows = fill(cells);
    int basis = 0, held = 0, others = 0, others_held = 0;
    for (const struct dts_noise_row *row = dts_noise_rows; row->name != NULL; row++) {
        const bool covered = dts_noise_leave_out(row).covered;
        basis += row->basis;
        held += row->basis && covered;
        others += !row->basis;
        others_held += !row->basis && covered;
    }
    fprintf(out, "\nA whole benchmark left out: its critical batch from the noise of its "
                 "gradients.\n\n");
    dts_table_print_text(out, columns, COLUMNS, cells, rows);
    struct dts_text text = {0};
    dts_text_add(&text,
                 "The noise scale over the quotient of the other published classifiers and "
                 "language models (%g of all), times or over %g. Covered: %d of these %d, and "
                 "%d of %d others: autoencoders, and trainings at a constant rate that is the "
                 "largest good one.",
                 DTS_NOISE_RATIO, DTS_NOISE_FACTOR, held, basis, others_held, others);
    fputc('\n', out);
    dts_text_wrap(out, "", 0, DTS_TEXT_WIDTH, dts_text_string(&text));
    dts_text_free(&text);
}

void dts_noise_left_out_json(struct dts_json *json)
{
    dts_json_list(json, "noise_scale");
    for (const struct dts_noise_row *row = dts_noise_rows; row->name != NULL; row++) {
        const struct dts_noise_left_out out = dts_noise_leave_out(row);
        dts_json_object(json, NULL);
        dts_json_string(json, "benchmark", row->name);
        dts_json_string(json, "kind", row->kind);
        dts_json_string(json, "source", row->source);
        dts_json_bool(json, "basis", row->basis);
        dts_json_number(json, "noise_scale_samples", row->scale);
        dts_json_number(json, "critical_batch", row->critical_batch);
        dts_json_number(json, "predicted", out.predicted);
        dts_json_number(json, "low", out.low);
        dts_json_number(json, "high", out.high);
        dts_json_bool(json, "covered", out.covered);
        dts_json_end(json);
    }
    dts_json_end(json);
}
