/* idx_names.c -- which file of a folder is what. */
#include "train/network/data/idx_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/folder.h"
#include "base/text.h"

static const char *const usual[DTS_DATA_PARTS][DTS_IDX_USES] = {
    {"train-images-idx3-ubyte", "train-labels-idx1-ubyte"},
    {"t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"},
};

/* A name, taken apart. */
struct name {
    enum dts_data_part part;
    enum dts_idx_use use;
    size_t prefix; // its length
    int rank;      // of several for one use the lowest is taken
};

/* "-images", "-labels", then "-idx" or ".idx", a digit, "-ubyte" or "-int", ".gz". */
static bool read_end(const char *at, struct name *name)
{
    static const char *const uses[DTS_IDX_USES] = {"-images", "-labels"};
    for (int u = 0; u < DTS_IDX_USES; u++) {
        if (strncmp(at, uses[u], 7) != 0)
            continue;
        const char *end = at + 7;
        const bool dot = end[0] == '.';
        if ((!dot && end[0] != '-') || strncmp(end + 1, "idx", 3) != 0)
            return false;
        end += 4 + (end[4] >= '1' && end[4] <= '4');
        end += strncmp(end, "-ubyte", 6) == 0 ? 6 : strncmp(end, "-int", 4) == 0 ? 4 : 0;
        const bool packed = strcmp(end, ".gz") == 0;
        name->use = (enum dts_idx_use)u;
        name->rank = dot + 2 * packed;
        return packed || *end == '\0';
    }
    return false;
}

static bool read_name(const char *text, struct name *name)
{
    static const struct {
        const char *word;
        enum dts_data_part part;
    } parts[] = {{"train", DTS_DATA_TRAIN}, {"t10k", DTS_DATA_TEST}, {"test", DTS_DATA_TEST}};
    for (const char *at = text; *at != '\0'; at++) {
        const bool begins = at == text || strchr("-_.", at[-1]) != NULL;
        for (size_t p = 0; begins && p < sizeof(parts) / sizeof(parts[0]); p++) {
            const size_t length = strlen(parts[p].word);
            if (strncmp(at, parts[p].word, length) != 0 || !read_end(at + length, name))
                continue;
            name->part = parts[p].part;
            name->prefix = (size_t)(at - text);
            return true;
        }
    }
    return false;
}

/* Which file is looked for. */
struct wanted {
    const char *prefix;
    enum dts_data_part part;
    enum dts_idx_use use;
};

static bool is_wanted(const struct wanted *wanted, const char *text, int *rank)
{
    struct name name;
    if (!read_name(text, &name) || name.part != wanted->part || name.use != wanted->use ||
        name.prefix != strlen(wanted->prefix) ||
        strncmp(text, wanted->prefix, name.prefix) != 0)
        return false;
    *rank = name.rank;
    return true;
}

/* Of the names in a folder the one that is wanted, as a path. NULL: none. The caller frees it.
 */
static char *find(const char *path, const struct dts_folder *folder,
                  const struct wanted *wanted)
{
    const char *best = NULL;
    struct dts_text file = {0};
    int rank = 0, its;
    for (size_t i = 0; i < folder->count; i++)
        if (is_wanted(wanted, folder->names[i], &its) && (best == NULL || its < rank)) {
            best = folder->names[i];
            rank = its;
        }
    if (best == NULL)
        return NULL;
    dts_text_add(&file, "%s/%s", path, best);
    return dts_text_take(&file);
}

/* What lies in a folder of the file's name; `outer` is taken. */
static char *find_inside(char *outer, const struct wanted *wanted)
{
    struct dts_folder folder;
    struct dts_error ignored = {0};
    char *inner = NULL;
    if (dts_folder_read(&folder, outer, &ignored)) {
        inner = find(outer, &folder, wanted);
        dts_folder_free(&folder);
    }
    free(outer);
    return inner;
}

/* Those that may be files of a set: files, or folders of such names. */
static struct dts_folder only(const struct dts_folder *folder, const char *path, bool folders)
{
    struct dts_folder some = {.names = dts_alloc(folder->count + 1, sizeof(char *))};
    for (size_t i = 0; i < folder->count; i++) {
        struct dts_text file = {0};
        struct name name;
        dts_text_add(&file, "%s/%s", path, folder->names[i]);
        if (read_name(folder->names[i], &name) &&
            dts_folder_is(dts_text_string(&file)) == folders)
            some.names[some.count++] = folder->names[i];
        dts_text_free(&file);
    }
    return some;
}

