/* cfg_place.c -- places in a document: what is there, what is below, and messages about it. */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "base/json/cfg_private.h"

bool dts_cfg_is_comment(const char *key)
{
    return strncmp(key, "//", 2) == 0 || strcmp(key, "source") == 0 ||
           strcmp(key, "comment") == 0;
}

void dts_path_add_key(struct dts_text *path, const char *key)
{
    bool quoted = *key == '\0' || strcspn(key, ".[]*\"") < strlen(key);
    dts_text_add(path, "%s%s", path->length > 0 ? "." : "", quoted ? "\"" : "");
    dts_text_add_word(path, key, DTS_WORD_BYTES);
    dts_text_add(path, "%s", quoted ? "\"" : "");
}

void dts_path_add(struct dts_text *path, const struct dts_cfg *at)
{
    if (at->parent == NULL)
        return;
    dts_path_add(path, at->parent);
    if (at->key != NULL)
        dts_path_add_key(path, at->key);
    else
        dts_text_add(path, "[%zu]", at->index);
}

bool dts_path_is_in(const char *path, const char *key)
{
    const size_t length = strlen(key);
    return strncmp(path, key, length) == 0 &&
           strchr(".[", path[length]) != NULL; // strchr() finds the end of a string, too
}

const char *dts_path_said_by(const struct dts_doc *doc, const char *path)
{
    for (size_t i = doc->change_count; i-- > 0;)
        if (dts_path_is_in(path, doc->changes[i].path))
            return doc->changes[i].by;
    return NULL;
}

char *dts_lead_of(const struct dts_cfg *shown, const struct dts_cfg *value)
{
    struct dts_text path = {0}, words = {0};
    dts_path_add(&path, value);
    const char *by = dts_path_said_by(value->doc, path.chars);
    dts_text_free(&path);
    dts_path_add(&path, shown);
    dts_text_add(&words, "%s%s%s", by != NULL ? by : shown->doc->name, by != NULL ? "" : ": ",
                 path.chars);
    dts_text_free(&path);
    return dts_text_take(&words);
}

char *dts_cfg_lead(const struct dts_cfg *at)
{
    return dts_lead_of(at, at);
}

static void fail(const struct dts_doc *doc, const char *path, enum dts_cause cause,
                 struct dts_error *err, const char *format, va_list args)
{
    struct dts_text lead = {0}, shown = {0};
    const char *by = dts_path_said_by(doc, path);
    char what[sizeof(err->text)];
    dts_text_add(&lead, "%s", by != NULL ? by : doc->name);
    dts_text_shorten(&lead, DTS_PATH_BYTES);
    dts_text_add(&shown, "%s", path);
    dts_text_shorten(&shown, DTS_PATH_BYTES);
    vsnprintf(what, sizeof(what), format, args);
    dts_fail(err, cause, "%s%s%s%s%s", dts_text_string(&lead), by != NULL ? "" : ": ",
             dts_text_string(&shown), shown.length > 0 ? ": " : "", what);
    dts_text_free(&lead);
    dts_text_free(&shown);
}

bool dts_doc_fail(const struct dts_doc *doc, const char *path, enum dts_cause cause,
                  struct dts_error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail(doc, path, cause, err, format, args);
    va_end(args);
    return false;
}

bool dts_cfg_fail(const struct dts_cfg *at, const char *key, struct dts_error *err,
                  const char *format, ...)
{
    struct dts_text path = {0};
    va_list args;
    dts_path_add(&path, at);
    if (key != NULL)
        dts_path_add_key(&path, key);
    va_start(args, format);
    fail(at->doc, dts_text_string(&path), DTS_BAD_INPUT, err, format, args);
    va_end(args);
    dts_text_free(&path);
    return false;
}

bool dts_cfg_exists(const struct dts_cfg *at)
{
    return at->json != NULL && !json_is_null((json_t *)at->json);
}

bool dts_cfg_is_list(const struct dts_cfg *at)
{
    return json_is_array((json_t *)at->json);
}

bool dts_cfg_is_object(const struct dts_cfg *at)
{
    return json_is_object((json_t *)at->json);
}

bool dts_cfg_is_string(const struct dts_cfg *at)
{
    return json_is_string((json_t *)at->json);
}

bool dts_cfg_is_number(const struct dts_cfg *at)
{
    return json_is_number((json_t *)at->json);
}

size_t dts_cfg_length(const struct dts_cfg *at)
{
    return json_array_size(at->json); // 0 for what is no list
}

struct dts_cfg dts_cfg_item(const struct dts_cfg *at, size_t index)
{
    return (struct dts_cfg){
        .parent = at,
        .doc = at->doc,
        .index = index,
        .json = json_array_get(at->json, index),
    };
}

size_t dts_cfg_key_count(const struct dts_cfg *at)
{
    size_t count = 0;
    for (void *i = json_object_iter(at->json); i != NULL;
         i = json_object_iter_next(at->json, i))
        count += !dts_cfg_is_comment(json_object_iter_key(i));
    return count;
}

/* The first key from `at` on that is no comment. */
static void *past_comments(json_t *object, void *at)
{
    while (at != NULL && dts_cfg_is_comment(json_object_iter_key(at)))
        at = json_object_iter_next(object, at);
    return at;
}

void dts_cfg_remove_item(const struct dts_cfg *at, size_t index)
{
    json_array_remove(at->json, index);
    at->doc->walk.object = NULL; // what it pointed to may be gone
}

const char *dts_cfg_key(const struct dts_cfg *at, size_t index)
{
    struct dts_doc *doc = at->doc;
    json_t *object = at->json;
    size_t passed = doc->walk.index;
    void *iter = doc->walk.at;
    if (object == NULL || doc->walk.object != object || passed > index || iter == NULL) {
        passed = 0;
        iter = past_comments(object, json_object_iter(object));
    }
    for (; passed < index && iter != NULL; passed++)
        iter = past_comments(object, json_object_iter_next(object, iter));
    doc->walk.object = object;
    doc->walk.index = passed;
    doc->walk.at = iter;
    return iter != NULL ? json_object_iter_key(iter) : NULL;
}

struct dts_cfg dts_cfg_member(const struct dts_cfg *at, const char *key)
{
    return (struct dts_cfg){
        .parent = at,
        .doc = at->doc,
        .key = key,
        .json = json_object_get(at->json, key),
    };
}
