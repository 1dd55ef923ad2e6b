/* assumed.c -- the list "assumed" of device and stack files. */
#include <stdlib.h>
#include <string.h>

#include "device/assumed.h"

enum { DEPTH = 8, KEY_SIZE = 64 };

/* Follow a path such as "anchors[0].fixed_s" through the document. */
static bool leads_somewhere(const struct dts_cfg *top, const char *path)
{
    struct dts_cfg place[DEPTH + 1]; // each is the parent of the next
    char keys[DEPTH][KEY_SIZE];
    place[0] = *top;
    int depth = 0;
    for (const char *at = path; *at != '\0'; depth++) {
        if (depth == DEPTH)
            return false;
        if (*at == '[') {
            char *end;
            const unsigned long index = strtoul(at + 1, &end, 10);
            if (end == at + 1 || *end != ']' || index >= dts_cfg_length(&place[depth]))
                return false;
            place[depth + 1] = dts_cfg_item(&place[depth], index);
            at = end + 1;
            continue;
        }
        at += *at == '.' && depth > 0;
        const size_t length = strcspn(at, ".[");
        if (length == 0 || length >= KEY_SIZE)
            return false;
        memcpy(keys[depth], at, length);
        keys[depth][length] = '\0';
        place[depth + 1] = dts_cfg_member(&place[depth], keys[depth]);
        if (!dts_cfg_exists(&place[depth + 1]))
            return false;
        at += length;
    }
    return depth > 0;
}

bool dts_assumed_read(const struct dts_cfg *list, const struct dts_cfg *top, const char **paths,
                      int most, int *count, struct dts_error *err)
{
    *count = 0;
    if (!dts_cfg_exists(list))
        return true;
    if (!dts_cfg_is_list(list))
        return dts_cfg_fail(list, NULL, err, "must be a list of paths");
    if (dts_cfg_length(list) > (size_t)most)
        return dts_cfg_fail(list, NULL, err, "must have at most %d paths, got %zu", most,
                            dts_cfg_length(list));
    for (size_t i = 0; i < dts_cfg_length(list); i++) {
        const struct dts_cfg item = dts_cfg_item(list, i);
        if (!dts_cfg_string(&item, &paths[i], err))
            return false;
        if (!leads_somewhere(top, paths[i]))
            return dts_cfg_fail(&item, NULL, err, "must be the path of a value, got \"%s\"",
                                paths[i]);
    }
    *count = (int)dts_cfg_length(list);
    return true;
}

bool dts_assumed_has(const char *const *paths, int count, const char *path)
{
    const size_t length = strlen(path);
    for (int i = 0; i < count; i++)
        if (strncmp(paths[i], path, length) == 0 &&
            (paths[i][length] == '\0' || strchr(".[", paths[i][length]) != NULL))
            return true;
    return false;
}
