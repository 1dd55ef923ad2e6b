/* cases.c -- reads families of published configurations. */
#include "answer/validate/cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/open.h"
#include "base/json/library.h"
#include "base/json/words.h"
#include "base/mem.h"
#include "base/os/file.h"

enum { MOST_CASES = 10000, MOST_COLUMNS = 32 };

static const char folder[] = "validation";

const char *dts_case_class_name(int i)
{
    static const char *const names[] = {
        "data_parallel", "parameter_server", "collective", "fsdp", "memory", "nanotron", "3d",
        "records",       "time_to_train",    "pipeline",   "moe",  NULL};
    return names[i];
}

const char *dts_case_role_name(enum dts_case_role role)
{
    static const char *const names[] = {"anchor", "calibrated", "predicted"};
    return names[role];
}

const char *dts_case_value_name(int i)
{
    static const char *const names[] = {
        "throughput_samples_per_s", "step_s", "train_s", "memory_gib",
        "memory_first_stage_gib",   NULL};
    return names[i];
}

/* The file as it stands. */
struct head {
    const char *summary, *class, *source, *metric;
    struct dts_cfg scenario, columns, cases;
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct head, summary), .type = DTS_STRING,
     .help = "what the family is, in a line"},
    {DTS_KEY(struct head, class), .type = DTS_STRING, .choice = dts_case_class_name,
     .help = "with which others its errors are counted"},
    {.key = "source",
     .offset = offsetof(struct head, source),
     .type = DTS_STRING,
     .help = "who published it"},
    {DTS_KEY(struct head, metric), .type = DTS_STRING, .choice = dts_case_value_name,
     .help = "what the values are"},
    {DTS_KEY(struct head, scenario), .type = DTS_OTHER, .forms = DTS_FORM_OBJECT,
     .help = "what all cases share"},
    {DTS_KEY(struct head, columns), .type = DTS_OTHER, .forms = DTS_FORM_STRINGS,
     .help = "what the cells of a row are"},
    {DTS_KEY(struct head, cases), .type = DTS_OTHER, .forms = DTS_FORM_LIST,
     .help = "a list of rows"},
    {0},
};

static bool read_columns(const struct dts_cfg *list, const char *columns[MOST_COLUMNS],
                         int *count, struct dts_error *err)
{
    const size_t length = dts_cfg_length(list);
    bool devices = false, value = false;
    if (length < 1 || length > MOST_COLUMNS)
        return dts_cfg_fail(list, NULL, err, "must be a list of 1 to %d words", MOST_COLUMNS);
    for (size_t i = 0; i < length; i++) {
        const struct dts_cfg item = dts_cfg_item(list, i);
        if (!dts_cfg_string(&item, &columns[i], err))
            return false;
        devices = devices || strcmp(columns[i], "devices") == 0;
        value = value || strcmp(columns[i], "value") == 0;
    }
    *count = (int)length;
    return (devices && value) || dts_cfg_fail(list, NULL, err, "must have devices and value");
}

/* The number of a system of this family, a new one where it is not there yet. */
static int system_of(struct dts_case_set *set, const struct dts_family *family,
                     const char *words)
{
    for (int i = set->count - 1; i >= 0 && set->cases[i].system >= family->system; i--)
        if (strcmp(set->cases[i].words, words) == 0)
            return set->cases[i].system;
    return set->systems++;
}

/* A cell with a meaning of its own. *known: it is one. */
static bool read_cell(const char *column, const struct dts_cfg *cell, struct dts_case *one,
                      bool *known, struct dts_error *err)
{
    const struct {
        const char *name, **word;
    } words[] = {{"system", &one->words},
                 {"role", &one->role_text},
                 {"note", &one->note},
                 {"source", &one->source}};
    *known = true;
    if (strcmp(column, "devices") == 0)
        return dts_cfg_int(cell, 1, 1 << 24, &one->devices, err);
    if (strcmp(column, "value") == 0)
        return dts_cfg_real(cell, 1e-12, 1e15, &one->value, err);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(column, words[i].name) == 0)
            return !dts_cfg_exists(cell) || dts_cfg_string(cell, words[i].word, err);
    *known = false;
    return true;
}

/* The row says that nothing is known of it beforehand. */
static bool is_never_known(const struct dts_case *one)
{
    return one->role_text != NULL && strcmp(one->role_text, "predicted") == 0;
}

