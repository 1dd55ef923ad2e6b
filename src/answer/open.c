/* open.c -- scenario files that the command line names, changed by its --set and --sweep. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer/open.h"
#include "base/json/library.h"
#include "base/json/words.h"
#include "base/mem.h"

/* Documents beside the scenario that --set can change. */
static const char *const documents[] = {
    "platform",
    NULL,
};

bool dts_word_is_path(const char *word)
{
    size_t length = strlen(word);
    return strchr(word, '/') != NULL || (length > 5 && strcmp(word + length - 5, ".json") == 0);
}

/* Something is called so here, if only a link that leads in a circle: opening it says why. */
static bool is_there(const char *word)
{
    return access(word, F_OK) == 0 || errno == ELOOP || errno == EACCES;
}

/* Neither file nor command: say which one was probably meant, as it has to be typed. */
static bool no_such_word(const char *word, char **scenarios, const char *const *verbs,
                         struct dts_error *err)
{
    const char *near = dts_words_nearest(word, (const char *const *)scenarios);
    const char *verb = dts_words_nearest(word, verbs);
    struct dts_text text = {0};
    dts_text_add(&text, "no file or command \"");
    dts_text_add_word(&text, word, 120);
    if (verb != NULL)
        dts_text_add(&text, "\" (did you mean `dtsim %s`?)", verb);
    else if (near != NULL)
        dts_text_add(&text, "\" (did you mean %s?)", near);
    else
        dts_text_add(&text, "\" (see `dtsim help` and `dtsim list scenarios`)");
    dts_fail(err, DTS_BAD_INPUT, "%s", dts_text_string(&text));
    dts_text_free(&text);
    return false;
}

bool dts_word_is_scenario(const char *word, const char *const *verbs, struct dts_error *err)
{
    if (dts_word_is_path(word) || is_there(word))
        return true;
    char **names = dts_library_names("scenarios");
    bool found = false;
    for (int i = 0; names[i] != NULL; i++)
        found = found || strcmp(names[i], word) == 0;
    if (!found)
        no_such_word(word, names, verbs, err);
    for (int i = 0; names[i] != NULL; i++)
        free(names[i]);
    free(names);
    return found;
}

/* What follows "DOCUMENT." in the path; NULL: it does not belong to that document. */
static const char *path_in(const char *document, const char *path)
{
    size_t length = strlen(document);
    if (length > 0)
        return strncmp(path, document, length) == 0 && path[length] == '.' ? path + length + 1
                                                                           : NULL;
    for (int i = 0; documents[i] != NULL; i++)
        if (path_in(documents[i], path) != NULL)
            return NULL;
    return path;
}

/* Keys whose values name files. */
static const struct file_key {
    const char *document, *path;
    bool always; // there is no library of such files
} file_keys[] = {
    {"", "model"},
    {"", "model.base"},
    {"", "platform"},
    {"", "stack"},
    {"", "stack.base"},
    {"", "device"},
    {"", "training.target.profile"},
    {"", "training.accuracy.table"},
    {"", "live.data.folder", true},
    {"platform", "node.device"},
    {"platform", "network.file", true},
    {"platform", "transports.within.measured", true},
    {"platform", "transports.between.measured", true},
};

/* Of "strategies[0]" the item behind the key. */
static struct dts_cfg settings_below(const struct dts_cfg *at, char *key)
{
    char *index = strchr(key, '[');
    if (index == NULL)
        return dts_cfg_member(at, key);
    *index = '\0';
    const struct dts_cfg list = dts_cfg_member(at, key);
    return dts_cfg_item(&list, strtoul(index + 1, NULL, 10));
}

struct dts_cfg dts_settings_at(struct dts_doc *doc, const char *path)
{
    struct dts_cfg at = dts_doc_top(doc);
    char *keys = dts_copy(path), *rest = keys, *key;
    while ((key = strsep(&rest, ".")) != NULL) {
        at = settings_below(&at, key);
        at.parent = NULL; // `at` was that, and is no more
        at.key = NULL;    // of a copy
    }
    free(keys);
    return at;
}

/* The file that a value names becomes one of where the person is. */
static bool place_file(const struct dts_cfg *at, bool always, const char *path, const char *by,
                       struct dts_doc *doc, struct dts_error *err)
{
    char folder[PATH_MAX];
    const char *word;
    struct dts_error unread = {0}; // who reads the key says it, and where it stands
    if (!dts_cfg_is_string(at) || !dts_cfg_string(at, &word, &unread) || word[0] == '/' ||
        word[0] == '\0' || !(always || dts_word_is_path(word)) ||
        getcwd(folder, sizeof(folder)) == NULL)
        return true;
    struct dts_text whole = {0};
    dts_text_add(&whole, "%s/%s", folder, word);
    const bool good = dts_doc_set(doc, path, dts_text_string(&whole), by, err);
    dts_text_free(&whole);
    return good;
}

