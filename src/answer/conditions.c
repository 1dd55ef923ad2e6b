/* conditions.c -- which published figures hold for a changed scenario. */
#include "answer/conditions.h"

#include <string.h>

#include "answer/open.h"

/* Keys that do not change what is asked: which points, how they are computed, what is said of
 * them. */
static const char *const harmless[] = {
    "devices", "engine", "seed", "steps", "live", "summary", "why", "name", "references", NULL,
};

/* Is one of the two paths the other, or within it? */
static bool related(const char *a, const char *b)
{
    return dts_path_is_in(a, b) || dts_path_is_in(b, a);
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

static const char *const platform = "platform.";

static bool is_of_platform(const char *path)
{
    return strncmp(path, platform, strlen(platform)) == 0;
}

/* The first condition that does not hold: of the platform's values, in its document, or of all
 * others, in the scenario's; NULL: all hold. */
static const char *unmet(const struct dts_cfg *when, struct dts_doc *doc, bool of_platform)
{
    const char *key;
    for (size_t i = 0; (key = dts_cfg_key(when, i)) != NULL; i++) {
        if (is_of_platform(key) != of_platform)
            continue;
        const struct dts_cfg wanted = dts_cfg_member(when, key);
        const struct dts_cfg found =
            dts_settings_at(doc, key + (of_platform ? strlen(platform) : 0));
        if (!dts_cfg_equal(&wanted, &found))
            return key;
    }
    return NULL;
}

/* Is it the command line that makes the difference? What the file itself says of a figure, that
 * it holds for another value than the file's, nobody asked about. */
static bool is_asked(const struct dts_changes *changes, const char *path)
{
    bool asked = false;
    for (int i = 0; i < changes->set_count; i++)
        asked = asked || related(changes->sets[i].path, path);
    for (int i = 0; i < changes->sweep_count; i++)
        asked = asked || related(changes->sweeps[i].path, path);
    return asked;
}

static void note(struct dts_text *left_out, const char *lead, const char *path)
{
    if (left_out->length == 0)
        dts_text_add(left_out, "%s%s", lead, path);
}

void dts_conditions_of_scenario(const struct dts_changes *changes, struct dts_doc *doc,
                                struct dts_text *left_out)
{
    const bool of_the_file = !dts_changes_touch(changes, "references");
    const struct dts_cfg top = dts_doc_top(doc), list = dts_cfg_member(&top, "references");
    for (size_t i = dts_cfg_length(&list); i-- > 0;) {
        const struct dts_cfg item = dts_cfg_item(&list, i),
                             when = dts_cfg_member(&item, "when");
        const char *why = unmet(&when, doc, false), *path;
        for (size_t c = 0;
             of_the_file && why == NULL && (path = dts_doc_changed(doc, c)) != NULL; c++)
            if (!is_harmless(path) && !speaks_of(&when, path))
                why = path;
        if (why == NULL)
            continue;
        if (is_asked(changes, why))
            note(left_out, "", why);
        dts_cfg_remove_item(&list, i);
    }
}

/* The first change of the platform that the conditions say nothing of; NULL: there is none. */
static const char *changed_platform(const struct dts_cfg *when, const struct dts_doc *doc)
{
    const char *path;
    for (size_t c = 0; (path = dts_doc_changed(doc, c)) != NULL; c++) {
        struct dts_text whole = {0};
        dts_text_add(&whole, "%s%s", platform, path);
        const bool spoken = speaks_of(when, whole.chars);
        dts_text_free(&whole);
        if (!spoken)
            return path;
    }
    return NULL;
}

void dts_conditions_of_platform(const struct dts_changes *changes,
                                struct dts_scenario *scenario, struct dts_doc *doc,
                                struct dts_text *left_out)
{
    const bool of_the_file = !dts_changes_touch(changes, "references");
    int kept = 0;
    for (int i = 0; i < scenario->reference_count; i++) {
        const struct dts_reference *reference = &scenario->references[i];
        const char *key = unmet(&reference->when, doc, true);
        const char *path =
            of_the_file && key == NULL ? changed_platform(&reference->when, doc) : NULL;
        if (key != NULL && is_asked(changes, key))
            note(left_out, "", key);
        else if (key == NULL && path != NULL)
            note(left_out, platform, path);
        else if (key == NULL)
            scenario->references[kept++] = *reference;
    }
    scenario->reference_count = kept;
}
