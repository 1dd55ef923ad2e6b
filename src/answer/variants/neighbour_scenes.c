/* neighbour_scenes.c -- opens the neighbours of a scenario. */
#include "answer/variants/neighbour_scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/variants/variant.h"
#include "base/mem.h"
#include "train/strategy/strategy.h"

/* The value of a key goes to another path, or the same. Who said it, and where, is said of it
 * there, too. */
static void add_value(struct dts_changes *to, const struct dts_cfg *item, const char *key,
                      const char *path, bool listed)
{
    const struct dts_cfg value = dts_cfg_member(item, key);
    struct dts_text text = {0};
    if (!dts_cfg_exists(&value))
        return;
    char *json = dts_cfg_json(&value), *lead = dts_cfg_lead(&value);
    dts_text_add(&text, "%s%s%s", listed ? "[" : "", json, listed ? "]" : "");
    lead[strlen(lead) - strlen(key)] = '\0';
    dts_changes_add_by(to, lead, path, dts_text_string(&text));
    dts_text_free(&text);
    free(lead);
    free(json);
}

/* What the neighbour has of its own, and what only the job has that is asked. */
static void add_own(struct dts_changes *to, const struct dts_cfg *item)
{
    static const char *const none[] = {"neighbours", "slow_workers", "references",
                                       "measurements"};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        dts_changes_add_by(to, "", none[i], "null");
    dts_changes_add_by(to, "", "training", "{}");
    for (int i = 0; dts_beside_key(i) != NULL; i++)
        add_value(to, item, dts_beside_key(i), dts_beside_key(i), false);
    add_value(to, item, "strategy", "strategies", true);
    add_value(to, item, "devices", "devices", false);
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
                         item = dts_cfg_item(&list, (size_t)number);
    struct dts_changes own = {0};
    struct dts_error why = {0}, named;
    add_own(&own, &item);
    bool good = dts_variant_read(changes, k, scene, &own, &scene->neighbours[number], &why);
    if (good && !check_trains(&scene->neighbours[number], &item, &why)) {
        dts_scene_close(&scene->neighbours[number]);
        good = false;
    }
    if (!good) {
        name_strategy(&why, &named);
        dts_variant_name_error(&scene->scenario, "neighbours", number, &named, err);
    }
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
