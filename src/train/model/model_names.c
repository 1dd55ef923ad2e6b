/* model_names.c -- which layer does a name mean. Full names have the groups around them and the
 * round of a repeated one before them, as in PyTorch: "block.3.attention". */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/words.h"
#include "base/mem.h"
#include "train/model/model_read.h"

enum { LONGEST = 64 }; // of a name that a person gives

/* FNV-1a, 64 bits. */
static size_t hash(const char *name)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *name != '\0'; name++)
        h = (h ^ (unsigned char)*name) * 0x100000001b3u;
    return (size_t)(h ^ h >> 32);
}

/* The slot that holds the name, or the free one where it belongs. */
static size_t find_slot(const struct dts_names *names, const char *name)
{
    size_t at = hash(name) & (names->slot_count - 1);
    while (names->slots[at] != 0 && strcmp(names->names[names->slots[at] - 1], name) != 0)
        at = (at + 1) & (names->slot_count - 1);
    return at;
}

static void grow_slots(struct dts_names *names)
{
    free(names->slots);
    names->slot_count = names->slot_count > 0 ? 2 * names->slot_count : 64;
    names->slots = dts_alloc(names->slot_count, sizeof(*names->slots));
    for (size_t i = 0; i < names->count; i++)
        names->slots[find_slot(names, names->names[i])] = i + 1;
}

bool dts_names_add(struct dts_names *names, const char *name, int layer)
{
    if (2 * names->count >= names->slot_count)
        grow_slots(names);
    size_t slot = find_slot(names, name);
    if (names->slots[slot] != 0)
        return false;
    size_t i = names->count++;
    names->names = dts_grow(names->names, &names->name_capacity, i + 1, sizeof(*names->names));
    names->layers =
        dts_grow(names->layers, &names->layer_capacity, i + 1, sizeof(*names->layers));
    names->names[i] = dts_copy(name);
    names->layers[i] = layer;
    names->slots[slot] = i + 1;
    return true;
}

int dts_names_find(const struct dts_names *names, const char *name)
{
    if (names->count == 0)
        return DTS_NO_LAYER;
    size_t found = names->slots[find_slot(names, name)];
    return found != 0 ? names->layers[found - 1] : DTS_NO_LAYER;
}

void dts_names_free(struct dts_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->names[i]);
    free(names->names);
    free(names->layers);
    free(names->slots);
    *names = (struct dts_names){0};
}

static bool has_only(const char *name, const char *others)
{
    for (; *name != '\0'; name++) {
        bool letter = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z');
        bool digit = *name >= '0' && *name <= '9';
        if (!letter && !digit && strchr(others, *name) == NULL)
            return false;
    }
    return true;
}

bool dts_name_check(const char *name, const struct dts_cfg *at, struct dts_error *err)
{
    if (*name == '\0' || strlen(name) > LONGEST || !has_only(name, "_-"))
        return dts_cfg_fail(at, NULL, err, "must be 1 to %d letters, digits, \"_\" and \"-\"",
                            LONGEST);
    if (strcmp(name, "entry") == 0)
        return dts_cfg_fail(at, NULL, err, "\"entry\" already means what comes into the group");
    return true;
}

/* The names that can be said in a scope, without those inside of groups, nearest scope first.
 */
static bool fail_unknown(const struct dts_scope *scope, const struct dts_names *names,
                         const char *name, const struct dts_cfg *at, struct dts_error *err)
{
    const char **words = dts_alloc(names->count + 2, sizeof(*words));
    size_t count = 0;
    for (; scope != NULL; scope = scope->parent) {
        size_t length = strlen(scope->prefix);
        for (size_t i = 0; i < names->count; i++) {
            const char *full = names->names[i];
            if (strncmp(full, scope->prefix, length) == 0 && strchr(full + length, '.') == NULL)
                words[count++] = full + length;
        }
    }
    words[count] = "entry";
    const char *nearest = dts_words_nearest(name, words);
    dts_cfg_fail(at, NULL, err, "no layer \"%s\" before this one%s%s%s", name,
                 nearest != NULL ? " (did you mean " : "", nearest != NULL ? nearest : "",
                 nearest != NULL ? "?)" : "");
    free(words);
    return false;
}

bool dts_scope_find(const struct dts_scope *scope, const struct dts_names *names,
                    const char *name, const struct dts_cfg *at, int *layer,
                    struct dts_error *err)
{
    *layer = scope->entry;
    if (strcmp(name, "entry") == 0)
        return true;
    size_t most = 4 * LONGEST; // a few groups deep: "stage.0.block.3.relu"
    if (*name == '\0' || strlen(name) > most || !has_only(name, "_-."))
        return dts_cfg_fail(at, NULL, err, "must be the name of a layer or \"entry\"");

    for (const struct dts_scope *s = scope; s != NULL; s = s->parent) {
        size_t room = strlen(s->prefix) + strlen(name) + 1;
        char *full = dts_alloc(room, 1);
        snprintf(full, room, "%s%s", s->prefix, name);
        *layer = dts_names_find(names, full);
        free(full);
        if (*layer != DTS_NO_LAYER)
            return true;
    }
    return fail_unknown(scope, names, name, at, err);
}