/* Devices of the kinds of node that were set: all, or one of the list. */
static bool place_kinds(const char *path, const char *by, struct dts_doc *doc,
                        struct dts_error *err)
{
    static const char list[] = "node.kinds";
    const size_t length = strlen(path);
    const char next = strncmp(list, path, length) == 0 ? list[length] : 'x';
    const bool all = next == '\0' || next == '.' || strncmp(path, "node.kinds[*]", 13) == 0;
    const struct dts_cfg kinds = dts_settings_at(doc, list);
    bool good = true;
    for (size_t i = 0; i < dts_cfg_length(&kinds) && good; i++) {
        const struct dts_cfg item = dts_cfg_item(&kinds, i),
                             at = dts_cfg_member(&item, "device");
        struct dts_text one = {0};
        dts_text_add(&one, "%s[%zu]", list, i);
        const bool set = all || strncmp(path, dts_text_string(&one), one.length) == 0;
        dts_text_add(&one, ".device");
        good = !set || place_file(&at, false, dts_text_string(&one), by, doc, err);
        dts_text_free(&one);
    }
    return good;
}

/* A file that --set names, or that stands in what it sets, is relative to where the person is,
 * not to the file that it changes. */
static bool place_files(const char *document, const char *path, const char *by,
                        struct dts_doc *doc, struct dts_error *err)
{
    const size_t length = strlen(path);
    bool good = strcmp(document, "platform") != 0 || place_kinds(path, by, doc, err);
    for (size_t i = 0; i < sizeof(file_keys) / sizeof(file_keys[0]) && good; i++) {
        const struct file_key *key = &file_keys[i];
        const char next = strncmp(key->path, path, length) == 0 ? key->path[length] : 'x';
        if (strcmp(document, key->document) != 0 || (next != '\0' && next != '.'))
            continue;
        const struct dts_cfg at = dts_settings_at(doc, key->path);
        good = place_file(&at, key->always, key->path, by, doc, err);
    }
    return good;
}

/* What is set in a model or a stack that is only named changes one based on it. */
static bool base_on(const char *key, const char *path, struct dts_doc *doc,
                    struct dts_error *err)
{
    const struct dts_cfg at = dts_settings_at(doc, key);
    const char *name;
    if (strncmp(path, key, strlen(key)) != 0 || path[strlen(key)] != '.' ||
        !dts_cfg_is_string(&at))
        return true;
    if (!dts_cfg_string(&at, &name, err))
        return false;
    struct dts_text value = {0};
    dts_text_add(&value, "{\"base\": \"%s\"}", name);
    const bool good = dts_doc_set(doc, key, dts_text_string(&value), NULL, err);
    dts_text_free(&value);
    return good;
}

static bool apply(const struct dts_setting *setting, const char *document, struct dts_doc *doc,
                  struct dts_error *err)
{
    const char *path = path_in(document, setting->path);
    struct dts_text by = {0};
    if (path == NULL)
        return true;
    dts_text_add(&by, "%s%.*s", setting->by, (int)(path - setting->path), setting->path);
    const bool good = (document[0] != '\0' || (base_on("model", path, doc, err) &&
                                               base_on("stack", path, doc, err))) &&
                      dts_doc_set(doc, path, setting->value, by.chars, err) &&
                      place_files(document, path, by.chars, doc, err);
    dts_text_free(&by);
    return good;
}

bool dts_settings_apply(const struct dts_changes *changes, int k, const char *document,
                        struct dts_doc *doc, struct dts_error *err)
{
    struct dts_setting *settings =
        dts_alloc((size_t)dts_changes_setting_count(changes), sizeof(*settings));
    int count = dts_changes_settings(changes, k, settings);
    bool good = true;
    for (int i = 0; i < count && good; i++)
        good = apply(&settings[i], document, doc, err);
    free(settings);
    return good;
}

bool dts_scenario_open(const struct dts_changes *changes, const char *word, int k,
                       struct dts_doc **doc, struct dts_error *err)
{
    const char *const no_verbs[] = {NULL};
    if (!dts_word_is_scenario(word, no_verbs, err))
        return false;
    // A file without ".json" is a path, too, not a name of the library.
    struct dts_text name = {0};
    dts_text_add(&name, "%s%s", !dts_word_is_path(word) && is_there(word) ? "./" : "", word);
    char *path = NULL;
    bool good = dts_library_find(&path, "scenarios", name.chars, NULL, err) &&
                dts_doc_load(doc, path, err);
    free(path);
    dts_text_free(&name);
    if (!good)
        return false;
    good = dts_settings_apply(changes, k, "", *doc, err);
    if (!good)
        dts_doc_free(*doc);
    return good;
}
