/* changes.c -- --set and --sweep of the command line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/changes.h"
#include "base/json/cfg.h"
#include "base/json/units.h"
#include "base/mem.h"

/* A copy of the first `length` characters that the changes own. */
static char *keep(struct dts_changes *changes, const char *text, size_t length)
{
    char *copy = memcpy(dts_alloc(length + 1, 1), text, length);
    changes->copies = dts_grow(changes->copies, &changes->copy_room,
                               (size_t)changes->copy_count + 1, sizeof(*changes->copies));
    changes->copies[changes->copy_count++] = copy;
    return copy;
}

void dts_changes_free(struct dts_changes *changes)
{
    for (int i = 0; i < changes->sweep_count; i++)
        free(changes->sweeps[i].values);
    for (int i = 0; i < changes->copy_count; i++)
        free(changes->copies[i]);
    free(changes->sets);
    free(changes->sweeps);
    free(changes->copies);
    *changes = (struct dts_changes){0};
}

static void add(struct dts_changes *changes, struct dts_setting setting)
{
    changes->sets = dts_grow(changes->sets, &changes->set_room, (size_t)changes->set_count + 1,
                             sizeof(*changes->sets));
    changes->sets[changes->set_count++] = setting;
}

void dts_changes_add_set(struct dts_changes *changes, const char *path, size_t length,
                         const char *value)
{
    add(changes, (struct dts_setting){keep(changes, path, length),
                                      keep(changes, value, strlen(value)), "--set "});
}

void dts_changes_add_by(struct dts_changes *changes, const char *by, const char *path,
                        const char *value)
{
    add(changes, (struct dts_setting){keep(changes, path, strlen(path)),
                                      keep(changes, value, strlen(value)),
                                      keep(changes, by, strlen(by))});
}

/* Characters up to the next comma that separates values. */
static size_t value_length(const char *text)
{
    size_t length = 0;
    int depth = 0;
    bool quoted = false;
    for (; text[length] != '\0'; length++) {
        char c = text[length];
        if (c == '"' && (length == 0 || text[length - 1] != '\\'))
            quoted = !quoted;
        else if (!quoted && (c == '[' || c == '{'))
            depth++;
        else if (!quoted && (c == ']' || c == '}'))
            depth--;
        else if (!quoted && depth <= 0 && c == ',')
            break;
    }
    return length;
}

/* A value to be compared: numbers by what they are, so that 1e9 is 1000000000. */
struct compared {
    const char *text;
    double number; // NAN: it is none
    int place;
};

