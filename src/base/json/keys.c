/* keys.c -- what is said of a file goes into the help, or into the schema. */
#include "base/json/keys.h"

#include <stdarg.h>
#include <string.h>

#include "base/json/schema.h"
#include "base/text.h"

struct dts_keys {
    FILE *help;                // NULL: for the schema
    struct dts_schema *schema; // NULL: for the help
    bool begun;
};

void dts_keys_heading(struct dts_keys *keys, const char *format, ...)
{
    if (keys->help == NULL)
        return;
    char words[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof(words), format, arguments);
    va_end(arguments);
    if (keys->begun)
        fputc('\n', keys->help);
    keys->begun = true;
    dts_text_wrap(keys->help, "", 0, DTS_HELP_WIDTH, words);
    fputc('\n', keys->help);
}

void dts_keys_note(struct dts_keys *keys, const char *lines)
{
    if (keys->help != NULL)
        fputs(lines, keys->help);
}

/* As the help shows a path: shapes and cases have none of their own. */
static void print(struct dts_keys *keys, const char *path, const struct dts_field *fields)
{
    if (fields != NULL)
        dts_fields_print(fields, path[0] == '#' ? "" : path, keys->help);
}

void dts_keys_add(struct dts_keys *keys, const char *path, const struct dts_field *fields)
{
    if (keys->help != NULL)
        print(keys, path, fields);
    else
        dts_schema_add(keys->schema, path, fields);
}

void dts_keys_case(struct dts_keys *keys, const char *path, const char *kind, const char *value,
                   const struct dts_field *fields)
{
    if (keys->help != NULL)
        print(keys, path, fields);
    else
        dts_schema_case(keys->schema, path, kind, value, fields);
}

void dts_keys_refer(struct dts_keys *keys, const char *path, const char *one, const char *other)
{
    if (keys->schema != NULL)
        dts_schema_refer(keys->schema, path, one, other);
}

void dts_keys_instead(struct dts_keys *keys)
{
    if (keys->schema != NULL)
        dts_schema_instead(keys->schema);
}

void dts_keys_help(void (*say)(struct dts_keys *keys), FILE *out)
{
    struct dts_keys keys = {.help = out};
    say(&keys);
}

void dts_keys_schema(void (*say)(struct dts_keys *keys), const char *title, FILE *out)
{
    struct dts_keys keys = {.schema = dts_schema_begin()};
    say(&keys);
    dts_schema_end(keys.schema, title, out);
}
