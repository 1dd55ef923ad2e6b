/* library.c -- named files: where the program runs decides where they are. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json/library.h"
#include "base/json/words.h"
#include "base/mem.h"
#include "base/text.h"

enum { NAME_BYTES = 200 }; // of a name or path in a message

static bool is_folder(const char *root, const char *below)
{
    struct dts_text path = {0};
    struct stat status;
    dts_text_add(&path, "%s/%s", root, below);
    bool is = stat(path.chars, &status) == 0 && S_ISDIR(status.st_mode);
    dts_text_free(&path);
    return is;
}

static bool holds_library(const char *folder)
{
    return is_folder(folder, "models") && is_folder(folder, "platforms");
}

/* Take the last part off a path; false when nothing would be left. */
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL || slash == path)
        return false;
    *slash = '\0';
    return true;
}

/* FOLDER/../share/dtsim, or NULL for a path that has no folder above its own. */
static char *installed_library(const char *folder)
{
    struct dts_text path = {0};
    const char *slash = strrchr(folder, '/');
    if (slash == NULL)
        return NULL;
    dts_text_add(&path, "%.*s/share/dtsim", (int)(slash - folder), folder);
    return dts_text_take(&path);
}

char *dts_library_folder_of(const char *program)
{
    char *folder = dts_copy(program);
    char *installed = go_up(folder) ? installed_library(folder) : NULL;
    bool found = installed != NULL && is_folder(installed, "");
    while (!found && !holds_library(folder))
        if (!go_up(folder))
            found = true; // nowhere: messages then name where it should have been
    if (found && installed != NULL) {
        char real[PATH_MAX]; // a build elsewhere has a link to the sources there
        free(folder);
        folder = realpath(installed, real) != NULL ? dts_copy(real) : dts_copy(installed);
        free(installed);
        return folder;
    }
    free(installed);
    return folder;
}

const char *dts_library_folder(void)
{
    static char folder[PATH_MAX]; // found once; the same for the whole run
    if (folder[0] != '\0')
        return folder;
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    program[length > 0 ? length : 0] = '\0';
    char *found = dts_library_folder_of(program);
    snprintf(folder, sizeof(folder), "%s", found);
    free(found);
    return folder;
}

char *dts_library_program(const char *name)
{
    struct dts_text path = {0};
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    program[length > 0 ? length : 0] = '\0';
    const char *slash = strrchr(program, '/');
    dts_text_add(&path, "%.*s%s", slash != NULL ? (int)(slash - program) + 1 : 0, program,
                 name);
    return dts_text_take(&path);
}

char *dts_file_name(const char *path)
{
    enum { MOST = 255 }; // bytes; no file system allows more in a name
    const char *slash = strrchr(path, '/');
    char *plain = dts_copy(slash != NULL ? slash + 1 : path);
    const size_t length = strlen(plain);
    if (length > 5 && strcmp(plain + length - 5, ".json") == 0)
        plain[length - 5] = '\0';
    struct dts_text name = {0};
    dts_text_add_word(&name, plain, MOST);
    if (name.chars == NULL)
        return plain;
    free(plain);
    return dts_text_take(&name);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool ends_in_json(const char *name)
{
    size_t length = strlen(name);
    return length >= 5 && strcmp(name + length - 5, ".json") == 0;
}

char **dts_library_names(const char *folder)
{
    struct dts_text path = {0};
    dts_text_add(&path, "%s/%s", dts_library_folder(), folder);
    size_t capacity = 0, count = 0;
    char **names = dts_grow(NULL, &capacity, 1, sizeof(*names));
    DIR *entries = opendir(path.chars);
    const struct dirent *entry;
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        if (entry->d_name[0] == '.' || !ends_in_json(entry->d_name))
            continue;
        names = dts_grow(names, &capacity, count + 2, sizeof(*names));
        names[count] = dts_copy(entry->d_name);
        names[count][strlen(entry->d_name) - 5] = '\0';
        count++;
    }
    if (entries != NULL)
        closedir(entries);
    dts_text_free(&path);
    qsort(names, count, sizeof(*names), by_name);
    return names;
}

static bool fail_unknown(const char *folder, const char *name, struct dts_error *err)
{
    struct dts_text what = {0};
    char **names = dts_library_names(folder);
    const bool plural = folder[strlen(folder) - 1] == 's'; // "models": "model"
    dts_text_add(&what, "no %.*s%s \"", (int)strlen(folder) - plural, folder,
                 plural ? "" : " profile");
    dts_text_add_word(&what, name, NAME_BYTES);
    dts_text_add(&what, "\" in the library");
    if (names[0] == NULL)
        dts_text_add(&what, ", nothing in %s/%s", dts_library_folder(), folder);
    dts_words_suggest(&what, name, (const char *const *)names, "it has");
    dts_fail(err, DTS_BAD_INPUT, "%s", dts_text_string(&what));
    dts_text_free(&what);
    for (int i = 0; names[i] != NULL; i++)
        free(names[i]);
    free(names);
    return false;
}

/* Not there, or not to be reached: a loop of links, a file where a folder should be. */
static bool fail_missing(const char *path, int error, struct dts_error *err)
{
    struct dts_text what = {0};
    dts_text_add_word(&what, path, NAME_BYTES);
    if (error == ENOENT)
        dts_fail(err, DTS_BAD_INPUT, "no such file: %s", dts_text_string(&what));
    else
        dts_fail(err, DTS_BAD_INPUT, "%s: cannot be opened: %s", dts_text_string(&what),
                 strerror(error));
    dts_text_free(&what);
    return false;
}

char *dts_library_beside(const char *said_in, const char *path)
{
    struct dts_text joined = {0};
    const char *slash = strrchr(said_in, '/');
    const int folder = slash != NULL && path[0] != '/' ? (int)(slash + 1 - said_in) : 0;
    dts_text_add(&joined, "%.*s%s", folder, said_in, path);
    return dts_text_take(&joined);
}

bool dts_library_find(char **path, const char *folder, const char *name, const char *said_in,
                      struct dts_error *err)
{
    struct dts_text found = {0};
    bool in_library = strchr(name, '/') == NULL && !ends_in_json(name);
    const char *slash = said_in != NULL ? strrchr(said_in, '/') : NULL;
    while (strncmp(name, "./", 2) == 0 && name[2] != '\0')
        name += 2; // a path, and a shorter one for messages
    if (in_library)
        dts_text_add(&found, "%s/%s/%s.json", dts_library_folder(), folder, name);
    else if (name[0] == '/' || slash == NULL)
        dts_text_add(&found, "%s", name);
    else
        dts_text_add(&found, "%.*s/%s", (int)(slash - said_in), said_in, name);

    if (access(found.chars, F_OK) == 0) {
        *path = dts_text_take(&found);
        return true;
    }
    if (in_library)
        fail_unknown(folder, name, err);
    else
        fail_missing(found.chars, errno, err);
    dts_text_free(&found);
    return false;
}

bool dts_library_find_for(char **path, const char *folder, const char *name,
                          const struct dts_cfg *at, const char *key, struct dts_error *err)
{
    struct dts_error unplaced = {0};
    return dts_library_find(path, folder, name, dts_doc_name(at->doc), &unplaced) ||
           dts_cfg_fail(at, key, err, "%s", unplaced.text);
}
