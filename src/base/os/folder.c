/* folder.c -- reads folders. */
#include "base/os/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/os/file.h"

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool dts_folder_read(struct dts_folder *folder, const char *path, struct dts_error *err)
{
    const struct dirent *entry;
    DIR *dir = opendir(path);
    *folder = (struct dts_folder){0};
    if (dir == NULL)
        return dts_fail(err, dts_file_cause(errno), "%s: cannot be read: %s", path,
                        strerror(errno));
    while (folder->count < DTS_FOLDER_NAMES && (entry = readdir(dir)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        folder->names =
            dts_grow(folder->names, &folder->room, folder->count + 1, sizeof(*folder->names));
        folder->names[folder->count++] = dts_copy(entry->d_name);
    }
    closedir(dir);
    if (folder->count > 0)
        qsort(folder->names, folder->count, sizeof(*folder->names), by_name);
    return true;
}

void dts_folder_free(struct dts_folder *folder)
{
    for (size_t i = 0; i < folder->count; i++)
        free(folder->names[i]);
    free(folder->names);
    *folder = (struct dts_folder){0};
}

bool dts_folder_is(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}
