/* constants.c -- finds the numbers that were chosen on published points. */
#include "answer/validate/constants.h"

#include <stdlib.h>
#include <string.h>

#include "base/json/library.h"
#include "base/mem.h"

/* What is found while a file is read. */
struct finding {
    struct dts_constant *all;
    int count;
    size_t room;
    const char *file;
    bool platform;
};

static const char *words_of(const struct dts_cfg *source)
{
    const char *text = NULL;
    struct dts_error ignored = {0};
    if (!dts_cfg_is_string(source) || !dts_cfg_string(source, &text, &ignored))
        return NULL;
    return strncmp(text, "calibrated", strlen("calibrated")) == 0 ? text : NULL;
}

static void add_file(struct dts_constant *constant, const char *file)
{
    constant->files = dts_grow(constant->files, &constant->file_room,
                               (size_t)constant->file_count + 1, sizeof(*constant->files));
    constant->files[constant->file_count++] = dts_copy(file);
}

static void add(struct finding *f, const char *path, double value, const char *source)
{
    for (int i = 0; i < f->count; i++)
        if (strcmp(f->all[i].path, path) == 0 && strcmp(f->all[i].source, source) == 0) {
            add_file(&f->all[i], f->file);
            return;
        }
    f->all = dts_grow(f->all, &f->room, (size_t)f->count + 1, sizeof(*f->all));
    f->all[f->count] = (struct dts_constant){.path = dts_copy(path),
                                             .source = dts_copy(source),
                                             .platform = f->platform,
                                             .value = value};
    add_file(&f->all[f->count++], f->file);
}

/* A number of an object, and what is said of it. */
static void look_at(struct finding *f, const char *path, const struct dts_cfg *at,
                    const struct dts_cfg *source, const char *key)
{
    const struct dts_cfg own = dts_cfg_member(source, key);
    const char *text = dts_cfg_is_object(source) ? words_of(&own) : words_of(source);
    struct dts_error ignored = {0};
    double value;
    if (text != NULL && dts_cfg_is_number(at) && dts_cfg_real(at, 0, 0, &value, &ignored))
        add(f, path, value, text);
}

/* In an object and all objects below it. */
static void look_below(struct finding *f, const char *path, const struct dts_cfg *at)
{
    const struct dts_cfg source = dts_cfg_member(at, "source");
    const char *key;
    for (size_t i = 0; (key = dts_cfg_key(at, i)) != NULL; i++) {
        const struct dts_cfg member = dts_cfg_member(at, key);
        struct dts_text below = {0};
        dts_text_add(&below, "%s.%s", path, key);
        look_at(f, dts_text_string(&below), &member, &source, key);
        if (dts_cfg_is_object(&member))
            look_below(f, dts_text_string(&below), &member);
        dts_text_free(&below);
    }
}

/* A file that a case names by its path is not of the library, and is left out. */
static bool read_file(struct finding *f, struct dts_error *err)
{
    char *path = NULL;
    struct dts_doc *doc;
    struct dts_error elsewhere = {0};
    if (!dts_library_find(&path, f->platform ? "platforms" : "stacks", f->file, NULL,
                          &elsewhere))
        return true;
    const bool good = dts_doc_load(&doc, path, err);
    free(path);
    if (!good)
        return false;
    const struct dts_cfg top = dts_doc_top(doc);
    look_below(f, f->platform ? "platform" : "stack", &top);
    dts_doc_free(doc);
    return true;
}

static const char *name_of(const struct dts_judged *judged, bool platform)
{
    return platform ? judged->platform : judged->stack;
}

static bool is_first(const struct dts_judged *judged, int i, bool platform)
{
    for (int j = 0; j < i; j++)
        if (strcmp(name_of(&judged[j], platform), name_of(&judged[i], platform)) == 0)
            return false;
    return true;
}

bool dts_constants_find(const struct dts_case_set *set, const struct dts_judged *judged,
                        struct dts_constant **constants, int *count, struct dts_error *err)
{
    struct finding f = {0};
    bool good = true;
    for (int i = 0; i < 2 * set->count && good; i++) {
        f.platform = i % 2 == 0;
        f.file = name_of(&judged[i / 2], f.platform);
        if (is_first(judged, i / 2, f.platform))
            good = read_file(&f, err);
    }
    *constants = f.all;
    *count = f.count;
    if (!good) {
        dts_constants_free(f.all, f.count);
        *constants = NULL;
        *count = 0;
    }
    return good;
}

void dts_constants_free(struct dts_constant *constants, int count)
{
    for (int i = 0; i < count; i++) {
        for (int n = 0; n < constants[i].file_count; n++)
            free(constants[i].files[n]);
        free(constants[i].files);
        free(constants[i].path);
        free(constants[i].source);
    }
    free(constants);
}

/* Is it the constant of a file, by the name of its key? */
static bool names_one(const char *role, const struct dts_constant *constants, int count)
{
    for (int c = 0; c < count; c++) {
        const char *key = strrchr(constants[c].path, '.');
        if (key != NULL && strstr(role, key + 1) != NULL)
            return true;
    }
    return false;
}

int dts_constants_elsewhere(const struct dts_case_set *set,
                            const struct dts_constant *constants, int count)
{
    int elsewhere = 0;
    for (int i = 0; i < set->count; i++) {
        const char *role = set->cases[i].role_text;
        if (set->cases[i].role != DTS_CASE_CALIBRATED || names_one(role, constants, count))
            continue;
        bool first = true;
        for (int j = 0; j < i && first; j++)
            first = set->cases[j].role != DTS_CASE_CALIBRATED ||
                    strcmp(set->cases[j].role_text, role) != 0;
        elsewhere += first;
    }
    return elsewhere;
}

bool dts_constant_in(const struct dts_constant *constant, const struct dts_judged *judged)
{
    for (int i = 0; i < constant->file_count; i++)
        if (strcmp(constant->files[i], name_of(judged, constant->platform)) == 0)
            return true;
    return false;
}