/* How many of the four files the set has. */
static int find_set(struct dts_idx_names *names, const char *path,
                    const struct dts_folder *folder, const char *prefix)
{
    struct dts_folder files = only(folder, path, false), folders = only(folder, path, true);
    int count = 0;
    for (int p = 0; p < DTS_DATA_PARTS; p++)
        for (int u = 0; u < DTS_IDX_USES; u++) {
            const struct wanted wanted = {prefix, (enum dts_data_part)p, (enum dts_idx_use)u};
            char *file = find(path, &files, &wanted);
            char *outer = file == NULL ? find(path, &folders, &wanted) : NULL;
            names->paths[p][u] = outer != NULL ? find_inside(outer, &wanted) : file;
            count += names->paths[p][u] != NULL;
        }
    free(files.names); // what they point to is the folder's
    free(folders.names);
    return count;
}

static void add_names(struct dts_text *text, const struct dts_folder *folder)
{
    enum { SHOWN = 8 };
    for (size_t i = 0; i < folder->count && i < SHOWN; i++)
        dts_text_add(text, "%s%s", i > 0 ? ", " : "", folder->names[i]);
    if (folder->count > SHOWN)
        dts_text_add(text, " and %zu more", folder->count - SHOWN);
    if (folder->count == 0)
        dts_text_add(text, "nothing");
}

/* Of the set that lacks least, or of the usual one. */
static void say_none(const char *path, const struct dts_folder *folder, const char *prefix,
                     struct dts_error *err)
{
    struct dts_idx_names names;
    struct dts_text there = {0};
    const char *missing = usual[0][0];
    find_set(&names, path, folder, prefix);
    for (int i = DTS_DATA_PARTS * DTS_IDX_USES - 1; i >= 0; i--)
        if (names.paths[i / DTS_IDX_USES][i % DTS_IDX_USES] == NULL)
            missing = usual[i / DTS_IDX_USES][i % DTS_IDX_USES];
    dts_idx_names_free(&names);
    add_names(&there, folder);
    dts_fail(err, DTS_BAD_INPUT,
             "%s: has no %s%s, plain or .gz, with a dash or a dot; there is: %s", path, prefix,
             missing, dts_text_string(&there));
    dts_text_free(&there);
}

/* The set that has most files so far. */
struct choice {
    char *prefix; // owned
    char *other;  // of another whole set; NULL: there is none; owned
    int count;    // files
    struct dts_idx_names names;
};

static void consider(struct choice *c, const char *path, const struct dts_folder *folder,
                     char *prefix)
{
    struct dts_idx_names names;
    const int count = find_set(&names, path, folder, prefix);
    if (count > c->count) {
        free(c->prefix);
        dts_idx_names_free(&c->names);
        c->prefix = prefix;
        c->count = count;
        c->names = names;
        return;
    }
    dts_idx_names_free(&names);
    if (count == DTS_DATA_PARTS * DTS_IDX_USES && c->other == NULL)
        c->other = prefix;
    else
        free(prefix);
}

/* Files with the usual names are meant, if there are any. */
static void choose(struct choice *c, const char *path, const struct dts_folder *folder)
{
    struct name name;
    *c = (struct choice){.prefix = dts_copy("")};
    c->count = find_set(&c->names, path, folder, c->prefix);
    for (size_t i = 0; i < folder->count && (c->count == 0 || c->prefix[0] != '\0'); i++) {
        const char *text = folder->names[i];
        if (!read_name(text, &name) || name.prefix == 0 ||
            (strlen(c->prefix) == name.prefix && strncmp(c->prefix, text, name.prefix) == 0))
            continue;
        char *prefix = dts_copy(text);
        prefix[name.prefix] = '\0';
        consider(c, path, folder, prefix);
    }
}

bool dts_idx_names_find(struct dts_idx_names *names, const char *path, struct dts_error *err)
{
    struct dts_folder folder;
    struct choice choice;
    *names = (struct dts_idx_names){0};
    if (!dts_folder_is(path))
        return dts_fail(err, DTS_BAD_INPUT,
                        "%s: there is no such folder (Debian's package dataset-fashion-mnist "
                        "has one: /usr/share/datasets/fashion-mnist)",
                        path);
    if (!dts_folder_read(&folder, path, err))
        return false;
    choose(&choice, path, &folder);
    const bool whole = choice.count == DTS_DATA_PARTS * DTS_IDX_USES;
    if (whole && choice.other == NULL)
        *names = choice.names;
    else if (whole)
        dts_fail(err, DTS_BAD_INPUT,
                 "%s: has several sets, %s... and %s...: name a folder with one of them", path,
                 choice.prefix, choice.other);
    else
        say_none(path, &folder, choice.prefix, err);
    if (!whole || choice.other != NULL)
        dts_idx_names_free(&choice.names);
    dts_folder_free(&folder);
    const bool good = whole && choice.other == NULL;
    free(choice.prefix);
    free(choice.other);
    return good;
}

void dts_idx_names_free(struct dts_idx_names *names)
{
    for (int p = 0; p < DTS_DATA_PARTS; p++)
        for (int u = 0; u < DTS_IDX_USES; u++)
            free(names->paths[p][u]);
    *names = (struct dts_idx_names){0};
}
