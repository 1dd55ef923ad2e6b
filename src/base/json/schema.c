/* schema.c -- objects are collected by their paths, and put into one another at the end. */
#include "base/json/schema.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/units.h"
#include "base/mem.h"
#include "base/text.h"

/* Path -> {"keys": properties, "required": names, "cases": [...], "refers": [...]}. */
struct dts_schema {
    json_t *objects;
    json_t *roots; // the objects of each file that this one may be instead
};

struct dts_schema *dts_schema_begin(void)
{
    struct dts_schema *schema = dts_alloc(1, sizeof(*schema));
    schema->objects = json_object();
    schema->roots = json_array();
    return schema;
}

/* What is known of the object at a path. */
static json_t *object_at(struct dts_schema *schema, const char *path)
{
    json_t *object = json_object_get(schema->objects, path);
    if (object == NULL) {
        object = json_pack("{s:{}, s:[], s:[]}", "keys", "required", "cases");
        json_object_set_new(schema->objects, path, object);
    }
    return object;
}

static void add_range(json_t *to, const struct dts_field *field)
{
    if (field->min == 0 && field->max == 0)
        return;
    if (field->min > -1e300)
        json_object_set_new(to, "minimum", json_real(field->min));
    if (field->max < 1e300)
        json_object_set_new(to, "maximum", json_real(field->max));
}

static json_t *number_type(const struct dts_field *field)
{
    if (field->type == DTS_INT)
        return json_pack("{s:s}", "type", "integer");
    if (dts_unit_example(field->key) == NULL)
        return json_pack("{s:s}", "type", "number");
    return json_pack("{s:[s,s], s:s}", "type", "number", "string", "pattern",
                     "^[+-]?[0-9.]+(e[+-]?[0-9]+)? *[A-Za-z/]+$");
}

static json_t *string_type(const struct dts_field *field)
{
    json_t *type = json_pack("{s:s}", "type", "string");
    if (field->choice == NULL)
        return type;
    json_t *words = json_array();
    for (int i = 0; field->choice(i) != NULL; i++)
        json_array_append_new(words, json_string(field->choice(i)));
    json_object_set_new(type, "enum", words);
    return type;
}

/* What is filled in at the end, when all objects are known. */
static json_t *place(const char *path)
{
    return json_pack("{s:s}", "place", path);
}

/* Alternatives of what is read by somebody else. */
static json_t *other_type(const struct dts_field *field, const char *path)
{
    static const struct {
        int form;
        const char *type, *items; // items: of a list
    } plain[] = {
        {DTS_FORM_STRING, "string", NULL},     {DTS_FORM_NUMBER, "number", NULL},
        {DTS_FORM_NUMBERS, "array", "number"}, {DTS_FORM_STRINGS, "array", "string"},
        {DTS_FORM_LIST, "array", NULL},
    };
    json_t *all = json_array();
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        if ((field->forms & plain[i].form) == 0)
            continue;
        json_t *one = json_pack("{s:s}", "type", plain[i].type);
        if (plain[i].items != NULL)
            json_object_set_new(one, "items", json_pack("{s:s}", "type", plain[i].items));
        json_array_append_new(all, one);
    }
    char list[320];
    snprintf(list, sizeof(list), "%s[]", path);
    if ((field->forms & DTS_FORM_OBJECT) != 0)
        json_array_append_new(all, place(path));
    if ((field->forms & DTS_FORM_OBJECTS) != 0)
        json_array_append_new(
            all, json_pack("{s:s, s:o}", "type", "array", "items",
                           place((field->forms & DTS_FORM_OBJECT) != 0 ? path : list)));
    if (field->missing != NULL && strcmp(field->missing, "null") == 0)
        json_array_append_new(all, json_pack("{s:s}", "type", "null"));
    json_t *type = json_array_size(all) == 1 ? json_incref(json_array_get(all, 0))
                                             : json_pack("{s:O}", "anyOf", all);
    json_decref(all);
    return field->forms != 0 ? type : (json_decref(type), json_object());
}

