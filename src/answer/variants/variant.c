/* variant.c -- reads a scene once more, with changes. */
#include "answer/variants/variant.h"

#include <stdlib.h>
#include <string.h>

#include "answer/open.h"
#include "base/mem.h"

static void add_settings(struct dts_changes *all, const struct dts_changes *changes, int k)
{
    struct dts_setting *settings =
        dts_alloc((size_t)dts_changes_setting_count(changes) + 1, sizeof(*settings));
    const int count = dts_changes_settings(changes, k, settings);
    for (int i = 0; i < count; i++)
        dts_changes_add_by(all, settings[i].by, settings[i].path, settings[i].value);
    free(settings);
}

bool dts_variant_read(const struct dts_changes *changes, int k, const struct dts_scene *scene,
                      const struct dts_changes *own, struct dts_scene *variant,
                      struct dts_error *err)
{
    const struct dts_cfg top = dts_doc_top(scene->scenario.doc);
    struct dts_changes all = {0};
    struct dts_doc *doc = NULL;
    char *text = dts_cfg_json(&top);
    add_settings(&all, changes, k);
    add_settings(&all, own, 0);
    bool good = dts_doc_parse(&doc, dts_doc_name(scene->scenario.doc), text, err);
    if (good && !dts_settings_apply(own, 0, "", doc, err)) {
        dts_doc_free(doc);
        good = false;
    }
    good = good && dts_scene_read(&all, doc, 0, variant, err);
    free(text);
    dts_changes_free(&all);
    return good;
}

void dts_variant_name_error(const struct dts_scenario *scenario, const char *list, int number,
                            const struct dts_error *why, struct dts_error *err)
{
    const char *file = dts_doc_name(scenario->doc), *text = why->text;
    struct dts_text place = {0};
    dts_text_add(&place, "%s[", list);
    const bool named = strstr(text, dts_text_string(&place)) != NULL;
    dts_text_free(&place);
    if (named) {
        *err = *why;
        return;
    }
    if (strncmp(text, file, strlen(file)) == 0 && strncmp(text + strlen(file), ": ", 2) == 0)
        text += strlen(file) + 2;
    dts_fail(err, why->cause, "%s: %s[%d]: %s", file, list, number, text);
}
