/* trained.c -- epochs of a training as a table, JSON and lines. */
#include "answer/live/trained.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"

void dts_trained_add(struct dts_trained *trained, const struct dts_trained_epoch *epoch)
{
    size_t room = (size_t)trained->count;
    trained->epochs =
        dts_grow(trained->epochs, &room, (size_t)trained->count + 1, sizeof(*trained->epochs));
    trained->epochs[trained->count++] = *epoch;
}

void dts_trained_free(struct dts_trained *trained)
{
    free(trained->epochs);
    *trained = (struct dts_trained){0};
}

enum { COLUMNS = 6, MEAN_IOU = 4 };

static const struct dts_column columns[COLUMNS] = {
    {.title = "epoch", .name = "epoch", .unit = "", .digits = 1},
    {.title = "training\nloss", .name = "train_loss", .unit = "", .digits = 4},
    {.title = "test\nloss", .name = "test_loss", .unit = "", .digits = 4},
    {.title = "accuracy\n",
     .name = "accuracy",
     .unit = "",
     .digits = 4,
     .text_scale = 100,
     .text_unit = "%"},
    [MEAN_IOU] = {.title = "mean IoU\n",
                  .name = "mean_iou",
                  .unit = "",
                  .digits = 4,
                  .text_scale = 100,
                  .text_unit = "%"},
    {.title = "since begin\n", .name = "time", .unit = "s", .digits = 3},
};

void dts_trained_text(const struct dts_trained *trained, FILE *out)
{
    if (trained->count == 0)
        return;
    const bool regions = !isnan(trained->epochs[0].mean_iou);
    struct dts_column shown[COLUMNS];
    struct dts_cell *cells = dts_alloc((size_t)trained->count * COLUMNS, sizeof(*cells));
    int count = 0, cell = 0;
    for (int c = 0; c < COLUMNS; c++)
        if (c != MEAN_IOU || regions)
            shown[count++] = columns[c];
    for (int e = 0; e < trained->count; e++) {
        const struct dts_trained_epoch *epoch = &trained->epochs[e];
        const double row[COLUMNS] = {(double)epoch->epoch, epoch->train_loss, epoch->test_loss,
                                     epoch->accuracy,      epoch->mean_iou,   epoch->seconds};
        for (int c = 0; c < COLUMNS; c++)
            if (c != MEAN_IOU || regions)
                cells[cell++].number = row[c];
    }
    fputc('\n', out);
    dts_table_print_text(out, shown, count, cells, trained->count);
    free(cells);
}

enum { CSV_COLUMNS = 8 };

static const struct dts_column csv_columns[CSV_COLUMNS] = {
    {.name = "strategy"},
    {.name = "epoch", .unit = ""},
    {.name = "steps", .unit = ""},
    {.name = "train_loss", .unit = ""},
    {.name = "test_loss", .unit = ""},
    {.name = "accuracy", .unit = ""},
    {.name = "mean_iou", .unit = ""},
    {.name = "time", .unit = "s"},
};

void dts_trained_csv(const struct dts_trained *const *trained, const char *const *strategies,
                     int count, FILE *out)
{
    struct dts_cell *cells = NULL;
    size_t room = 0;
    int rows = 0;
    for (int i = 0; i < count; i++)
        for (int e = 0; e < trained[i]->count; e++, rows++) {
            const struct dts_trained_epoch *epoch = &trained[i]->epochs[e];
            const struct dts_cell row[CSV_COLUMNS] = {
                {.word = strategies[i]},         {.number = (double)epoch->epoch},
                {.number = (double)epoch->step}, {.number = epoch->train_loss},
                {.number = epoch->test_loss},    {.number = epoch->accuracy},
                {.number = epoch->mean_iou},     {.number = epoch->seconds},
            };
            cells = dts_grow(cells, &room, (size_t)(rows + 1) * CSV_COLUMNS, sizeof(*cells));
            memcpy(&cells[rows * CSV_COLUMNS], row, sizeof(row));
        }
    if (rows > 0) {
        fputc('\n', out);
        dts_table_print_csv(out, csv_columns, CSV_COLUMNS, cells, rows);
    }
    free(cells);
}

void dts_trained_json(const struct dts_trained *trained, struct dts_json *json)
{
    if (trained->count == 0 && trained->loss_scale == 0)
        return;
    dts_json_object(json, "training");
    dts_json_integer(json, "from_step", trained->from_step);
    if (trained->loss_scale > 0) {
        dts_json_number(json, "loss_scale", trained->loss_scale);
        dts_json_integer(json, "left_out_steps", trained->left_out);
    }
    dts_json_list(json, "epochs");
    for (int e = 0; e < trained->count; e++) {
        const struct dts_trained_epoch *epoch = &trained->epochs[e];
        dts_json_object(json, NULL);
        dts_json_integer(json, "epoch", epoch->epoch);
        dts_json_integer(json, "steps", epoch->step);
        dts_json_number(json, "train_loss", epoch->train_loss);
        dts_json_number(json, "test_loss", epoch->test_loss);
        dts_json_number(json, "accuracy", epoch->accuracy);
        if (!isnan(epoch->mean_iou))
            dts_json_number(json, "mean_iou", epoch->mean_iou);
        dts_json_number(json, "time_s", epoch->seconds);
        dts_json_end(json);
    }
    dts_json_end(json);
    dts_json_end(json);
}

void dts_trained_scale_line(const struct dts_trained *trained, FILE *out)
{
    if (trained->loss_scale > 0)
        fprintf(out, "loss scale %.10g, %ld step%s left out\n", trained->loss_scale,
                trained->left_out, dts_plural(trained->left_out));
}

void dts_trained_line(const struct dts_trained_epoch *epoch, long epochs, FILE *out)
{
    fprintf(out, "epoch %ld of %ld: training loss %.4g, test loss %.4g", epoch->epoch, epochs,
            epoch->train_loss, epoch->test_loss);
    if (!isnan(epoch->accuracy))
        fprintf(out, ", accuracy %.2f %%", 100 * epoch->accuracy);
    if (!isnan(epoch->mean_iou))
        fprintf(out, ", mean IoU %.2f %%", 100 * epoch->mean_iou);
    fprintf(out, ", %.0f s\n", epoch->seconds);
    fflush(out);
}
