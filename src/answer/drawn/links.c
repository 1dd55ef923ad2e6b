/* links.c -- the loads of links, link by link and kind by kind. */
#include "answer/drawn/links.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json_out.h"
#include "base/mem.h"
#include "base/os/file.h"

enum { NAME = 64, LISTED = 4000, SHARES = 100 }; // bytes; links; values of a kind

struct used_link {
    int link, kind;
    double bytes, share;
};

struct kind {
    char name[NAME];
    int first, count; // of the links, once these are in order
};

struct loads {
    const struct dts_simulation *simulation;
    struct used_link *links; // owned
    struct kind *kinds;      // owned
    int link_count, kind_count;
    size_t link_room, kind_room;
};

/* "node3.nic0.out": "node*.nic*.out" */
static void kind_name(const char *name, char kind[NAME])
{
    size_t length = 0;
    for (; *name != '\0' && length + 1 < NAME; name++)
        if (!isdigit((unsigned char)*name))
            kind[length++] = *name;
        else if (length == 0 || kind[length - 1] != '*')
            kind[length++] = '*';
    kind[length] = '\0';
}

static int find_kind(struct loads *loads, const char *name)
{
    char word[NAME];
    kind_name(name, word);
    for (int k = 0; k < loads->kind_count; k++)
        if (strcmp(loads->kinds[k].name, word) == 0)
            return k;
    loads->kinds = dts_grow(loads->kinds, &loads->kind_room, (size_t)loads->kind_count + 1,
                            sizeof(*loads->kinds));
    memcpy(loads->kinds[loads->kind_count].name, word, NAME);
    return loads->kind_count++;
}

static void collect(struct loads *loads, const double *total, double step_s)
{
    const struct dts_net *net = loads->simulation->net;
    for (int l = 0; l < net->links; l++) {
        const bool shared = net->ops->shared == NULL || net->ops->shared(net->self, l);
        char name[NAME];
        if (total[l] <= 0 || !shared)
            continue;
        net->ops->link_name(net->self, l, name, sizeof(name));
        loads->links = dts_grow(loads->links, &loads->link_room, (size_t)loads->link_count + 1,
                                sizeof(*loads->links));
        loads->links[loads->link_count++] =
            (struct used_link){l, find_kind(loads, name), total[l],
                               total[l] / net->ops->capacity(net->self, l) / step_s};
    }
}

/* Kind by kind, the busiest first. */
static int by_share(const void *a, const void *b)
{
    const struct used_link *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind - y->kind;
    if (x->share != y->share)
        return (x->share < y->share) - (x->share > y->share);
    return x->link - y->link;
}

static void put_kind(struct dts_json *json, const struct loads *loads, const struct kind *kind)
{
    const struct dts_net *net = loads->simulation->net;
    const struct used_link *links = &loads->links[kind->first];
    const int shares = kind->count < SHARES ? kind->count : SHARES;
    char name[NAME];
    net->ops->link_name(net->self, links->link, name, sizeof(name));
    dts_json_object(json, NULL);
    dts_json_string(json, "kind", kind->name);
    dts_json_integer(json, "count", kind->count);
    dts_json_string(json, "busiest", name);
    dts_json_number(json, "bytes", links->bytes);
    dts_json_list_flat(json, "share");
    for (int s = 0; s < shares; s++)
        dts_json_number(json, NULL, links[(int64_t)s * kind->count / shares].share);
    dts_json_end(json);
    dts_json_end(json);
}

static void put_place(struct dts_json *json, const struct dts_net *net, const char *key,
                      long place)
{
    char name[NAME];
    if (net->ops->place_name != NULL &&
        net->ops->place_name(net->self, place, name, sizeof(name)))
        dts_json_string(json, key, name);
}

static void put_link(struct dts_json *json, const struct dts_net *net,
                     const struct used_link *used)
{
    char name[NAME];
    long from, to;
    if (net->ops->ends == NULL || !net->ops->ends(net->self, used->link, &from, &to))
        return;
    net->ops->link_name(net->self, used->link, name, sizeof(name));
    dts_json_object(json, NULL);
    dts_json_string(json, "name", name);
    dts_json_integer(json, "from", from);
    dts_json_integer(json, "to", to);
    put_place(json, net, "from_name", from);
    put_place(json, net, "to_name", to);
    dts_json_number(json, "bytes", used->bytes);
    dts_json_number(json, "share", used->share);
    dts_json_end(json);
}

static void put(struct dts_json *json, struct loads *loads)
{
    const struct dts_net *net = loads->simulation->net;
    dts_json_object(json, NULL);
    dts_json_string(json, "schema", "dtsim-links/1");
    dts_json_integer(json, "nodes", net->nodes);
    dts_json_list(json, "kinds");
    for (int k = 0, first = 0; k < loads->kind_count; first += loads->kinds[k++].count) {
        struct kind *kind = &loads->kinds[k];
        kind->first = first;
        while (first + kind->count < loads->link_count &&
               loads->links[first + kind->count].kind == k)
            kind->count++;
        put_kind(json, loads, kind);
    }
    dts_json_end(json);
    if (loads->link_count <= LISTED) {
        dts_json_list(json, "links");
        for (int l = 0; l < loads->link_count; l++)
            put_link(json, net, &loads->links[l]);
        dts_json_end(json);
    }
    dts_json_end(json);
}

bool dts_links_write(const char *path, const struct dts_simulation *simulation,
                     struct dts_loader *loader, double step_s, struct dts_error *err)
{
    struct loads loads = {.simulation = simulation};
    struct dts_output out;
    if (!dts_output_open(&out, path, err))
        return false;
    struct dts_json json = {.out = out.stream, .lines = 3};
    collect(&loads, dts_loader_total(loader), step_s);
    if (loads.link_count > 0)
        qsort(loads.links, (size_t)loads.link_count, sizeof(*loads.links), by_share);
    put(&json, &loads);
    free(loads.links);
    free(loads.kinds);
    return dts_output_close(&out, err);
}
