/* cfg.c -- an object into a struct, by its table of fields. */
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/cfg_private.h"
#include "base/json/words.h"
#include "base/mem.h"

static const struct dts_field no_fields[] = {{0}};

static const struct dts_field *find(const struct dts_field *fields, const char *key)
{
    for (; fields->key != NULL; fields++)
        if (strcmp(fields->key, key) == 0)
            return fields;
    return NULL;
}

static bool fail_unknown(const struct dts_cfg *at, const char *key,
                         const struct dts_field *const tables[2], struct dts_error *err)
{
    const char **words = NULL;
    size_t capacity = 0, count = 0;
    for (int t = 0; t < 2; t++) {
        for (const struct dts_field *field = tables[t]; field->key != NULL; field++) {
            words = dts_grow(words, &capacity, count + 2, sizeof(*words));
            words[count++] = field->key;
        }
    }
    struct dts_text hint = {0};
    if (words != NULL)
        dts_words_suggest(&hint, key, words, "expected one of:");
    dts_cfg_fail(at, key, err, "unknown key%s", dts_text_string(&hint));
    dts_text_free(&hint);
    free(words);
    return false;
}

/* Put the default of a missing key into the document. */
static json_t *write_default(const struct dts_cfg *at, const struct dts_field *field)
{
    json_t *value = json_loads(field->missing, JSON_DECODE_ANY, NULL);
    assert(value != NULL && "the default of a field is JSON");
    if (json_is_null(value)) {
        json_decref(value);
        return NULL;
    }
    json_object_set_new(at->json, field->key, value);
    return value; // the document owns it
}

static bool read_string(const struct dts_cfg *place, const struct dts_field *field,
                        const char **out, struct dts_error *err)
{
    int i;
    if (field->choice != NULL && !dts_cfg_choice(place, field->choice, &i, err))
        return false;
    return dts_cfg_string(place, out, err);
}

static bool read_value(const struct dts_cfg *place, const struct dts_field *field, void *member,
                       struct dts_error *err)
{
    switch (field->type) {
    case DTS_INT:
        return dts_cfg_int(place, (int)fmax(field->min, INT_MIN),
                           (int)fmin(field->max, INT_MAX), member, err);
    case DTS_REAL:
        return dts_cfg_real(place, field->min, field->max, member, err);
    case DTS_BOOL:
        return dts_cfg_bool(place, member, err);
    case DTS_STRING:
        return read_string(place, field, member, err);
    case DTS_OBJECT:
        return dts_cfg_read(place, field->fields, member, err);
    case DTS_OTHER:
        *(struct dts_cfg *)member = *place;
        return true;
    }
    assert(!"a field has a type");
    return false;
}

static bool read_field(const struct dts_cfg *at, const struct dts_field *field, char *out,
                       struct dts_error *err)
{
    struct dts_cfg place = dts_cfg_member(at, field->key);
    bool optional = field->missing != NULL && strcmp(field->missing, "null") == 0;
    if (place.json == NULL && field->missing != NULL)
        place.json = write_default(at, field);
    if (place.json == NULL && !optional)
        return field->help != NULL
                   ? dts_cfg_fail(&place, NULL, err, "missing (%s)", field->help)
                   : dts_cfg_fail(&place, NULL, err, "missing");
    if (optional && !dts_cfg_exists(&place) && field->type != DTS_OTHER)
        return true;
    return read_value(&place, field, out + field->offset, err);
}

static bool read_fields(const struct dts_cfg *at, const struct dts_field *fields, void *out,
                        struct dts_error *err)
{
    for (const struct dts_field *field = fields; field->key != NULL; field++)
        if (!read_field(at, field, out, err))
            return false;
    return true;
}

bool dts_cfg_read_both(const struct dts_cfg *at, const struct dts_field *shared,
                       void *shared_out, const struct dts_field *own, void *own_out,
                       struct dts_error *err)
{
    const struct dts_field *const tables[2] = {shared != NULL ? shared : no_fields,
                                               own != NULL ? own : no_fields};
    if (at->json == NULL)
        return dts_cfg_fail(at, NULL, err, "missing");
    if (!dts_cfg_is_object(at)) {
        struct dts_text found = {0};
        dts_describe(&found, at->json);
        dts_cfg_fail(at, NULL, err, "must be an object, got %s", dts_text_string(&found));
        dts_text_free(&found);
        return false;
    }
    const char *key;
    json_t *value;
    json_object_foreach(at->json, key, value)
    {
        if (find(tables[0], key) == NULL && find(tables[1], key) == NULL &&
            !dts_cfg_is_comment(key))
            return fail_unknown(at, key, tables, err);
    }
    return read_fields(at, tables[0], shared_out, err) &&
           read_fields(at, tables[1], own_out, err);
}

bool dts_cfg_read(const struct dts_cfg *at, const struct dts_field *fields, void *out,
                  struct dts_error *err)
{
    return dts_cfg_read_both(at, fields, out, NULL, NULL, err);
}
