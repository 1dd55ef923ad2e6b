/* compare.c -- which points of two results are alike, and what was asked differently. */
#include "answer/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/compare/side.h"
#include "base/json/cfg.h"
#include "base/mem.h"
#include "base/text.h"

static bool is_like(const struct dts_compare *c, const struct dts_compare_point *a,
                    const struct dts_compare_point *b)
{
    const bool several = c->side[0].report_count > 1 || c->side[1].report_count > 1;
    return a->devices == b->devices && strcmp(a->strategy, b->strategy) == 0 &&
           strcmp(a->setting, b->setting) == 0 &&
           (!several || strcmp(a->scenario, b->scenario) == 0);
}

/* The first with the first, the second with the second, where several are alike. */
static void match(struct dts_compare *c)
{
    struct dts_compare_side *a = &c->side[0], *b = &c->side[1];
    for (int i = 0; i < a->point_count; i++)
        for (int j = 0; j < b->point_count && a->points[i].other < 0; j++)
            if (b->points[j].other < 0 && is_like(c, &a->points[i], &b->points[j])) {
                a->points[i].other = j;
                b->points[j].other = i;
                c->matched++;
            }
}

/* One more point that differs in this; equal differences are one. */
static void add_asked(struct dts_compare *c, size_t *room, const char *what, const char *a,
                      const char *b, int point)
{
    for (int i = 0; i < c->asked_count; i++) {
        struct dts_compare_asked *asked = &c->asked[i];
        if (strcmp(asked->what, what) == 0 && strcmp(asked->a, a) == 0 &&
            strcmp(asked->b, b) == 0) {
            asked->count++;
            return;
        }
    }
    c->asked = dts_grow(c->asked, room, (size_t)c->asked_count + 1, sizeof(*c->asked));
    c->asked[c->asked_count++] =
        (struct dts_compare_asked){what, dts_copy(a), dts_copy(b), point, 1};
}

/* A value in words: a string without its quotes, those of a list one after another, else as
 * JSON;
 * "-": it is absent. The caller frees it. */
static char *value_of(const struct dts_cfg *at)
{
    struct dts_text text = {0};
    struct dts_error none = {0};
    const char *word;
    if (dts_cfg_is_list(at)) {
        for (size_t i = 0; i < dts_cfg_length(at); i++) {
            const struct dts_cfg item = dts_cfg_item(at, i);
            char *value = value_of(&item);
            dts_text_add(&text, "%s%s", i > 0 ? ", " : "", value);
            free(value);
        }
    } else if (dts_cfg_is_string(at) && dts_cfg_string(at, &word, &none)) {
        dts_text_add(&text, "%s", word);
    } else if (dts_cfg_exists(at)) {
        char *json = dts_cfg_json(at);
        dts_text_add_bytes(&text, json, strcspn(json, "\n"));
        free(json);
    }
    return text.length > 0 ? dts_text_take(&text) : dts_copy("-");
}

static void find_difference(struct dts_compare *c, size_t *room, const char *what,
                            const struct dts_cfg at[2], int point)
{
    char *a = value_of(&at[0]), *b = value_of(&at[1]);
    if (strcmp(a, b) != 0)
        add_asked(c, room, what, a, b, point);
    free(a);
    free(b);
}

static void find_asked(struct dts_compare *c)
{
    static const char *const of_reports[] = {"scenario", "dtsim", NULL};
    static const char *const of_questions[] = {"changed", "seed", "hash", NULL};
    static const char *const of_points[] = {"model", "platform", "stack",        "engine",
                                            "nodes", "basis",    "global_batch", NULL};
    size_t room = 0;
    for (int i = 0; i < c->side[0].point_count; i++) {
        const struct dts_compare_point *a = &c->side[0].points[i], *b;
        if (a->other < 0)
            continue;
        b = &c->side[1].points[a->other];
        struct dts_compare_place place[2];
        dts_compare_place(&c->side[0], a, &place[0]);
        dts_compare_place(&c->side[1], b, &place[1]);
        for (int k = 0; of_reports[k] != NULL; k++) {
            const struct dts_cfg at[2] = {dts_cfg_member(&place[0].report, of_reports[k]),
                                          dts_cfg_member(&place[1].report, of_reports[k])};
            find_difference(c, &room, of_reports[k], at, -1);
        }
        for (int k = 0; of_questions[k] != NULL; k++) {
            const struct dts_cfg question[2] = {dts_cfg_member(&place[0].report, "question"),
                                                dts_cfg_member(&place[1].report, "question")};
            const struct dts_cfg at[2] = {dts_cfg_member(&question[0], of_questions[k]),
                                          dts_cfg_member(&question[1], of_questions[k])};
            find_difference(c, &room, of_questions[k], at, -1);
        }
        for (int k = 0; of_points[k] != NULL; k++) {
            const struct dts_cfg at[2] = {dts_cfg_member(&place[0].point, of_points[k]),
                                          dts_cfg_member(&place[1].point, of_points[k])};
            find_difference(c, &room, of_points[k], at, i);
        }
    }
}

bool dts_compare_open(struct dts_compare *c, const char *a, const char *b,
                      struct dts_error *err)
{
    *c = (struct dts_compare){0};
    bool good = dts_compare_read(&c->side[0], a, err) && dts_compare_read(&c->side[1], b, err);
    if (good) {
        match(c);
        find_asked(c);
        good = c->matched > 0 ||
               dts_fail(err, DTS_BAD_INPUT,
                        "%s: no point is in %s, too: strategy, setting and devices (of several "
                        "scenarios also the name) must be alike",
                        a, b);
    }
    if (!good)
        dts_compare_free(c);
    return good;
}

void dts_compare_free(struct dts_compare *c)
{
    for (int i = 0; i < c->asked_count; i++) {
        free(c->asked[i].a);
        free(c->asked[i].b);
    }
    free(c->asked);
    for (int s = 0; s < 2; s++) {
        free(c->side[s].points);
        dts_doc_free(c->side[s].doc);
    }
    *c = (struct dts_compare){0};
}

double dts_compare_percent(const struct dts_compare *c, int point, int number)
{
    const struct dts_compare_point *a = &c->side[0].points[point];
    const double from = a->number[number], to = c->side[1].points[a->other].number[number];
    return from != 0 ? 100 * (to - from) / from : NAN;
}
