/* like.c -- the platform that a new one begins with. */
#include "cli/like.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/library.h"
#include "sim/net/platform/platform.h"

enum { DEPTH = 8, KEY = 64, SOURCE = 1024 };

/* A path followed through the document: each place is the parent of the next. */
struct walk {
    struct dts_cfg place[DEPTH + 1];
    char keys[DEPTH][KEY];
    int depth;
};

/* Is it a platform, whose network is described in its file? */
static bool check(const char *name, const char *path, struct dts_error *err)
{
    struct dts_platform platform;
    if (!dts_platform_load(&platform, path, NULL, err))
        return false;
    bool own = platform.network_file == NULL;
    dts_platform_free(&platform);
    return own ||
           dts_fail(err, DTS_BAD_INPUT,
                    "--like: %s has its network from another file: copy the platform", name);
}

/* The document is loaded apart: reading a platform writes all defaults into its own. */
bool dts_like_open(struct dts_like *like, const char *name, struct dts_error *err)
{
    char *path;
    if (!dts_library_find(&path, "platforms", name, NULL, err))
        return false;
    like->name = name;
    bool good = check(name, path, err) && dts_doc_load(&like->doc, path, err);
    free(path);
    return good;
}

void dts_like_close(struct dts_like *like)
{
    dts_doc_free(like->doc);
    *like = (struct dts_like){0};
}

static bool follow(const struct dts_like *like, const char *path, struct walk *walk)
{
    walk->place[0] = dts_doc_top(like->doc);
    walk->depth = 0;
    while (*path != '\0' && walk->depth < DEPTH) {
        const size_t length = strcspn(path, ".");
        if (length >= KEY)
            return false;
        char *key = walk->keys[walk->depth];
        memcpy(key, path, length);
        key[length] = '\0';
        walk->place[walk->depth + 1] = dts_cfg_member(&walk->place[walk->depth], key);
        walk->depth++;
        path += length + (path[length] == '.');
    }
    return *path == '\0' && dts_cfg_exists(&walk->place[walk->depth]);
}

static bool is_rate(const struct dts_cfg *at)
{
    static const char unit[] = "bytes_per_s";
    const size_t length = strlen(at->key);
    return length >= strlen(unit) && strcmp(at->key + length - strlen(unit), unit) == 0;
}

static double ports_of(const struct dts_like *like)
{
    return dts_like_number(like, "nodes") * dts_like_number(like, "nics.count");
}

static bool is_larger(const struct dts_like *like)
{
    return like->ports > ports_of(like);
}

/* What is not as large as the network that is wanted: a torus is exactly as large. */
static bool is_too_small(const struct dts_like *like, const struct dts_cfg *at)
{
    if (strcmp(at->key, "dims") == 0)
        return like->ports != ports_of(like);
    return is_larger(like) &&
           (strcmp(at->key, "blue_lanes") == 0 || strcmp(at->key, "ports") == 0);
}

static bool takes_over(const struct dts_like *like, const char *path, const struct walk *walk)
{
    const bool inside = dts_path_is_in(path, "node.fabric") ||
                        dts_path_is_in(path, "node.compute") ||
                        dts_path_is_in(path, "transports.within");
    if (inside && (like->other_node || like->other_fabric))
        return false;
    if (!dts_path_is_in(path, "network"))
        return true;
    const struct dts_cfg *at = &walk->place[walk->depth];
    return !like->other_topology && !is_too_small(like, at) &&
           !(like->other_nic && is_rate(at));
}

static int ceil_div(int a, double b)
{
    return b >= 1 ? (int)ceil(a / b) : a;
}

/* The ports of a fat tree's subtrees are kept, and their number grows. */
static void grow_tree(const struct dts_like *like, const struct dts_cfg *at,
                      struct dts_text *value)
{
    int *down;
    size_t count;
    struct dts_error ignored = {0};
    double below_top = 1;
    if (!dts_cfg_ints(at, 1, INT_MAX, SIZE_MAX, &down, &count, &ignored))
        return;
    for (size_t i = 0; i < count; i++) {
        const bool top = i + 1 == count;
        const int least = ceil_div(like->ports, below_top);
        dts_text_add(value, "%s%d%s", i > 0 ? ", " : "[",
                     top && least > down[i] ? least : down[i], top ? "]" : "");
        below_top *= down[i];
    }
    free(down);
}

