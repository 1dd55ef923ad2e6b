/* cfg_help.c -- what the keys of a table mean: what may stand there, and below it the help. */
#include <stdlib.h>
#include <string.h>

#include "base/json/cfg.h"
#include "base/json/words.h"
#include "base/text.h"

static const char *const type_names[] = {
    [DTS_INT] = "whole number",
    [DTS_REAL] = "number",
    [DTS_BOOL] = "true/false",
    [DTS_STRING] = "string",
    // of several values
    [DTS_OBJECT] = "object",
    [DTS_OTHER] = "any",
};

/* "number or list of numbers" */
static void add_forms(struct dts_text *text, int forms)
{
    static const struct {
        int form;
        const char *words;
    } all[] = {
        {DTS_FORM_STRING, "string"},
        {DTS_FORM_NUMBER, "number"},
        {DTS_FORM_OBJECT, "object"},
        {DTS_FORM_NUMBERS, "list of numbers"},
        {DTS_FORM_STRINGS, "list of strings"},
        {DTS_FORM_OBJECTS, "list of objects"},
        {DTS_FORM_LIST, "list"},
    };
    const size_t before = text->length;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if ((forms & all[i].form) != 0)
            dts_text_add(text, "%s%s", text->length > before ? " or " : "", all[i].words);
}

static void add_range(struct dts_text *text, const struct dts_field *field)
{
    bool low = field->min > -1e300, high = field->max < 1e300;
    if (field->choice != NULL) {
        const char **words = dts_words_of(field->choice);
        dts_text_add(text, ", ");
        dts_words_add(text, words);
        free(words);
    } else if ((field->min == 0 && field->max == 0) || (!low && !high)) {
        return;
    } else if (low && high) {
        dts_text_add(text, ", ");
        dts_text_add_number(text, field->min);
        dts_text_add(text, " to ");
        dts_text_add_number(text, field->max);
    } else {
        dts_text_add(text, low ? ", >= " : ", <= ");
        dts_text_add_number(text, low ? field->min : field->max);
    }
}

static void add_default(struct dts_text *text, const struct dts_field *field)
{
    if (field->missing == NULL)
        dts_text_add(text, "; required");
    else if (strcmp(field->missing, "null") == 0)
        dts_text_add(text, "; optional");
    else
        dts_text_add(text, "; default %s", field->missing);
}

void dts_fields_print(const struct dts_field *fields, const char *prefix, FILE *out)
{
    enum { INDENT = 4 };
    prefix = prefix != NULL ? prefix : "";
    for (; fields->key != NULL; fields++) {
        struct dts_text key = {0}, lead = {0}, what = {0};
        dts_text_add(&key, "%s%s%s", prefix, *prefix != '\0' ? "." : "", fields->key);
        if (fields->forms != 0)
            add_forms(&what, fields->forms);
        else
            dts_text_add(&what, "%s", type_names[fields->type]);
        add_range(&what, fields);
        add_default(&what, fields);
        dts_text_add(&lead, "%s: ", dts_text_string(&key));
        dts_text_wrap(out, dts_text_string(&lead), INDENT, DTS_HELP_WIDTH,
                      dts_text_string(&what));
        if (fields->help != NULL)
            dts_text_wrap(out, "", INDENT, DTS_HELP_WIDTH, fields->help);
        if (fields->fields != NULL)
            dts_fields_print(fields->fields, dts_text_string(&key), out);
        dts_text_free(&key);
        dts_text_free(&lead);
        dts_text_free(&what);
    }
}
