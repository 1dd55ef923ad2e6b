/* input_note.c -- finds samples that are decoded by nobody, and keys of input without effect.
 */
#include "answer/notes/input_note.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static bool reads(const struct dts_scene *scene)
{
    return scene->scenario.dataset.sample_bytes > 0;
}

static bool decodes(const struct dts_scene *scene)
{
    const char *encoding = scene->scenario.dataset.encoding;
    return reads(scene) && encoding != NULL && strcmp(encoding, "raw") != 0;
}

static bool any(const struct dts_scene *scenes, int count,
                bool (*is)(const struct dts_scene *scene))
{
    for (int s = 0; s < count; s++)
        if (is(&scenes[s]))
            return true;
    return false;
}

/* Keys that only input uses, with what makes it use them. */
static const struct {
    const char *key;
    bool (*used)(const struct dts_scene *scene);
    const char *needs;
} keys[] = {
    {"platform.node.cores", decodes, "dataset.encoding jpeg"},
    {"stack.input.decode_core_s_per_byte", decodes, "dataset.encoding jpeg"},
    {"stack.input", reads, "dataset.sample_bytes"},
    {"platform.storage", reads, "dataset.sample_bytes"},
};

static void tell_unused(const char *path, const struct dts_scene *scenes, int count)
{
    for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
        if (!dts_path_is_in(path, keys[k].key))
            continue;
        if (!any(scenes, count, keys[k].used))
            fprintf(stderr, "dtsim: note: %s: has no effect without %s\n", path, keys[k].needs);
        return;
    }
}

static void tell_free(const char *whose, const char *name, const char *key)
{
    struct dts_text line = {0};
    dts_text_add_line(&line, name);
    fprintf(stderr,
            "dtsim: note: dataset.encoding: decoding costs nothing: %s %s does not say %s\n",
            whose, dts_text_string(&line), key);
    dts_text_free(&line);
}

/* Of the first scene of which it is true: a sweep may have thousands. */
static void tell_decoding(const struct dts_scene *scenes, int count)
{
    for (int s = 0; s < count; s++) {
        const bool cost = scenes[s].scenario.stack.input.decode_core_s_per_byte > 0;
        if (!decodes(&scenes[s]) || (cost && scenes[s].platform.cores > 0))
            continue;
        if (cost)
            tell_free("platform", scenes[s].platform.name, "node.cores");
        else
            tell_free("stack", scenes[s].scenario.stack.name, "input.decode_core_s_per_byte");
        return;
    }
}

void dts_input_note_tell(const struct dts_changes *changes, const struct dts_scene *scenes,
                         int count)
{
    if (count == 0)
        return;
    tell_decoding(scenes, count);
    for (int i = 0; i < changes->set_count; i++)
        tell_unused(changes->sets[i].path, scenes, count);
}
