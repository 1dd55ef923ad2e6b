/* cfg_print.c -- a document as JSON, with the defaults that reading wrote into it. */
#include "base/json/cfg_private.h"
#include "base/json/json_out.h"

static void print_value(struct dts_json *out, const char *key, json_t *value);

static void print_object(struct dts_json *out, const char *key, json_t *object)
{
    const char *name;
    json_t *value;
    dts_json_object(out, key);
    json_object_foreach(object, name, value) print_value(out, name, value);
    dts_json_end(out);
}

/* A list of single values stays on one line. */
static void print_list(struct dts_json *out, const char *key, json_t *list)
{
    size_t i;
    json_t *value;
    bool flat = true;
    json_array_foreach(list, i, value) flat =
        flat && !json_is_array(value) && !json_is_object(value);
    if (flat)
        dts_json_list_flat(out, key);
    else
        dts_json_list(out, key);
    json_array_foreach(list, i, value) print_value(out, NULL, value);
    dts_json_end(out);
}

static void print_value(struct dts_json *out, const char *key, json_t *value)
{
    if (json_is_object(value))
        print_object(out, key, value);
    else if (json_is_array(value))
        print_list(out, key, value);
    else if (json_is_string(value))
        dts_json_string(out, key, json_string_value(value));
    else if (json_is_integer(value))
        dts_json_integer(out, key, json_integer_value(value));
    else if (json_is_real(value))
        dts_json_number(out, key, json_real_value(value));
    else if (json_is_boolean(value))
        dts_json_bool(out, key, json_is_true(value));
    else
        dts_json_null(out, key);
}

void dts_doc_print(const struct dts_doc *doc, FILE *out)
{
    struct dts_json json = {.out = out, .lines = DTS_JSON_DEPTH};
    print_value(&json, NULL, doc->root);
}

void dts_cfg_print(const struct dts_cfg *at, FILE *out)
{
    struct dts_json json = {.out = out};
    print_value(&json, NULL, at->json);
}

char *dts_cfg_json(const struct dts_cfg *at)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    dts_cfg_print(at, out);
    fclose(out);
    return text;
}