static bool read_role(const struct dts_cfg *row, struct dts_case *one, struct dts_error *err)
{
    const char *text = one->role_text;
    one->role = DTS_CASE_PREDICTED;
    if (text == NULL || text[0] == '\0' || is_never_known(one))
        return true;
    one->role = DTS_CASE_CALIBRATED;
    return strncmp(text, "calibrated: ", 12) == 0 ||
           dts_cfg_fail(row, NULL, err,
                        "role must be predicted, or \"calibrated: \" and the constant that was "
                        "chosen on it, got \"%.60s\"",
                        text);
}

static bool read_case(struct dts_case_set *set, const struct dts_family *family,
                      const struct dts_cfg *row, const char *const *columns, int count,
                      struct dts_error *err)
{
    struct dts_case *one = &set->cases[set->count];
    char by[512], devices[32];
    *one =
        (struct dts_case){.family = set->family_count - 1, .row = (int)row->index, .words = ""};
    if ((int)dts_cfg_length(row) != count)
        return dts_cfg_fail(row, NULL, err, "must be a list of %d cells, got %zu", count,
                            dts_cfg_length(row));
    snprintf(by, sizeof(by), "%s: cases[%zu]: ", dts_doc_name(family->doc), row->index);
    dts_changes_add_by(&one->changes, by, "engine", "fluid");
    for (int c = 0; c < count; c++) {
        const struct dts_cfg cell = dts_cfg_item(row, (size_t)c);
        bool known;
        if (!read_cell(columns[c], &cell, one, &known, err))
            return false;
        if (known || !dts_cfg_exists(&cell))
            continue;
        char *json = dts_cfg_json(&cell);
        dts_changes_add_by(&one->changes, by, columns[c], json);
        free(json);
    }
    snprintf(devices, sizeof(devices), "%d", one->devices);
    dts_changes_add_by(&one->changes, by, "devices", devices);
    if (!read_role(row, one, err))
        return false;
    one->system = system_of(set, family, one->words);
    return true;
}

static bool read_rows(struct dts_case_set *set, const struct dts_family *family,
                      const struct head *head, struct dts_error *err)
{
    const char *columns[MOST_COLUMNS];
    int count = 0;
    const size_t rows = dts_cfg_length(&head->cases);
    if (!read_columns(&head->columns, columns, &count, err))
        return false;
    if (!dts_cfg_is_list(&head->cases) || rows < 1 || rows > MOST_CASES)
        return dts_cfg_fail(&head->cases, NULL, err, "must be a list of 1 to %d rows",
                            MOST_CASES);
    for (size_t i = 0; i < rows; i++) {
        const struct dts_cfg row = dts_cfg_item(&head->cases, i);
        set->cases =
            dts_grow(set->cases, &set->case_room, (size_t)set->count + 1, sizeof(*set->cases));
        if (!read_case(set, family, &row, columns, count, err)) {
            dts_changes_free(&set->cases[set->count].changes);
            return false;
        }
        set->count++;
    }
    return true;
}

/* A collective has no kernels to be levelled, nor has memory. Of all others the smallest of a
 * system is known. */
static void choose_anchors(struct dts_case_set *set, const struct dts_family *family, int from)
{
    for (int i = from; i < set->count && dts_family_trains(family); i++) {
        bool smallest = !is_never_known(&set->cases[i]);
        for (int j = from; j < set->count && smallest; j++)
            if (set->cases[j].system == set->cases[i].system && !is_never_known(&set->cases[j]))
                smallest = set->cases[j].devices > set->cases[i].devices ||
                           (set->cases[j].devices == set->cases[i].devices && j >= i);
        if (smallest)
            set->cases[i].role = DTS_CASE_ANCHOR;
    }
}

static bool read_family(struct dts_case_set *set, const char *path, struct dts_error *err)
{
    set->families = dts_grow(set->families, &set->family_room, (size_t)set->family_count + 1,
                             sizeof(*set->families));
    struct dts_family *family = &set->families[set->family_count];
    struct head head = {0};
    const int from = set->count;
    *family = (struct dts_family){.system = set->systems};
    if (!dts_doc_load(&family->doc, path, err))
        return false;
    set->family_count++; // from here on it is freed with the set
    family->name = dts_file_name(path);
    const struct dts_cfg top = dts_doc_top(family->doc);
    if (!dts_cfg_read(&top, fields, &head, err))
        return false;
    if (!dts_cfg_is_object(&head.scenario))
        return dts_cfg_fail(&head.scenario, NULL, err, "must be an object");
    family->summary = head.summary;
    family->source = head.source;
    while (strcmp(dts_case_value_name((int)family->value), head.metric) != 0)
        family->value++;
    family->scenario = dts_cfg_json(&head.scenario);
    while (strcmp(dts_case_class_name((int)family->class), head.class) != 0)
        family->class ++;
    if (!read_rows(set, family, &head, err))
        return false;
    choose_anchors(set, family, from);
    return true;
}

