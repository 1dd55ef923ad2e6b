/* choices.c -- bytes become numbers, words and keys. */
#include "choices.h"

#include <math.h>
#include <string.h>

enum { RARELY = 24, LIST = 3 };

static int next_byte(struct fuzz_choices *choices)
{
    if (choices->left == 0)
        return 0;
    choices->left--;
    return *choices->bytes++;
}

int fuzz_below(struct fuzz_choices *choices, int count)
{
    int value = next_byte(choices);
    if (count > 256)
        value = 256 * value + next_byte(choices);
    return value % count;
}

bool fuzz_once_in(struct fuzz_choices *choices, int count)
{
    return fuzz_below(choices, count) == count - 1;
}

double fuzz_between(struct fuzz_choices *choices, double min, double max)
{
    const double part = fuzz_below(choices, 65536) / 65535.0;
    return min * pow(max / min, part);
}

const char *fuzz_word(struct fuzz_choices *choices, const char *(*choice)(int i))
{
    int count = 0;
    while (choice(count) != NULL)
        count++;
    return choice(fuzz_below(choices, count));
}

static bool ends_in(const char *key, const char *end)
{
    const size_t length = strlen(key), ends = strlen(end);
    return length >= ends && strcmp(key + length - ends, end) == 0;
}

/* What values of a key mostly are; rates come before seconds. */
static double ordinary(struct fuzz_choices *choices, const char *key)
{
    if (ends_in(key, "bytes_per_s"))
        return fuzz_between(choices, 1e8, 1e11);
    if (ends_in(key, "bytes"))
        return fuzz_between(choices, 100, 1e7);
    if (ends_in(key, "_us"))
        return fuzz_between(choices, 0.1, 100);
    if (ends_in(key, "_s"))
        return fuzz_between(choices, 1e-7, 1e-2);
    return fuzz_between(choices, 1e-2, 1);
}

static double real(struct fuzz_choices *choices, const struct dts_field *field)
{
    const bool limits = field->min != 0 || field->max != 0;
    const int rare = fuzz_below(choices, RARELY);
    if (limits && rare == RARELY - 1)
        return field->min;
    if (limits && rare == RARELY - 2)
        return field->max;
    const double value = ordinary(choices, field->key);
    return limits ? fmin(fmax(value, field->min), field->max) : value;
}

static int integer(struct fuzz_choices *choices, const struct dts_field *field)
{
    const int value = (int)field->min + fuzz_below(choices, 8);
    if (fuzz_once_in(choices, RARELY))
        return (int)field->max;
    return value <= field->max ? value : (int)field->max;
}

/* Somebody else reads it: mostly a list of small numbers, or a rate. */
static void other(FILE *out, struct fuzz_choices *choices, const char *key)
{
    if (ends_in(key, "bytes_per_s")) {
        fprintf(out, "%.6g", ordinary(choices, key));
        return;
    }
    const int count = 1 + fuzz_below(choices, LIST);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%d", i == 0 ? "[" : ", ", 1 + fuzz_below(choices, 4));
    fputc(']', out);
}

static void value_of(FILE *out, struct fuzz_choices *choices, const struct dts_field *field)
{
    switch (field->type) {
    case DTS_INT:
        fprintf(out, "%d", integer(choices, field));
        break;
    case DTS_REAL:
        fprintf(out, "%.6g", real(choices, field));
        break;
    case DTS_BOOL:
        fputs(fuzz_below(choices, 2) == 0 ? "false" : "true", out);
        break;
    case DTS_STRING:
        fprintf(out, "\"%s\"", field->choice != NULL ? fuzz_word(choices, field->choice) : "x");
        break;
    case DTS_OBJECT:
        fputs("{\"comment\": \"\"", out);
        fuzz_fields(out, choices, field->fields);
        fputc('}', out);
        break;
    case DTS_OTHER:
        other(out, choices, field->key);
        break;
    }
}

void fuzz_fields(FILE *out, struct fuzz_choices *choices, const struct dts_field *fields)
{
    for (; fields != NULL && fields->key != NULL; fields++) {
        if (fields->missing != NULL && !fuzz_once_in(choices, 3))
            continue;
        fprintf(out, ", \"%s\": ", fields->key);
        value_of(out, choices, fields);
    }
}
