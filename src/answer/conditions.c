/* conditions.c -- which published figures hold for a changed scenario. */
#include "answer/conditions.h"

#include <stdlib.h>
#include <string.h>

#include "answer/open.h"
#include "base/mem.h"

/* Keys that do not change what is asked: which points, how they are computed, what is said of
 * them. */
static const char *const harmless[] = {
    "devices", "engine", "seed", "steps", "live", "summary", "why", "name", "references", NULL,
};

/* Is one of the two paths the other, or within it? */
static bool related(const char *a, const char *b)
{
    const size_t x = strlen(a), y = strlen(b), length = x < y ? x : y;
    const char *longer = x < y ? b : a;
    return strncmp(a, b, length) == 0 && strchr(".[", longer[length]) != NULL;
}

static bool is_harmless(const char *path)
{
    for (int i = 0; harmless[i] != NULL; i++)
        if (related(path, harmless[i]))
            return true;
    return false;
}

/* Does a condition of the figure speak of this path? */
static bool speaks_of(const struct dts_cfg *when, const char *path)
{
    const char *key;
    for (size_t i = 0; (key = dts_cfg_key(when, i)) != NULL; i++)
        if (related(key, path))
            return true;
    return false;
}

/* The value that the command line gives a path of the platform; NULL: none. */
static const char *given(const struct dts_setting *settings, int count, const char *path)
{
    const char *value = NULL;
    for (int i = 0; i < count; i++)
        if (strcmp(settings[i].path, path) == 0)
            value = settings[i].value;
    return value;
}

static bool is_of_platform(const char *path)
{
    return strncmp(path, "platform.", 9) == 0;
}

/* Does the scenario say what the condition says? Of the platform only the command line is known
 * here. */
static bool is_met(const struct dts_cfg *when, const char *key, struct dts_doc *doc,
                   const struct dts_setting *settings, int count)
{
    const struct dts_cfg wanted = dts_cfg_member(when, key);
    if (!is_of_platform(key)) {
        const struct dts_cfg found = dts_settings_at(doc, key);
        return dts_cfg_equal(&wanted, &found);
    }
    const char *value = given(settings, count, key);
    return value != NULL && dts_cfg_equal_text(&wanted, value);
}

/* Why the figure does not hold: a path; NULL: it holds. */
static const char *breach(const struct dts_cfg *reference, struct dts_doc *doc,
                          const struct dts_setting *settings, int count, bool of_the_file)
{
    const struct dts_cfg when = dts_cfg_member(reference, "when");
    const char *path, *key;
    for (size_t i = 0; (key = dts_cfg_key(&when, i)) != NULL; i++)
        if (!is_met(&when, key, doc, settings, count))
            return key;
    for (size_t i = 0; of_the_file && (path = dts_doc_changed(doc, i)) != NULL; i++)
        if (!is_harmless(path) && !speaks_of(&when, path))
            return path;
    for (int i = 0; of_the_file && i < count; i++)
        if (is_of_platform(settings[i].path) && !speaks_of(&when, settings[i].path))
            return settings[i].path;
    return NULL;
}

void dts_conditions_apply(const struct dts_changes *changes, int k, struct dts_doc *doc,
                          struct dts_text *left_out)
{
    struct dts_setting *settings =
        dts_alloc((size_t)dts_changes_setting_count(changes), sizeof(*settings));
    const int count = dts_changes_settings(changes, k, settings);
    const bool of_the_file = !dts_changes_touch(changes, "references");
    const struct dts_cfg top = dts_doc_top(doc), list = dts_cfg_member(&top, "references");
    for (size_t i = dts_cfg_length(&list); i-- > 0;) {
        const struct dts_cfg item = dts_cfg_item(&list, i);
        const char *why = breach(&item, doc, settings, count, of_the_file);
        if (why == NULL)
            continue;
        if (left_out->length == 0)
            dts_text_add(left_out, "%s", why);
        dts_cfg_remove_item(&list, i);
    }
    free(settings);
}