static void grow_groups(const struct dts_like *like, const struct dts_cfg *at,
                        struct dts_text *value)
{
    struct dts_error ignored = {0};
    double ports = dts_like_number(like, "network.nodes_per_group"), groups = 0;
    if (ports == 0)
        ports = dts_like_number(like, "network.rows") *
                dts_like_number(like, "network.columns") *
                dts_like_number(like, "network.nodes_per_router");
    dts_cfg_real(at, 0, 0, &groups, &ignored);
    const int least = ceil_div(like->ports, ports);
    dts_text_add(value, "%.0f", fmax(groups, least));
}

/* A network that is made larger: true, and then the value. */
static bool grow(const struct dts_like *like, const char *path, const struct dts_cfg *at,
                 struct dts_text *value)
{
    if (!is_larger(like))
        return false;
    if (strcmp(path, "network.down") == 0)
        grow_tree(like, at, value);
    else if (strcmp(path, "network.groups") == 0)
        grow_groups(like, at, value);
    else
        return false;
    return true;
}

/* The text beside a value, or beside the object around it. */
static void find_source(const struct dts_like *like, const struct walk *walk,
                        struct dts_text *source)
{
    const char *text = NULL;
    for (int depth = walk->depth; depth > 0 && text == NULL; depth--) {
        struct dts_cfg said = dts_cfg_member(&walk->place[depth - 1], "source");
        struct dts_cfg own = dts_cfg_member(&said, walk->keys[depth - 1]);
        struct dts_error ignored = {0};
        const struct dts_cfg *at = dts_cfg_is_string(&said) ? &said : &own;
        if (dts_cfg_is_string(at))
            dts_cfg_string(at, &text, &ignored);
    }
    dts_text_add(source, "%s", like->name);
    if (text != NULL)
        dts_text_add(source, ": %s", text);
    dts_text_shorten(source, SOURCE);
}

static void print(const struct dts_cfg *at, struct dts_text *value)
{
    char *text = dts_cfg_json(at);
    dts_text_add(value, "%.*s", (int)strcspn(text, "\n"), text);
    free(text);
}

bool dts_like_value(const struct dts_like *like, const char *path, struct dts_text *value,
                    struct dts_text *source, bool *raw)
{
    struct walk walk;
    struct dts_error ignored = {0};
    const char *word;
    if (like->doc == NULL || !follow(like, path, &walk) || !takes_over(like, path, &walk))
        return false;
    const struct dts_cfg *at = &walk.place[walk.depth];
    *raw = dts_cfg_is_object(at);
    const bool grown = grow(like, path, at, value);
    if (grown)
        dts_text_add(source, "ASSUMED: as many as all nodes need; ");
    else if (dts_cfg_is_string(at) && dts_cfg_string(at, &word, &ignored))
        dts_text_add(value, "%s", word);
    else
        print(at, value);
    if (!*raw) // an object has its own
        find_source(like, &walk, source);
    return true;
}

bool dts_like_has(const struct dts_like *like, const char *path)
{
    struct walk walk;
    return like->doc != NULL && follow(like, path, &walk) && takes_over(like, path, &walk);
}

bool dts_like_is(const struct dts_like *like, const char *path, const char *word)
{
    struct walk walk;
    struct dts_error ignored = {0};
    const char *there;
    return like->doc != NULL && follow(like, path, &walk) &&
           dts_cfg_string(&walk.place[walk.depth], &there, &ignored) &&
           strcmp(there, word) == 0;
}

double dts_like_number(const struct dts_like *like, const char *path)
{
    struct walk walk;
    struct dts_error ignored = {0};
    double number = 0;
    if (like->doc != NULL && follow(like, path, &walk))
        dts_cfg_real(&walk.place[walk.depth], 0, 0, &number, &ignored);
    return number;
}
