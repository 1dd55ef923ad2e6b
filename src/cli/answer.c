/* answer.c -- is what a person answered a value that the file can hold? */
#include "cli/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/library.h"
#include "base/text.h"
#include "cli/names.h"

static bool names_file(const char *folder, const char *name, struct dts_error *err)
{
    char *path;
    if (!dts_library_find(&path, folder, name, NULL, err))
        return false;
    free(path);
    return true;
}

/* Is the answer one JSON value? *number: what it is, NAN for another than a number. */
static bool is_json(const char *answer, double *number)
{
    struct dts_text text = {0};
    struct dts_error err = {0};
    struct dts_doc *doc;
    dts_text_add(&text, "{\"answer\": [%s]}", answer);
    bool good = dts_doc_parse(&doc, "", dts_text_string(&text), &err);
    dts_text_free(&text);
    *number = NAN;
    if (!good)
        return false;
    struct dts_cfg top = dts_doc_top(doc), list = dts_cfg_member(&top, "answer"),
                   item = dts_cfg_item(&list, 0);
    good = dts_cfg_key_count(&top) == 1 && dts_cfg_length(&list) == 1;
    if (good && dts_cfg_is_number(&item))
        dts_cfg_real(&item, 0, 0, number, &err);
    dts_doc_free(doc);
    return good;
}

/* The limits of the reader, so that a wrong answer is told before the next question; in the
 * unit of the answer. */
static bool check_number(const struct dts_field *field, const char *what, const char *answer,
                         double number, double scale, struct dts_error *err)
{
    double value = number * scale;
    bool whole = field->type == DTS_INT, unlimited = field->min == 0 && field->max == 0;
    if (isnan(number) || (whole && value != floor(value)))
        return dts_fail(err, DTS_BAD_INPUT, "%s: must be a %snumber, got \"%.40s\"", what,
                        whole ? "whole " : "", answer);
    if (!unlimited && value < field->min)
        return dts_fail(err, DTS_BAD_INPUT, "%s: must be >= %.12g, got %.40s", what,
                        field->min / scale, answer);
    if (!unlimited && value > field->max)
        return dts_fail(err, DTS_BAD_INPUT, "%s: must be <= %.12g, got %.40s", what,
                        field->max / scale, answer);
    return true;
}

bool dts_answer_accept(const struct dts_wanted *wanted, const char *what, const char *answer,
                       double scale, char *value, struct dts_error *err)
{
    const struct dts_field *field = wanted->field;
    bool is_number = field != NULL && (field->type == DTS_INT || field->type == DTS_REAL);
    double number;
    if (wanted->choice != NULL &&
        !dts_known(wanted->option != NULL ? wanted->option : wanted->key, answer,
                   wanted->choice, err))
        return false;
    if (wanted->folder != NULL && !names_file(wanted->folder, answer, err))
        return false;
    if (strlen(answer) >= DTS_DRAFT_VALUE)
        return dts_fail(err, DTS_BAD_INPUT, "%s: must be shorter than %d bytes", what,
                        DTS_DRAFT_VALUE);
    bool json = !wanted->word && is_json(answer, &number);
    if (is_number && !check_number(field, what, answer, json ? number : NAN, scale, err))
        return false;
    if (!wanted->word && !is_number && !json)
        return dts_fail(err, DTS_BAD_INPUT,
                        "%s: must be JSON, such as 4, true or [4, 2], got \"%.40s\"", what,
                        answer);
    if (is_number && (scale != 1 || field->type == DTS_INT))
        snprintf(value, DTS_DRAFT_VALUE, "%.12g", number * scale);
    else
        snprintf(value, DTS_DRAFT_VALUE, "%s", answer);
    return true;
}
