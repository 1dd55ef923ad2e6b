/* sources.c -- which values of a platform file are assumed. */
#include "sim/net/platform/sources.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum { PATH = 256, MOST = (int)(sizeof((struct dts_platform){0}.assumed) / sizeof(char *)) };

static bool says_assumed(const char *text)
{
    static const char word[] = "assum";
    for (; *text != '\0'; text++) {
        size_t i = 0;
        while (word[i] != '\0' && tolower((unsigned char)text[i]) == word[i])
            i++;
        if (word[i] == '\0')
            return true;
    }
    return false;
}

/* The last entry stands for all that found no room. */
static void add(struct dts_platform *platform, const char *path)
{
    if (platform->assumed_count < MOST - 1)
        platform->assumed[platform->assumed_count++] = dts_copy(path);
    else if (platform->assumed_count == MOST - 1)
        platform->assumed[platform->assumed_count++] = dts_copy("and more");
}

static void join(char *path, const char *above, const char *key)
{
    snprintf(path, PATH, "%s%s%s", above, *above != '\0' ? "." : "", key);
}

static bool read_one(struct dts_platform *platform, const struct dts_cfg *at, const char *path,
                     const struct dts_cfg *source, const char *key, struct dts_error *err)
{
    char inner[PATH];
    const char *text;
    struct dts_cfg said = dts_cfg_member(source, key), value = dts_cfg_member(at, key);
    if (!dts_cfg_exists(&value))
        return dts_cfg_fail(source, key, err, "there is no such key beside \"source\"");
    if (!dts_cfg_string(&said, &text, err))
        return false;
    join(inner, path, key);
    if (says_assumed(text))
        add(platform, inner);
    return true;
}

static bool read_source(struct dts_platform *platform, const struct dts_cfg *at,
                        const char *path, struct dts_error *err)
{
    struct dts_cfg source = dts_cfg_member(at, "source");
    const char *text, *key;
    if (!dts_cfg_exists(&source))
        return true;
    if (!dts_cfg_is_object(&source)) {
        if (!dts_cfg_string(&source, &text, err))
            return false;
        if (says_assumed(text))
            add(platform, *path != '\0' ? path : platform->name);
        return true;
    }
    for (size_t i = 0; (key = dts_cfg_key(&source, i)) != NULL; i++)
        if (!read_one(platform, at, path, &source, key, err))
            return false;
    return true;
}

static bool read_object(struct dts_platform *platform, const struct dts_cfg *at,
                        const char *path, struct dts_error *err)
{
    const char *key;
    if (!read_source(platform, at, path, err))
        return false;
    for (size_t i = 0; (key = dts_cfg_key(at, i)) != NULL; i++) {
        struct dts_cfg member = dts_cfg_member(at, key);
        char inner[PATH];
        join(inner, path, key);
        if (dts_cfg_is_object(&member) && strcmp(path, "transports") != 0 &&
            !read_object(platform, &member, inner, err))
            return false;
    }
    return true;
}

bool dts_platform_read_sources(struct dts_platform *platform, const struct dts_cfg *top,
                               struct dts_error *err)
{
    if (!read_object(platform, top, "", err))
        return false;
    if (says_assumed(platform->net.transports[DTS_WITHIN].source))
        add(platform, "transports.within");
    if (says_assumed(platform->net.transports[DTS_BETWEEN].source))
        add(platform, "transports.between");
    return true;
}
