/* schedule.c -- the table of learning rate schedules. */
#include "train/scenario/schedule.h"

#include <math.h>
#include <string.h>

/* epochs: since the beginning. part: of the way from the end of the warm-up to the end. */
struct row {
    const char *name;
    double (*at)(const struct dts_schedule *schedule, double epochs, double part);
    bool ends; // it depends on the end
};

static double constant(const struct dts_schedule *schedule, double epochs, double part)
{
    (void)schedule, (void)epochs, (void)part;
    return 1;
}

static double cosine(const struct dts_schedule *schedule, double epochs, double part)
{
    (void)schedule, (void)epochs;
    return 0.5 * (1 + cos(M_PI * part));
}

static double steps(const struct dts_schedule *schedule, double epochs, double part)
{
    (void)part;
    return pow(schedule->factor, floor(epochs / schedule->every_epochs));
}

static const struct row rows[] = {
    {"constant", constant, false},
    {"cosine", cosine, true},
    {"step", steps, false},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

const char *dts_schedule_name(int i)
{
    return i < ROWS ? rows[i].name : NULL;
}

const struct dts_field dts_schedule_fields[] = {
    {DTS_KEY(struct dts_schedule, kind), .type = DTS_STRING, .missing = "\"constant\"",
     .choice = dts_schedule_name, .help = "how the learning rate changes"},
    {DTS_KEY(struct dts_schedule, warm_up_epochs), .type = DTS_REAL, .min = 0, .max = 1e6,
     .missing = "0", .help = "first epochs, in which the rate grows from nearly 0"},
    {DTS_KEY(struct dts_schedule, every_epochs), .type = DTS_REAL, .min = 1e-3, .max = 1e6,
     .missing = "30", .help = "of \"step\": after so many epochs it is multiplied"},
    {DTS_KEY(struct dts_schedule, factor), .type = DTS_REAL, .min = 0, .max = 1e3,
     .missing = "0.1", .help = "of \"step\": by so much"},
    {0},
};

static const struct row *row_of(const struct dts_schedule *schedule)
{
    const struct row *row = rows;
    while (strcmp(row->name, schedule->kind) != 0) // the name was checked when it was read
        row++;
    return row;
}

bool dts_schedule_ends(const struct dts_schedule *schedule)
{
    return row_of(schedule)->ends;
}

double dts_schedule_at(const struct dts_schedule *schedule, long step, long epoch_steps,
                       long all_steps)
{
    const double warm_up = schedule->warm_up_epochs * (double)epoch_steps;
    const double rest = (double)all_steps - warm_up;
    double part = rest > 0 ? ((double)step - warm_up) / rest : 1;
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    const double grown = (double)step + 1 < warm_up ? ((double)step + 1) / warm_up : 1;
    return grown * row_of(schedule)->at(schedule, (double)step / (double)epoch_steps, part);
}
