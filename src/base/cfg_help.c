/* cfg_help.c -- what the keys of a table mean, one line for each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cfg.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/words.h"

enum { COLUMNS = 4 }; // key, type, what may stand there, default; the help ends the line

struct line {
    char *cells[COLUMNS]; // owned
    const char *help;
};

struct lines {
    struct line *items; // owned
    size_t count, capacity;
};

static const char *const type_names[] = {
    [DTS_INT] = "whole number", [DTS_REAL] = "number",   [DTS_BOOL] = "true/false",
    [DTS_STRING] = "string",    [DTS_OBJECT] = "object", [DTS_OTHER] = "any",
};

static char *range_of(const struct dts_field *field)
{
    struct dts_text text = {0};
    bool low = field->min > -1e300, high = field->max < 1e300;
    if (field->choice != NULL) {
        const char **words = dts_words_of(field->choice);
        dts_words_add(&text, words);
        free(words);
    } else if ((field->min == 0 && field->max == 0) || (!low && !high)) {
        return dts_text_take(&text);
    } else if (low && high) {
        dts_text_add_number(&text, field->min);
        dts_text_add(&text, " to ");
        dts_text_add_number(&text, field->max);
    } else {
        dts_text_add(&text, low ? ">= " : "<= ");
        dts_text_add_number(&text, low ? field->min : field->max);
    }
    return dts_text_take(&text);
}

static char *default_of(const struct dts_field *field)
{
    struct dts_text text = {0};
    if (field->missing == NULL)
        dts_text_add(&text, "required");
    else if (strcmp(field->missing, "null") == 0)
        dts_text_add(&text, "optional");
    else
        dts_text_add(&text, "default %s", field->missing);
    return dts_text_take(&text);
}

static void collect(struct lines *lines, const struct dts_field *fields, const char *prefix)
{
    for (; fields->key != NULL; fields++) {
        lines->items =
            dts_grow(lines->items, &lines->capacity, lines->count + 1, sizeof(*lines->items));
        struct dts_text key = {0};
        dts_text_add(&key, "%s%s%s", prefix, *prefix != '\0' ? "." : "", fields->key);
        struct line *line = &lines->items[lines->count++];
        line->cells[1] = dts_copy(type_names[fields->type]);
        line->cells[2] = range_of(fields);
        line->cells[3] = default_of(fields);
        line->help = fields->help != NULL ? fields->help : "";
        line->cells[0] = dts_copy(dts_text_string(&key));
        if (fields->type == DTS_OBJECT && fields->fields != NULL)
            collect(lines, fields->fields, dts_text_string(&key));
        dts_text_free(&key);
    }
}

/* Columns are as wide as their widest cell, but not wider than this: a list of many words then
 * sticks out of its line alone. */
enum { WIDEST = 34 };

void dts_fields_print(const struct dts_field *fields, const char *prefix, FILE *out)
{
    struct lines lines = {0};
    int widths[COLUMNS] = {0};
    collect(&lines, fields, prefix != NULL ? prefix : "");
    for (size_t i = 0; i < lines.count; i++) {
        for (int c = 0; c < COLUMNS; c++) {
            int width = (int)strlen(lines.items[i].cells[c]);
            if (width > widths[c] && width <= WIDEST)
                widths[c] = width;
        }
    }
    for (size_t i = 0; i < lines.count; i++) {
        struct line *line = &lines.items[i];
        for (int c = 0; c < COLUMNS; c++) {
            bool last = c + 1 == COLUMNS && *line->help == '\0';
            if (widths[c] > 0)
                fprintf(out, "%-*s%s", last ? 0 : widths[c], line->cells[c], last ? "" : "  ");
            free(line->cells[c]);
        }
        fprintf(out, "%s\n", line->help);
    }
    free(lines.items);
}