/* The class of a family that is not of this class is not wanted: what was read goes again. */
static void drop_family(struct dts_case_set *set)
{
    struct dts_family *family = &set->families[--set->family_count];
    while (set->count > 0 && set->cases[set->count - 1].family == set->family_count)
        dts_changes_free(&set->cases[--set->count].changes);
    set->systems = family->system;
    dts_doc_free(family->doc);
    free(family->name);
    free(family->scenario);
}

/* All families of the library, of one class where it is not NULL. */
static bool read_library(struct dts_case_set *set, const char *class, struct dts_error *err)
{
    char **names = dts_library_names(folder);
    bool good = true;
    for (int i = 0; names[i] != NULL; i++) {
        char *path = NULL;
        good = good && dts_library_find(&path, folder, names[i], NULL, err) &&
               read_family(set, path, err);
        const enum dts_case_class its =
            good ? set->families[set->family_count - 1].class : DTS_CASE_CLASSES;
        if (good && class != NULL && strcmp(dts_case_class_name((int)its), class) != 0)
            drop_family(set);
        free(path);
        free(names[i]);
    }
    free(names);
    return good;
}

static bool is_class(const char *word)
{
    for (int c = 0; dts_case_class_name(c) != NULL; c++)
        if (strcmp(word, dts_case_class_name(c)) == 0)
            return true;
    return false;
}

/* A family by its path or its name. Where it is neither, a message with the nearest class or
 * family. */
static bool find_family(const char *word, char **path, struct dts_error *err)
{
    char **names = dts_library_names(folder);
    struct dts_text text = {0};
    const char *words[MOST_CASES];
    int count = 0;
    bool known = dts_word_is_path(word);
    for (int c = 0; dts_case_class_name(c) != NULL; c++)
        words[count++] = dts_case_class_name(c);
    for (int i = 0; names[i] != NULL && count < MOST_CASES - 1; i++) {
        known = known || strcmp(names[i], word) == 0;
        words[count++] = names[i];
    }
    words[count] = NULL;
    dts_text_add(&text, "validate: no class or family \"");
    dts_text_add_word(&text, word, 60);
    dts_text_add(&text, "\"");
    dts_words_suggest(&text, word, words, "there are");
    const bool good = known ? dts_library_find(path, folder, word, NULL, err)
                            : dts_fail(err, DTS_BAD_INPUT, "%s", dts_text_string(&text));
    dts_text_free(&text);
    for (int i = 0; names[i] != NULL; i++)
        free(names[i]);
    free(names);
    return good;
}

bool dts_cases_read(const char *const *words, int count, struct dts_case_set *set,
                    struct dts_error *err)
{
    *set = (struct dts_case_set){0};
    bool good = count > 0 || read_library(set, NULL, err);
    for (int i = 0; i < count && good; i++) {
        char *path = NULL;
        good = is_class(words[i])
                   ? read_library(set, words[i], err)
                   : find_family(words[i], &path, err) && read_family(set, path, err);
        free(path);
    }
    if (good && set->count == 0)
        good = dts_fail(err, DTS_BAD_INPUT, "%s: no published cases here", folder);
    if (!good)
        dts_cases_free(set);
    return good;
}

void dts_cases_free(struct dts_case_set *set)
{
    while (set->family_count > 0)
        drop_family(set);
    free(set->families);
    free(set->cases);
    *set = (struct dts_case_set){0};
}

bool dts_case_open(const struct dts_case_set *set, int i, struct dts_scene *scene,
                   struct dts_error *err)
{
    const struct dts_case *one = &set->cases[i];
    const struct dts_family *family = &set->families[one->family];
    struct dts_doc *doc;
    *scene = (struct dts_scene){0};
    if (!dts_doc_parse(&doc, dts_doc_name(family->doc), family->scenario, err))
        return false;
    if (!dts_settings_apply(&one->changes, 0, "", doc, err)) {
        dts_doc_free(doc);
        return false;
    }
    return dts_scene_read(&one->changes, doc, 0, scene, err);
}

void dts_cases_keys(struct dts_keys *keys)
{
    dts_keys_heading(keys, "A family of published figures is a JSON object:");
    dts_keys_add(keys, "", fields);
}