/* An optional value may be null, too. */
static json_t *or_null(json_t *type, const struct dts_field *field)
{
    if (field->type == DTS_OTHER || field->missing == NULL ||
        strcmp(field->missing, "null") != 0)
        return type;
    return json_pack("{s:[o, {s:s}]}", "anyOf", type, "type", "null");
}

static json_t *type_of(struct dts_schema *schema, const struct dts_field *field,
                       const char *path)
{
    json_t *type;
    switch (field->type) {
    case DTS_INT:
    case DTS_REAL:
        type = number_type(field);
        add_range(type, field);
        return type;
    case DTS_BOOL:
        return json_pack("{s:s}", "type", "boolean");
    case DTS_STRING:
        return string_type(field);
    case DTS_OBJECT:
        dts_schema_add(schema, path, field->fields);
        return place(path);
    case DTS_OTHER:
        if (field->fields != NULL)
            dts_schema_add(schema, path, field->fields);
        return other_type(field, path);
    }
    return json_object();
}

static void add_fields(struct dts_schema *schema, json_t *object, const char *path,
                       const struct dts_field *fields)
{
    for (; fields != NULL && fields->key != NULL; fields++) {
        struct dts_text inner = {0};
        dts_text_add(&inner, "%s%s%s", path, *path != '\0' ? "." : "", fields->key);
        json_t *type = or_null(type_of(schema, fields, dts_text_string(&inner)), fields);
        if (fields->help != NULL)
            json_object_set_new(type, "description", json_string(fields->help));
        if (fields->missing == NULL)
            json_array_append_new(json_object_get(object, "required"),
                                  json_string(fields->key));
        else if (strcmp(fields->missing, "null") != 0)
            json_object_set_new(type, "default",
                                json_loads(fields->missing, JSON_DECODE_ANY, NULL));
        json_object_set_new(json_object_get(object, "keys"), fields->key, type);
        dts_text_free(&inner);
    }
}

void dts_schema_add(struct dts_schema *schema, const char *path, const struct dts_field *fields)
{
    add_fields(schema, object_at(schema, path), path, fields);
}

void dts_schema_case(struct dts_schema *schema, const char *path, const char *kind,
                     const char *value, const struct dts_field *fields)
{
    json_t *one =
        json_pack("{s:{}, s:[], s:s, s:s}", "keys", "required", "kind", kind, "value", value);
    struct dts_text inner = {0};
    dts_text_add(&inner, "%s(%s)", path, value); // objects of other cases have others' keys
    add_fields(schema, one, dts_text_string(&inner), fields);
    json_array_append_new(json_object_get(object_at(schema, path), "cases"), one);
    dts_text_free(&inner);
}

void dts_schema_refer(struct dts_schema *schema, const char *path, const char *one,
                      const char *other)
{
    json_object_set_new(object_at(schema, path), "refers",
                        other != NULL ? json_pack("[s, s]", one, other)
                                      : json_pack("[s]", one));
}

/* Objects of a file that is over; those with "#" stay. */
void dts_schema_instead(struct dts_schema *schema)
{
    json_array_append_new(schema->roots, json_deep_copy(schema->objects));
    const char *path;
    json_t *object;
    void *next;
    json_object_foreach_safe(schema->objects, next, path, object)
    {
        if (path[0] != '#')
            json_object_del(schema->objects, path);
    }
}

static json_t *fill(const json_t *objects, json_t *type);

/* The places in the values of an object of types. */
static void fill_keys(const json_t *objects, json_t *keys)
{
    const char *key;
    json_t *type;
    void *next;
    json_object_foreach_safe(keys, next, key, type)
    {
        json_object_set_new(keys, key, fill(objects, type));
    }
}

/* {"if": it is of this kind, "then": it has these keys}. */
static json_t *case_of(const json_t *objects, const json_t *one)
{
    json_t *keys = json_deep_copy(json_object_get(one, "keys"));
    fill_keys(objects, keys);
    return json_pack("{s:{s:{s:{s:O}}, s:[O]}, s:{s:o, s:O}}", "if", "properties",
                     json_string_value(json_object_get(one, "kind")), "const",
                     json_object_get(one, "value"), "required", json_object_get(one, "kind"),
                     "then", "properties", keys, "required", json_object_get(one, "required"));
}

