/* cfg_same.c -- are two values, or two documents, the same? */
#include <stdlib.h>
#include <string.h>

#include "base/json/cfg_private.h"

/* Nothing and null are the same. */
static bool is_nothing(const json_t *json)
{
    return json == NULL || json_is_null(json);
}

static bool same_items(const json_t *a, const json_t *b)
{
    const size_t count = json_array_size(a);
    bool same = count == json_array_size(b);
    for (size_t i = 0; i < count && same; i++)
        same = dts_json_same(json_array_get(a, i), json_array_get(b, i));
    return same;
}

static bool same_keys(const json_t *a, const json_t *b)
{
    const char *key;
    json_t *value;
    bool same = json_object_size(a) == json_object_size(b);
    json_object_foreach((json_t *)a, key, value) same =
        same && json_object_get(b, key) != NULL &&
        dts_json_same(value, json_object_get(b, key));
    return same;
}

bool dts_json_same(const json_t *a, const json_t *b)
{
    if (is_nothing(a) || is_nothing(b))
        return is_nothing(a) && is_nothing(b);
    if (json_is_number(a) && json_is_number(b))
        return json_number_value(a) == json_number_value(b);
    if (json_is_array(a) && json_is_array(b))
        return same_items(a, b);
    if (json_is_object(a) && json_is_object(b))
        return same_keys(a, b);
    return json_equal(a, b);
}

bool dts_cfg_equal(const struct dts_cfg *a, const struct dts_cfg *b)
{
    return dts_json_same(a->json, b->json);
}

bool dts_cfg_equal_text(const struct dts_cfg *a, const char *text)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    if (value == NULL)
        value = json_string(text);
    const bool same = dts_json_same(a->json, value);
    json_decref(value);
    return same;
}

const char *dts_doc_changed(const struct dts_doc *doc, size_t i)
{
    for (size_t c = 0; c < doc->change_count; c++)
        if (doc->changes[c].differs && i-- == 0)
            return doc->changes[c].path;
    return NULL;
}

/* FNV-1a. */
static int add_bytes(const char *bytes, size_t count, void *hash)
{
    for (size_t i = 0; i < count; i++)
        *(uint64_t *)hash = (*(uint64_t *)hash ^ (unsigned char)bytes[i]) * 1099511628211u;
    return 0;
}

uint64_t dts_doc_hash(const struct dts_doc *doc, uint64_t hash)
{
    if (doc != NULL)
        json_dump_callback(doc->root, add_bytes, &hash, JSON_SORT_KEYS | JSON_COMPACT);
    return hash;
}
