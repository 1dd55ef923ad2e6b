/* cfg_same.c -- are two values, or two documents, the same? */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json/cfg_private.h"
#include "base/json/units.h"

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
    bool same = true;
    json_object_foreach((json_t *)b, key, value) same =
        same && (json_object_get(a, key) != NULL || is_nothing(value));
    json_object_foreach((json_t *)a, key, value) same =
        same && dts_json_same(value, json_object_get(b, key));
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

/* A number, or a text that is one with a unit of the key. */
static bool number_of(const char *key, const json_t *json, double *value)
{
    *value = json_number_value(json);
    return json_is_number(json) ||
           (json_is_string(json) && dts_unit_read(key, json_string_value(json), value));
}

bool dts_json_same_at(const char *key, const json_t *a, const json_t *b)
{
    double x, y;
    if (json_is_string(a) != json_is_string(b) && number_of(key, a, &x) &&
        number_of(key, b, &y))
        return x == y;
    return dts_json_same(a, b);
}

bool dts_cfg_equal(const struct dts_cfg *a, const struct dts_cfg *b)
{
    return dts_json_same_at(a->key != NULL ? a->key : "", a->json, b->json);
}

const char *dts_doc_changed(const struct dts_doc *doc, size_t i)
{
    for (size_t c = 0; c < doc->change_count; c++)
        if (doc->changes[c].differs && i-- == 0)
            return doc->changes[c].path;
    return NULL;
}

static int add_bytes(const char *bytes, size_t count, void *hash)
{
    *(uint64_t *)hash = dts_hash_bytes(*(uint64_t *)hash, bytes, count);
    return 0;
}

/* One spelling for 8e9, 8000000000.0 and 8000000000. */
static json_t *as_spelled_once(const json_t *number)
{
    const double value = json_number_value(number), whole = 9007199254740992; // 2^53
    return value > -whole && value < whole && value == (double)(json_int_t)value
               ? json_integer((json_int_t)value)
               : json_real(value);
}

/* A path counts by its last name, so that the same files elsewhere give the same number. */
static json_t *to_be_hashed(const json_t *json)
{
    if (json_is_string(json) && json_string_value(json)[0] == '/')
        return json_string(strrchr(json_string_value(json), '/') + 1);
    if (json_is_number(json))
        return as_spelled_once(json);
    json_t *copy = json_copy((json_t *)json);
    const char *key;
    json_t *value;
    size_t i;
    json_object_foreach((json_t *)json, key, value)
        json_object_set_new(copy, key, to_be_hashed(value));
    json_array_foreach((json_t *)json, i, value)
        json_array_set_new(copy, i, to_be_hashed(value));
    return copy;
}

uint64_t dts_doc_hash(const struct dts_doc *doc, uint64_t hash)
{
    if (doc == NULL)
        return hash;
    json_t *root = to_be_hashed(doc->root);
    json_dump_callback(root, add_bytes, &hash, JSON_SORT_KEYS | JSON_COMPACT | JSON_ENCODE_ANY);
    json_decref(root);
    return hash;
}