static json_t *refers(const json_t *names)
{
    json_t *all = json_array(), *name;
    size_t i;
    json_array_foreach(names, i, name)
    {
        struct dts_text to = {0};
        dts_text_add(&to, "#/$defs/%s", json_string_value(name) + 1);
        json_array_append_new(all, json_pack("{s:s}", "$ref", dts_text_string(&to)));
        dts_text_free(&to);
    }
    return json_pack("{s:o}", "anyOf", all);
}

/* An object as a schema: its keys, those of its kind, comments, and no others. */
static json_t *whole(const json_t *objects, const char *path)
{
    const json_t *object = json_object_get(objects, path);
    if (object == NULL)
        return json_pack("{s:s}", "type", "object"); // nobody says what is in it
    if (json_object_get(object, "refers") != NULL)
        return refers(json_object_get(object, "refers"));
    json_t *keys = json_deep_copy(json_object_get(object, "keys")), *one;
    fill_keys(objects, keys);
    json_object_set_new(keys, "source", json_true());
    json_object_set_new(keys, "comment", json_true());
    json_t *schema =
        json_pack("{s:s, s:o, s:O, s:{s:b}}", "type", "object", "properties", keys, "required",
                  json_object_get(object, "required"), "patternProperties", "^//", 1);
    const json_t *cases = json_object_get(object, "cases");
    json_t *all = json_array();
    size_t i;
    json_array_foreach(cases, i, one) json_array_append_new(all, case_of(objects, one));
    json_object_set_new(
        schema, json_array_size(all) > 0 ? "unevaluatedProperties" : "additionalProperties",
        json_false());
    if (json_array_size(all) > 0)
        json_object_set(schema, "allOf", all);
    json_decref(all);
    return schema;
}

/* A type, with its places filled in. Returns a new reference. */
static json_t *fill(const json_t *objects, json_t *type)
{
    const json_t *at = json_object_get(type, "place");
    json_t *filled = at != NULL ? whole(objects, json_string_value(at)) : json_copy(type), *one;
    size_t i;
    if (at != NULL && json_object_get(type, "description") != NULL)
        json_object_set(filled, "description", json_object_get(type, "description"));
    if (at != NULL && json_object_get(type, "default") != NULL)
        json_object_set(filled, "default", json_object_get(type, "default"));
    if (at != NULL)
        return filled;
    if (json_object_get(type, "items") != NULL)
        json_object_set_new(filled, "items", fill(objects, json_object_get(type, "items")));
    if (json_object_get(type, "anyOf") != NULL) {
        json_t *all = json_array();
        json_array_foreach(json_object_get(type, "anyOf"), i, one)
            json_array_append_new(all, fill(objects, one));
        json_object_set_new(filled, "anyOf", all);
    }
    return filled;
}

/* The shapes that others refer to. */
static json_t *shapes(const json_t *objects)
{
    json_t *all = json_object(), *object;
    const char *path;
    json_object_foreach((json_t *)objects, path, object)
    {
        if (path[0] == '#' && strpbrk(path, ".([") == NULL)
            json_object_set_new(all, path + 1, whole(objects, path));
    }
    return all;
}

void dts_schema_end(struct dts_schema *schema, const char *title, FILE *out)
{
    json_t *root = json_pack("{s:s, s:s}", "$schema",
                             "https://json-schema.org/draft/2020-12/schema", "title", title);
    json_t *last = whole(schema->objects, ""), *all = json_array();
    for (size_t i = 0; i < json_array_size(schema->roots); i++)
        json_array_append_new(all, whole(json_array_get(schema->roots, i), ""));
    if (json_array_size(all) > 0) {
        json_array_append(all, last);
        json_object_set(root, "anyOf", all);
    } else {
        json_object_update(root, last);
    }
    json_t *defined = shapes(schema->objects);
    if (json_object_size(defined) > 0)
        json_object_set(root, "$defs", defined);
    json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    fputc('\n', out);
    json_decref(defined);
    json_decref(all);
    json_decref(last);
    json_decref(root);
    json_decref(schema->objects);
    json_decref(schema->roots);
    free(schema);
}
