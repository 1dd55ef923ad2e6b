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

static double exponential(const struct dts_schedule *schedule, double epochs, double part)
{
    (void)part;
    const double since = fmax(epochs - schedule->warm_up_epochs, 0);
    return pow(schedule->factor, since / schedule->every_epochs);
}

static double polynomial(const struct dts_schedule *schedule, double epochs, double part)
{
    (void)epochs;
    const double power = schedule->power > 0 ? schedule->power : 2; // 0: not said
    return schedule->end + (1 - schedule->end) * pow(1 - part, power);
}

static double steps(const struct dts_schedule *schedule, double epochs, double part)
{
    (void)part;
    return pow(schedule->factor, floor(epochs / schedule->every_epochs));
}

static const struct row rows[] = {
    {"constant", constant, false},
    {"cosine", cosine, true},
    {"exponential", exponential, false},
    {"polynomial", polynomial, true},
    {"step", steps, false},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

const char *dts_schedule_name(int i)
{
    return i < ROWS ? rows[i].name : NULL;
}

/* done: the share of the warm-up that has passed when the step is over. */
static double gradual(double from, double done)
{
    return from + (1 - from) * done;
}

static double constantly(double from, double done)
{
    (void)done;
    return from;
}

static const struct warm_up {
    const char *name;
    double (*at)(double from, double done);
} warm_ups[] = {
    {"gradual", gradual},
    {"constant", constantly},
};

enum { WARM_UPS = sizeof(warm_ups) / sizeof(warm_ups[0]) };

const char *dts_warm_up_name(int i)
{
    return i < WARM_UPS ? warm_ups[i].name : NULL;
}

const struct dts_field dts_schedule_fields[] = {
    {DTS_KEY(struct dts_schedule, kind), .type = DTS_STRING, .missing = "\"constant\"",
     .choice = dts_schedule_name, .help = "how the learning rate changes"},
    {DTS_KEY(struct dts_schedule, warm_up_epochs), .type = DTS_REAL, .min = 0, .max = 1e6,
     .missing = "0", .help = "first epochs, in which the rate is lower"},
    {DTS_KEY(struct dts_schedule, warm_up), .type = DTS_STRING, .missing = "null",
     .choice = dts_warm_up_name,
     .help = "gradual: it grows step by step (default); constant: it is warm_up_from times it"},
    {DTS_KEY(struct dts_schedule, warm_up_from), .type = DTS_REAL, .min = 0, .max = 1,
     .missing = "null", .help = "share of the rate that the warm-up begins with; default: 0"},
    {DTS_KEY(struct dts_schedule, every_epochs), .type = DTS_REAL, .min = 1e-3, .max = 1e6,
     .missing = "30", .help = "of step and exponential: in so many epochs it is multiplied"},
    {DTS_KEY(struct dts_schedule, factor), .type = DTS_REAL, .min = 0, .max = 1e3,
     .missing = "0.1", .help = "of step and exponential: by so much"},
    {DTS_KEY(struct dts_schedule, power), .type = DTS_REAL, .min = 1e-3, .max = 100,
     .missing = "null", .help = "of polynomial: 1 is linear; default: 2"},
    {DTS_KEY(struct dts_schedule, end), .type = DTS_REAL, .min = 0, .max = 1, .missing = "null",
     .help = "of polynomial: share of the rate at the end; default: 0"},
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

static double warmed(const struct dts_schedule *schedule, double done)
{
    const struct warm_up *row = warm_ups;
    while (schedule->warm_up != NULL && strcmp(row->name, schedule->warm_up) != 0)
        row++;
    return row->at(schedule->warm_up_from, done);
}

double dts_schedule_at(const struct dts_schedule *schedule, long step, long epoch_steps,
                       long all_steps)
{
    const double warm_up = schedule->warm_up_epochs * (double)epoch_steps;
    const double rest = (double)all_steps - warm_up;
    double part = rest > 0 ? ((double)step - warm_up) / rest : 1;
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    const double grown =
        (double)step < warm_up ? warmed(schedule, fmin(((double)step + 1) / warm_up, 1)) : 1;
    return grown * row_of(schedule)->at(schedule, (double)step / (double)epoch_steps, part);
}
