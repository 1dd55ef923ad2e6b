/* constants.c -- counts the constants that were chosen on published points. */
#include <stdlib.h>
#include <string.h>

#include "answer/validate/score.h"
#include "base/json/library.h"
#include "base/mem.h"

/* Sources that were counted. */
struct counted {
    char **texts; // owned
    size_t count, room;
    int constants;
};

/* Does the source say that its values were chosen on published points? The same words in
 * another file are of the same values. */
static bool is_new_choice(struct counted *counted, const struct dts_cfg *source)
{
    const char *text;
    struct dts_error ignored = {0};
    if (!dts_cfg_is_string(source) || !dts_cfg_string(source, &text, &ignored) ||
        strncmp(text, "calibrated", strlen("calibrated")) != 0)
        return false;
    for (size_t i = 0; i < counted->count; i++)
        if (strcmp(counted->texts[i], text) == 0)
            return false;
    counted->texts =
        dts_grow(counted->texts, &counted->room, counted->count + 1, sizeof(*counted->texts));
    counted->texts[counted->count++] = dts_copy(text);
    return true;
}

/* Numbers of an object: what one text as its source speaks of. */
static int numbers_in(const struct dts_cfg *at)
{
    int count = 0;
    const char *key;
    for (size_t i = 0; (key = dts_cfg_key(at, i)) != NULL; i++) {
        const struct dts_cfg member = dts_cfg_member(at, key);
        count += dts_cfg_is_number(&member);
    }
    return count;
}

/* In an object and all below it. A source is one text, or an object with a text for each key.
 */
static void count_below(struct counted *counted, const struct dts_cfg *at)
{
    const char *key;
    const struct dts_cfg source = dts_cfg_member(at, "source");
    for (size_t i = 0; i < dts_cfg_length(at); i++) {
        const struct dts_cfg item = dts_cfg_item(at, i);
        count_below(counted, &item);
    }
    for (size_t i = 0; (key = dts_cfg_key(at, i)) != NULL; i++) {
        const struct dts_cfg member = dts_cfg_member(at, key),
                             its_source = dts_cfg_member(&source, key);
        count_below(counted, &member);
        if (dts_cfg_is_object(&source) && is_new_choice(counted, &its_source))
            counted->constants++;
    }
    if (is_new_choice(counted, &source))
        counted->constants += numbers_in(at);
}

/* A file that a case names by its path is not of the library, and is left out. */
static bool count_file(struct counted *counted, const char *folder, const char *name,
                       struct dts_error *err)
{
    char *path = NULL;
    struct dts_doc *doc;
    struct dts_error elsewhere = {0};
    if (!dts_library_find(&path, folder, name, NULL, &elsewhere))
        return true;
    const bool good = dts_doc_load(&doc, path, err);
    free(path);
    if (!good)
        return false;
    const struct dts_cfg top = dts_doc_top(doc);
    count_below(counted, &top);
    dts_doc_free(doc);
    return true;
}

static bool is_first(const struct dts_judged *judged, int i, bool platform)
{
    for (int j = 0; j < i; j++)
        if (strcmp(platform ? judged[j].platform : judged[j].stack,
                   platform ? judged[i].platform : judged[i].stack) == 0)
            return false;
    return true;
}

bool dts_free_constants(const struct dts_case_set *set, const struct dts_judged *judged,
                        int *count, struct dts_error *err)
{
    struct counted counted = {0};
    bool good = true;
    for (int i = 0; i < set->count && good; i++) {
        if (is_first(judged, i, true))
            good = count_file(&counted, "platforms", judged[i].platform, err);
        if (good && is_first(judged, i, false))
            good = count_file(&counted, "stacks", judged[i].stack, err);
    }
    *count = counted.constants;
    for (size_t i = 0; i < counted.count; i++)
        free(counted.texts[i]);
    free(counted.texts);
    return good;
}