/* Numbers first, then words; the earlier of two that are the same. */
static int by_value(const void *a, const void *b)
{
    const struct compared *x = a, *y = b;
    const bool words = isnan(x->number);
    if (words != isnan(y->number))
        return words ? 1 : -1;
    const int order =
        words ? strcmp(x->text, y->text) : (x->number > y->number) - (x->number < y->number);
    return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

static bool same_value(const struct compared *a, const struct compared *b)
{
    return isnan(a->number) ? isnan(b->number) && strcmp(a->text, b->text) == 0
                            : a->number == b->number;
}

/* The first value that is there already; -1: none. */
static int find_twice(const struct dts_sweep *sweep)
{
    struct compared *values = dts_alloc((size_t)sweep->count, sizeof(*values));
    for (int i = 0; i < sweep->count; i++) {
        char *end;
        const double number = strtod(sweep->values[i], &end);
        const bool whole = end != sweep->values[i] && *end == '\0';
        const char *dot = strrchr(sweep->path, '.');
        double with_unit;
        if (!whole &&
            dts_unit_read(dot != NULL ? dot + 1 : sweep->path, sweep->values[i], &with_unit))
            values[i] = (struct compared){sweep->values[i], with_unit, i};
        else
            values[i] = (struct compared){sweep->values[i], whole ? number : NAN, i};
    }
    qsort(values, (size_t)sweep->count, sizeof(*values), by_value);
    int found = -1;
    for (int i = 1; i < sweep->count; i++)
        if (same_value(&values[i - 1], &values[i]) && (found < 0 || values[i].place < found))
            found = values[i].place;
    free(values);
    return found;
}

/* Points that are asked for twice would be two equal rows, which nobody means. */
static bool check_twice(const struct dts_changes *changes, const struct dts_sweep *sweep,
                        struct dts_error *err)
{
    for (int i = 0; i < changes->sweep_count; i++)
        if (strcmp(changes->sweeps[i].path, sweep->path) == 0)
            return dts_fail(err, DTS_BAD_INPUT, "--sweep: %s is there twice", sweep->path);
    const int twice = find_twice(sweep);
    return twice < 0 || dts_fail(err, DTS_BAD_INPUT, "--sweep: %s: %s is there twice",
                                 sweep->path, sweep->values[twice]);
}

void dts_changes_add_object(struct dts_changes *changes, const char *by,
                            const struct dts_cfg *object)
{
    const char *key;
    for (size_t i = 0; (key = dts_cfg_key(object, i)) != NULL; i++) {
        const struct dts_cfg at = dts_cfg_member(object, key);
        char *value = dts_cfg_json(&at);
        dts_changes_add_by(changes, by, key, value);
        free(value);
    }
}

bool dts_changes_add_sweep(struct dts_changes *changes, const char *text, struct dts_error *err)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == '\0')
        return dts_fail(err, DTS_BAD_INPUT, "--sweep: must be PATH=VALUE,VALUE,..., got \"%s\"",
                        text);
    struct dts_sweep sweep = {.path = keep(changes, text, (size_t)(equals - text))};
    size_t room = 0;
    bool good = true;
    for (const char *value = equals + 1; good && value != NULL;) {
        size_t length = value_length(value);
        if (length == 0)
            good = dts_fail(err, DTS_BAD_INPUT, "--sweep: empty value in \"%s\"", text);
        sweep.values =
            dts_grow(sweep.values, &room, (size_t)sweep.count + 1, sizeof(*sweep.values));
        sweep.values[sweep.count++] = keep(changes, value, length);
        value = value[length] == ',' ? value + length + 1 : NULL;
    }
    good = good && check_twice(changes, &sweep, err);
    changes->sweeps = dts_grow(changes->sweeps, &changes->sweep_room,
                               (size_t)changes->sweep_count + 1, sizeof(*changes->sweeps));
    changes->sweeps[changes->sweep_count++] = sweep;
    double combinations = 1;
    for (int i = 0; i < changes->sweep_count; i++)
        combinations *= changes->sweeps[i].count;
    if (good && combinations > DTS_SWEEP_MOST)
        good = dts_fail(err, DTS_BAD_INPUT,
                        "--sweep: must have <= %d combinations in all, got %.0f",
                        DTS_SWEEP_MOST, combinations);
    return good;
}

int dts_changes_combinations(const struct dts_changes *changes)
{
    int count = 1;
    for (int i = 0; i < changes->sweep_count; i++)
        count *= changes->sweeps[i].count;
    return count;
}

int dts_changes_setting_count(const struct dts_changes *changes)
{
    return changes->set_count + changes->sweep_count + (changes->engine != NULL) +
           (changes->seed != NULL);
}

/* What sweep `i` sets in combination k. */
static const char *value_of(const struct dts_changes *changes, int i, int k)
{
    for (int later = changes->sweep_count - 1; later > i; later--)
        k /= changes->sweeps[later].count;
    return changes->sweeps[i].values[k % changes->sweeps[i].count];
}

int dts_changes_settings(const struct dts_changes *changes, int k, struct dts_setting *settings)
{
    int count = 0;
    if (changes->engine != NULL)
        settings[count++] = (struct dts_setting){"engine", changes->engine, "--"};
    if (changes->seed != NULL)
        settings[count++] = (struct dts_setting){"seed", changes->seed, "--"};
    for (int i = 0; i < changes->set_count; i++)
        settings[count++] = changes->sets[i];
    for (int i = 0; i < changes->sweep_count; i++)
        settings[count++] =
            (struct dts_setting){changes->sweeps[i].path, value_of(changes, i, k), "--sweep "};
    return count;
}

void dts_changes_sweep_text(const struct dts_changes *changes, int k, char *text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < changes->sweep_count && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%s=%s", i > 0 ? ", " : "",
                                 changes->sweeps[i].path, value_of(changes, i, k));
}

bool dts_changes_touch(const struct dts_changes *changes, const char *key)
{
    bool found = false;
    for (int i = 0; i < changes->set_count; i++)
        found = found || dts_path_is_in(changes->sets[i].path, key);
    for (int i = 0; i < changes->sweep_count; i++)
        found = found || dts_path_is_in(changes->sweeps[i].path, key);
    return found;
}
