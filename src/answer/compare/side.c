/* side.c -- reads the members of results that are compared; others are nobody's concern. */
#include "answer/compare/side.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char schema[] = "dtsim-result/1";

const struct dts_compared dts_compared[DTS_COMPARED] = {
    {"step", "total_s", "step_s"},
    {NULL, "throughput_samples_per_s", "throughput_samples_per_s"},
    {"memory", "total_bytes", "memory_bytes"},
    {"training", "time_s", "time_s"},
};

/* A single result is one report, a list has several. */
static struct dts_cfg report_at(const struct dts_cfg *top, int report)
{
    return dts_cfg_is_list(top) ? dts_cfg_item(top, (size_t)report) : *top;
}

void dts_compare_place(const struct dts_compare_side *side,
                       const struct dts_compare_point *point, struct dts_compare_place *place)
{
    place->top = dts_doc_top(side->doc);
    place->report = report_at(&place->top, point->report);
    place->points = dts_cfg_member(&place->report, "points");
    place->point = dts_cfg_item(&place->points, (size_t)point->at);
}

static bool read_word(const struct dts_cfg *at, const char *key, const char **word,
                      struct dts_error *err)
{
    const struct dts_cfg member = dts_cfg_member(at, key);
    *word = "";
    return !dts_cfg_exists(&member) || dts_cfg_string(&member, word, err);
}

static bool read_number(const struct dts_cfg *at, const struct dts_compared *row,
                        double *number, struct dts_error *err)
{
    const struct dts_cfg group = row->group != NULL ? dts_cfg_member(at, row->group) : *at;
    const struct dts_cfg member = dts_cfg_member(&group, row->key);
    *number = NAN;
    return !dts_cfg_exists(&member) || dts_cfg_real(&member, 0, 0, number, err);
}

static bool read_point(const struct dts_cfg *at, struct dts_compare_point *point,
                       struct dts_error *err)
{
    const struct dts_cfg devices = dts_cfg_member(at, "devices"),
                         error = dts_cfg_member(at, "error"),
                         text = dts_cfg_member(&error, "text");
    bool good = read_word(at, "strategy", &point->strategy, err) &&
                read_word(at, "setting", &point->setting, err) &&
                dts_cfg_int(&devices, 1, INT_MAX, &point->devices, err) &&
                (!dts_cfg_exists(&error) || dts_cfg_string(&text, &point->error, err));
    for (int n = 0; n < DTS_COMPARED && good; n++)
        good = read_number(at, &dts_compared[n], &point->number[n], err);
    return good;
}

static bool read_report(struct dts_compare_side *side, int report, size_t *room,
                        struct dts_error *err)
{
    const struct dts_cfg top = dts_doc_top(side->doc), at = report_at(&top, report),
                         said = dts_cfg_member(&at, "schema"),
                         points = dts_cfg_member(&at, "points");
    const char *word = NULL, *scenario;
    struct dts_error none = {0};
    if (!dts_cfg_is_object(&at) || !dts_cfg_is_string(&said) ||
        !dts_cfg_string(&said, &word, &none) || strcmp(word, schema) != 0)
        return dts_cfg_fail(&at, NULL, err,
                            "must be a result, schema \"%s\", as `dtsim SCENARIO -o FILE.json` "
                            "writes it",
                            schema);
    if (!read_word(&at, "scenario", &scenario, err))
        return false;
    for (size_t p = 0; p < dts_cfg_length(&points); p++) {
        const struct dts_cfg item = dts_cfg_item(&points, p);
        side->points =
            dts_grow(side->points, room, (size_t)side->point_count + 1, sizeof(*side->points));
        struct dts_compare_point *point = &side->points[side->point_count++];
        *point = (struct dts_compare_point){
            .scenario = scenario, .other = -1, .report = report, .at = (int)p};
        if (!read_point(&item, point, err))
            return false;
    }
    return true;
}

bool dts_compare_read(struct dts_compare_side *side, const char *path, struct dts_error *err)
{
    size_t room = 0;
    *side = (struct dts_compare_side){0};
    if (!dts_doc_load(&side->doc, path, err))
        return false;
    const struct dts_cfg top = dts_doc_top(side->doc);
    side->report_count = dts_cfg_is_list(&top) ? (int)dts_cfg_length(&top) : 1;
    for (int r = 0; r < side->report_count; r++)
        if (!read_report(side, r, &room, err))
            return false;
    return true;
}
