/* held.c -- units of published figures. */
#include <math.h>
#include <string.h>

#include "cli/print/text_notes.h"
#include "cli/print/time_unit.h"

/* How a figure is shown: in the unit that a person would choose for the smaller of two. */
struct shown {
    const char *unit;
    double scale;
};

static struct shown shown_of(const struct dts_metric *metric, double smaller)
{
    static const struct {
        const char *unit;
        struct shown shown;
    } rows[] = {{"bytes_s", {"GB/s", 1e-9}},
                {"percent", {"%", 1}},
                {"samples_per_s", {"samples/s", 1}},
                {"tokens_per_s", {"tokens/s", 1}}};
    if (metric == NULL || metric->unit == NULL)
        return (struct shown){"", 1};
    const bool training = metric->group != NULL && strcmp(metric->group, "training") == 0;
    const struct dts_time_unit *time =
        training ? dts_time_unit_training(smaller) : dts_time_unit_step(smaller);
    if (strcmp(metric->unit, "s") == 0)
        return (struct shown){time->name, time->scale};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(metric->unit, rows[i].unit) == 0)
            return rows[i].shown;
    return (struct shown){"", 1}; // the name says it
}

static void add_figure(struct dts_text *text, double value, const struct shown *shown)
{
    const double scaled = value * shown->scale;
    if (fabs(scaled) >= 1e4 && fabs(scaled) < 1e7)
        dts_text_add_significant(text, scaled, 4);
    else
        dts_text_add(text, "%.4g", scaled);
    dts_text_add(text, *shown->unit != '\0' ? " %s" : "%s", shown->unit);
}

void dts_text_add_held(struct dts_text *text, const struct dts_held *held)
{
    const struct dts_metric *metric = dts_metric_find(held->metric);
    const struct shown shown = shown_of(metric, fmin(held->predicted, held->value));
    const bool time = metric != NULL && metric->unit != NULL && strcmp(metric->unit, "s") == 0;
    const int suffix = time ? 2 : 0; // "time_s" in hours is "time"
    dts_text_add(text, "%.*s ", (int)strlen(held->metric) - suffix, held->metric);
    add_figure(text, held->predicted, &shown);
    dts_text_add(text, ", published ");
    add_figure(text, held->value, &shown);
    dts_text_add(text, ": %+.1f %%. %s", held->error_percent, held->source);
}
