/* outputs.c -- files that will be written, tried before the work. */
#include "cli/outputs.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/os/file.h"
#include "base/os/folder.h"
#include "base/text.h"

/* One spelling for all names of a file, also of one that is not there yet. NULL: no file. The
 * caller frees it. */
static char *one_name(const char *path)
{
    char real[PATH_MAX];
    struct stat status;
    if (strcmp(path, "-") == 0)
        return dts_copy(path);
    if (stat(path, &status) == 0)
        return S_ISREG(status.st_mode) && realpath(path, real) != NULL ? dts_copy(real) : NULL;
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    struct dts_text folder = {0}, name = {0};
    dts_text_add(&folder, "%.*s.", (int)(base - path), path);
    if (realpath(dts_text_string(&folder), real) != NULL)
        dts_text_add(&name, "%s/%s", real, base);
    dts_text_free(&folder);
    return name.chars == NULL ? NULL : dts_text_take(&name);
}

static bool same_file(const char *a, const char *b)
{
    char *first = one_name(a), *second = one_name(b);
    const bool same = first != NULL && second != NULL && strcmp(first, second) == 0;
    free(first);
    free(second);
    return same;
}

bool dts_output_spares(const struct dts_named_output *output, const char *read,
                       struct dts_error *err)
{
    return output->path == NULL || !same_file(output->path, read) ||
           dts_fail(err, DTS_BAD_INPUT, "%s: must be another file than what is read, got %s",
                    output->name, output->path);
}

/* All files of a folder that have "idx" in their names, and all in folders of such names: where
 * a set in the IDX format may be (train/network/data/idx_names.h). */
static bool spares_folder(const struct dts_named_output *output, const char *path, bool deeper,
                          struct dts_error *err)
{
    struct dts_folder folder;
    struct dts_error ignored = {0};
    bool good = true;
    if (!dts_folder_read(&folder, path, &ignored))
        return true; // who reads it tells
    for (size_t i = 0; i < folder.count && good; i++) {
        struct dts_text file = {0};
        dts_text_add(&file, "%s/%s", path, folder.names[i]);
        if (strstr(folder.names[i], "idx") == NULL)
            good = true;
        else if (deeper && dts_folder_is(dts_text_string(&file)))
            good = spares_folder(output, dts_text_string(&file), false, err);
        else
            good = dts_output_spares(output, dts_text_string(&file), err);
        dts_text_free(&file);
    }
    dts_folder_free(&folder);
    return good;
}

static bool spares_data(const struct dts_named_output *output, const struct dts_live_data *data,
                        struct dts_error *err)
{
    return data->folder == NULL || spares_folder(output, data->folder, true, err);
}

static bool spares_scene(const struct dts_named_output *output, const struct dts_scene *scene,
                         struct dts_error *err)
{
    const struct dts_doc *const docs[] = {scene->scenario.doc, scene->scenario.model.doc,
                                          scene->scenario.stack.doc, scene->platform.doc,
                                          scene->device.doc};
    for (size_t i = 0; i < sizeof(docs) / sizeof(docs[0]); i++)
        if (docs[i] != NULL && !dts_output_spares(output, dts_doc_name(docs[i]), err))
            return false;
    for (int k = 1; k < scene->platform.kind_count; k++)
        if (scene->kinds[k].doc != NULL &&
            !dts_output_spares(output, dts_doc_name(scene->kinds[k].doc), err))
            return false;
    const char *network = scene->platform.network_file;
    return (network == NULL || dts_output_spares(output, network, err)) &&
           spares_data(output, &scene->scenario.live.data, err);
}

bool dts_outputs_check(const struct dts_named_output *outputs, int count,
                       const struct dts_scene *scenes, int scene_count, struct dts_error *err)
{
    for (int i = 0; i < count; i++) {
        if (outputs[i].path == NULL)
            continue;
        if (outputs[i].path[0] == '\0')
            return dts_fail(err, DTS_BAD_INPUT, "%s: must name a file", outputs[i].name);
        if (!dts_output_try(outputs[i].path, err))
            return false;
        for (int j = 0; j < i; j++)
            if (outputs[j].path != NULL && same_file(outputs[i].path, outputs[j].path))
                return dts_fail(err, DTS_BAD_INPUT, "%s: must be another file than %s, got %s",
                                outputs[i].name, outputs[j].name, outputs[i].path);
        for (int s = 0; s < scene_count; s++)
            if (!spares_scene(&outputs[i], &scenes[s], err))
                return false;
    }
    return true;
}
