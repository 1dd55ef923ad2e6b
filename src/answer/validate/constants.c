/* constants.c -- counts the constants that were chosen on published points. */
#include <stdlib.h>
#include <string.h>

#include "answer/validate/score.h"
#include "base/json/library.h"

/* Does the text of a source say that the value was chosen? */
static bool says_calibrated(const struct dts_cfg *source)
{
    const char *text;
    struct dts_error ignored = {0};
    return dts_cfg_is_string(source) && dts_cfg_string(source, &text, &ignored) &&
           strncmp(text, "calibrated", strlen("calibrated")) == 0;
}

/* In an object and all below it. A source is one text, for the object's one subject, or an
 * object with a text for each key. */
static int count_below(const struct dts_cfg *at)
{
    int count = 0;
    const char *key;
    for (size_t i = 0; i < dts_cfg_length(at); i++) {
        const struct dts_cfg item = dts_cfg_item(at, i);
        count += count_below(&item);
    }
    for (size_t i = 0; (key = dts_cfg_key(at, i)) != NULL; i++) {
        const struct dts_cfg member = dts_cfg_member(at, key);
        count += count_below(&member);
    }
    const struct dts_cfg source = dts_cfg_member(at, "source");
    for (size_t i = 0; dts_cfg_is_object(&source) && (key = dts_cfg_key(&source, i)) != NULL;
         i++) {
        const struct dts_cfg one = dts_cfg_member(&source, key);
        count += says_calibrated(&one);
    }
    return count + says_calibrated(&source);
}

static bool count_file(const char *folder, const char *name, int *count, struct dts_error *err)
{
    char *path = NULL;
    struct dts_doc *doc;
    struct dts_error elsewhere = {
        0}; // a file that a case names by its path is not of the library
    if (!dts_library_find(&path, folder, name, NULL, &elsewhere))
        return true;
    const bool good = dts_doc_load(&doc, path, err);
    free(path);
    if (!good)
        return false;
    const struct dts_cfg top = dts_doc_top(doc);
    *count += count_below(&top);
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
    *count = 0;
    for (int i = 0; i < set->count; i++)
        if ((is_first(judged, i, true) &&
             !count_file("platforms", judged[i].platform, count, err)) ||
            (is_first(judged, i, false) && !count_file("stacks", judged[i].stack, count, err)))
            return false;
    return true;
}
