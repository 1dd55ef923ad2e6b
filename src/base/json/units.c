/* units.c -- a number, a prefix and a unit, by what the key's name ends in. */
#include "base/json/units.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    const char *name;
    double in; // of the key's unit
};

static const struct unit rates[] = {
    {"B/s", 1},
    {"Bps", 1},
    {"B", 1},
    {"b/s", 1.0 / 8},
    {"bps", 1.0 / 8},
    {"bit/s", 1.0 / 8},
    {"b", 1.0 / 8},
    {"bit", 1.0 / 8},
    // ends the table
    {NULL, 0},
};

static const struct unit sizes[] = {
    {"B", 1},
    // ends the table
    {NULL, 0},
};

static const struct unit seconds[] = {
    {"ns", 1e-9},
    {"us", 1e-6},
    {"ms", 1e-3},
    {"s", 1},
    {"min", 60},
    {"h", 3600},
    // ends the table
    {NULL, 0},
};

static const struct unit microseconds[] = {
    {"ns", 1e-3},
    {"us", 1},
    {"ms", 1e3},
    {"s", 1e6},
    // ends the table
    {NULL, 0},
};

/* The first ending that fits counts. */
static const struct {
    const char *ending, *example;
    const struct unit *units;
    bool prefixes;
} kinds[] = {
    {"bytes_per_s", "100Gb/s", rates, true}, {"bytes", "64MiB", sizes, true},
    {"_us", "5us", microseconds, false},     {"_per_s", NULL, NULL, false},
    {"_s", "5us", seconds, false},
};

static int kind_of(const char *key)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const size_t length = strlen(key), ending = strlen(kinds[i].ending);
        if (length >= ending && strcmp(key + length - ending, kinds[i].ending) == 0)
            return kinds[i].units != NULL ? (int)i : -1;
    }
    return -1;
}

/* "k", "Mi", "": what it multiplies by; *text behind it. */
static double prefix_of(const char **text)
{
    static const char letters[] = "kMGTP";
    const char *at = **text != '\0' ? strchr(letters, **text) : NULL;
    if (**text == 'K' && (*text)[1] == 'i')
        at = letters;
    if (at == NULL)
        return 1;
    const bool binary = (*text)[1] == 'i';
    double factor = 1;
    for (const char *l = letters; l <= at; l++)
        factor *= binary ? 1024 : 1000;
    *text += binary ? 2 : 1;
    return factor;
}

/* The whole text must be the unit. */
static bool find_unit(const struct unit *units, const char *text, double *in)
{
    for (; units->name != NULL; units++)
        if (strcmp(units->name, text) == 0) {
            *in = units->in;
            return true;
        }
    return false;
}

bool dts_unit_read(const char *key, const char *text, double *value)
{
    const int kind = kind_of(key);
    const char *digits = text + (*text == '+' || *text == '-');
    if (kind < 0 || strspn(digits, "0123456789.") == 0)
        return false;
    char *end;
    const double number = strtod(text, &end);
    const char *unit = end + strspn(end, " ");
    double in, prefix = 1;
    if (end == text)
        return false;
    if (!find_unit(kinds[kind].units, unit, &in)) {
        prefix = kinds[kind].prefixes ? prefix_of(&unit) : 1;
        if (!find_unit(kinds[kind].units, unit, &in))
            return false;
    }
    *value = number * prefix * in;
    return isfinite(*value);
}

const char *dts_unit_example(const char *key)
{
    const int kind = kind_of(key);
    return kind >= 0 ? kinds[kind].example : NULL;
}
