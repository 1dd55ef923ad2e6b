/* cfg_value.c -- single values and lists of numbers, each with its type and range checked. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/cfg_private.h"
#include "base/json/units.h"
#include "base/json/words.h"
#include "base/mem.h"

void dts_describe(struct dts_text *text, const json_t *json)
{
    static const char *const plain[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list", [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null",
    };
    if (json_is_string(json)) {
        dts_text_add(text, "a string \"");
        dts_text_add_word(text, json_string_value(json), DTS_WORD_BYTES);
        dts_text_add(text, "\"");
    } else if (json_is_integer(json)) {
        dts_text_add(text, "%lld", (long long)json_integer_value(json));
    } else if (json_is_real(json)) {
        dts_text_add_number(text, json_real_value(json));
    } else {
        dts_text_add(text, "%s", plain[json_typeof(json)]);
    }
}

static bool fail_value(const struct dts_cfg *at, const char *must, struct dts_error *err)
{
    if (at->json == NULL)
        return dts_cfg_fail(at, NULL, err, "missing");
    struct dts_text found = {0};
    dts_describe(&found, at->json);
    dts_cfg_fail(at, NULL, err, "must be %s, got %s", must, dts_text_string(&found));
    dts_text_free(&found);
    return false;
}

static bool fail_limit(const struct dts_cfg *at, const char *relation, double limit,
                       struct dts_error *err)
{
    struct dts_text must = {0};
    dts_text_add(&must, "%s ", relation);
    dts_text_add_number(&must, limit);
    fail_value(at, dts_text_string(&must), err);
    dts_text_free(&must);
    return false;
}

static bool in_range(const struct dts_cfg *at, double value, double min, double max,
                     struct dts_error *err)
{
    if (!(value >= min))
        return fail_limit(at, ">=", min, err);
    if (!(value <= max))
        return fail_limit(at, "<=", max, err);
    return true;
}

bool dts_cfg_string(const struct dts_cfg *at, const char **out, struct dts_error *err)
{
    if (!dts_cfg_is_string(at))
        return fail_value(at, "a string", err);
    const char *string = json_string_value(at->json);
    if (dts_text_hides(string)) // printed, they would change the terminal or forge lines
        return fail_value(at, "without control characters", err);
    *out = string;
    return true;
}

bool dts_cfg_bool(const struct dts_cfg *at, bool *out, struct dts_error *err)
{
    if (!json_is_boolean((json_t *)at->json))
        return fail_value(at, "true or false", err);
    *out = json_is_true((json_t *)at->json);
    return true;
}

/* The key whose unit a number has: that of a list for its elements. */
static const char *key_of(const struct dts_cfg *at)
{
    while (at != NULL && at->key == NULL)
        at = at->parent;
    return at != NULL ? at->key : "";
}

static bool with_unit(const struct dts_cfg *at, double *value)
{
    return dts_cfg_is_string(at) &&
           dts_unit_read(key_of(at), json_string_value(at->json), value);
}

/* What must stand there: words that last, one for each kind of unit. */
static const char *number_words(const struct dts_cfg *at)
{
    const char *example = dts_unit_example(key_of(at));
    return example == NULL                 ? "a number"
           : strcmp(example, "5us") == 0   ? "a number, or one with a unit (\"5us\")"
           : strcmp(example, "64MiB") == 0 ? "a number, or one with a unit (\"64MiB\")"
                                           : "a number, or one with a unit (\"100Gb/s\")";
}

bool dts_cfg_real(const struct dts_cfg *at, double min, double max, double *out,
                  struct dts_error *err)
{
    double value = json_number_value(at->json);
    if (!dts_cfg_is_number(at) && !with_unit(at, &value))
        return fail_value(at, number_words(at), err);
    bool unlimited = min == 0 && max == 0;
    if (!unlimited && !in_range(at, value, min, max, err))
        return false;
    *out = value;
    return true;
}

bool dts_cfg_int(const struct dts_cfg *at, int min, int max, int *out, struct dts_error *err)
{
    if (!dts_cfg_is_number(at))
        return fail_value(at, "a whole number", err);
    double value = json_number_value(at->json);
    if (value != floor(value))
        return fail_value(at, "a whole number", err);
    bool unlimited = min == 0 && max == 0;
    if (!in_range(at, value, unlimited ? INT_MIN : min, unlimited ? INT_MAX : max, err))
        return false;
    *out = (int)value;
    return true;
}

bool dts_cfg_choice(const struct dts_cfg *at, const char *(*choice)(int i), int *out,
                    struct dts_error *err)
{
    const char *word = NULL;
    if (!dts_cfg_string(at, &word, err))
        return false;
    const char **words = dts_words_of(choice);
    int i = 0;
    while (words[i] != NULL && strcmp(words[i], word) != 0)
        i++;
    bool known = words[i] != NULL;
    if (known) {
        *out = i;
    } else {
        struct dts_text what = {0};
        dts_text_add(&what, "must be one of ");
        dts_words_add(&what, words);
        dts_text_add(&what, ", got \"");
        dts_text_add_word(&what, word, DTS_WORD_BYTES);
        dts_text_add(&what, "\"");
        dts_words_mean(&what, word, words);
        dts_cfg_fail(at, NULL, err, "%s", dts_text_string(&what));
        dts_text_free(&what);
    }
    free(words);
    return known;
}

static bool check_list(const struct dts_cfg *at, size_t most, struct dts_error *err)
{
    if (!dts_cfg_is_list(at))
        return fail_value(at, "a list", err);
    size_t count = dts_cfg_length(at);
    return count <= most ||
           dts_cfg_fail(at, NULL, err, "must have at most %zu elements, got %zu", most, count);
}

bool dts_cfg_ints(const struct dts_cfg *at, int min, int max, size_t most, int **out,
                  size_t *count, struct dts_error *err)
{
    if (!check_list(at, most, err))
        return false;
    size_t length = dts_cfg_length(at);
    int *numbers = dts_alloc(length, sizeof(*numbers));
    for (size_t i = 0; i < length; i++) {
        struct dts_cfg item = dts_cfg_item(at, i);
        if (!dts_cfg_int(&item, min, max, &numbers[i], err)) {
            free(numbers);
            return false;
        }
    }
    *out = numbers;
    *count = length;
    return true;
}

bool dts_cfg_reals(const struct dts_cfg *at, double min, double max, size_t most, double **out,
                   size_t *count, struct dts_error *err)
{
    if (!check_list(at, most, err))
        return false;
    size_t length = dts_cfg_length(at);
    double *numbers = dts_alloc(length, sizeof(*numbers));
    for (size_t i = 0; i < length; i++) {
        struct dts_cfg item = dts_cfg_item(at, i);
        if (!dts_cfg_real(&item, min, max, &numbers[i], err)) {
            free(numbers);
            return false;
        }
    }
    *out = numbers;
    *count = length;
    return true;
}

const char *dts_nearest(const char *word, const char *(*choice)(int i))
{
    const char **words = dts_words_of(choice);
    const char *nearest = dts_words_nearest(word, words);
    free(words);
    return nearest;
}
