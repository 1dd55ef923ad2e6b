/* neighbour_scenes.c -- opens the neighbours of a scenario. */
#include "answer/variants/neighbour_scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/variants/variant.h"
#include "base/mem.h"
#include "train/strategy/strategy.h"

static struct dts_cfg item_of(const struct dts_cfg *list, int number)
{
    return dts_cfg_item(list, (size_t)number);
}

static void add_value(struct dts_changes *to, const char *by, const char *key,
                      const struct dts_cfg *value, const char *left, const char *right)
{
    struct dts_text text = {0};
    char *json = dts_cfg_json(value);
    dts_text_add(&text, "%s%s%s", left, json, right);
    dts_changes_add_by(to, by, key, dts_text_string(&text));
    dts_text_free(&text);
    free(json);
}

/* What the neighbour has of its own, and what only the job has that is asked. */
static void add_own(struct dts_changes *to, const char *by, const struct dts_cfg *item,
                    const struct dts_beside *beside)
{
    static const char *const none[] = {"neighbours", "references", "measurements"};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        dts_changes_add_by(to, by, none[i], "null");
    dts_changes_add_by(to, by, "training", "{}");
    for (int i = 0; dts_beside_key(i) != NULL; i++) {
        const struct dts_cfg value = dts_cfg_member(item, dts_beside_key(i));
        if (dts_cfg_exists(&value))
            add_value(to, by, dts_beside_key(i), &value, "", "");
    }
    const struct dts_cfg strategy = dts_cfg_member(item, "strategy"),
                         devices = dts_cfg_member(item, "devices");
    if (dts_cfg_exists(&strategy))
        add_value(to, by, "strategies", &strategy, "[", "]");
    if (beside->devices > 0)
        add_value(to, by, "devices", &devices, "", "");
}

/* Its strategy is the first of a list of one, which nobody wrote. */
static void name_strategy(const struct dts_error *why, struct dts_error *err)
{
    static const char list[] = "].strategies[0]";
    const char *at = strstr(why->text, list);
    *err = at == NULL ? *why : (struct dts_error){0};
    if (at != NULL)
        dts_fail(err, why->cause, "%.*s].strategy%s", (int)(at - why->text), why->text,
                 at + strlen(list));
}

/* Where nothing is trained, words of a network would have no effect. */
static bool check_trains(const struct dts_scene *scene, const struct dts_cfg *item,
                         struct dts_error *err)
{
    static const char *const words[] = {"model", "batch", "optimizer"};
    if (!scene->scenario.strategies[0].kind->trains_nothing)
        return true;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const struct dts_cfg at = dts_cfg_member(item, words[i]);
        if (dts_cfg_exists(&at))
            return dts_cfg_fail(item, words[i], err,
                                "has no effect: strategy \"%s\" trains nothing",
                                scene->scenario.strategies[0].kind->name);
    }
    return true;
}

static bool open_one(const struct dts_changes *changes, int k, struct dts_scene *scene,
                     int number, struct dts_error *err)
{
    const struct dts_cfg top = dts_doc_top(scene->scenario.doc),
                         list = dts_cfg_member(&top, "neighbours"),
                         item = item_of(&list, number);
    struct dts_changes own = {0};
    struct dts_error why = {0}, named;
    struct dts_text by = {0};
    char *lead = dts_cfg_lead(&item);
    dts_text_add(&by, "%s.", lead);
    add_own(&own, by.chars, &item, &scene->scenario.neighbours[number]);
    bool good = dts_variant_read(changes, k, scene, &own, &scene->neighbours[number], &why);
    if (good && !check_trains(&scene->neighbours[number], &item, &why)) {
        dts_scene_close(&scene->neighbours[number]);
        good = false;
    }
    if (!good) {
        name_strategy(&why, &named);
        dts_variant_name_error(&scene->scenario, "neighbours", number, &named, err);
    }
    free(lead);
    dts_text_free(&by);
    dts_changes_free(&own);
    return good;
}

bool dts_neighbour_scenes_open(const struct dts_changes *changes, int k,
                               struct dts_scene *scene, struct dts_error *err)
{
    const int count = scene->scenario.neighbour_count;
    if (count == 0)
        return true;
    scene->neighbours = dts_alloc((size_t)count, sizeof(*scene->neighbours));
    for (int i = 0; i < count; i++) {
        if (!open_one(changes, k, scene, i, err))
            return false;
        scene->neighbour_count++;
    }
    return true;
}
