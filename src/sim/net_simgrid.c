#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <simgrid/host.h>
#include <simgrid/link.h>

#include "base/mem.h"
#include "sim/child.h"
#include "sim/map.h"
#include "sim/net_simgrid.h"
#include "sim/simgrid_file.h"
#include "sim/simgrid_zone.h"

enum {
    NAME = 64,
    LIMIT_S = 120, // to read a platform; SimGrid's largest examples take a few seconds
};

/* What the child finds, and what the network keeps. Pairs are from * hosts + to. */
struct found {
    int hosts, links;
    size_t hops;
    double *capacity;    // by link, bytes/s
    double *latency;     // by pair, seconds
    size_t *first;       // by pair, and one more: in route
    int *route;          // links
    char (*names)[NAME]; // by link
    bool *shared;        // by link
    void *bytes;         // all the arrays; owned by the network
    size_t link_room, hop_room;
};

static size_t pairs(const struct found *f)
{
    return (size_t)f->hosts * (size_t)f->hosts;
}

/* The arrays in one block, largest elements first, so that all are aligned. Returns its size.
 */
static size_t lay_out(struct found *f, char *bytes)
{
    size_t at = 0, links = (size_t)f->links;
    f->capacity = (double *)(void *)(bytes + at);
    at += links * sizeof(*f->capacity);
    f->latency = (double *)(void *)(bytes + at);
    at += pairs(f) * sizeof(*f->latency);
    f->first = (size_t *)(void *)(bytes + at);
    at += (pairs(f) + 1) * sizeof(*f->first);
    f->route = (int *)(void *)(bytes + at);
    at += f->hops * sizeof(*f->route);
    f->names = (char(*)[NAME])(bytes + at);
    at += links * NAME;
    f->shared = (bool *)(bytes + at);
    return at + links * sizeof(*f->shared);
}

static int by_name(const void *a, const void *b)
{
    const sg_host_t *x = a, *y = b;
    return strverscmp(sg_host_get_name(*x), sg_host_get_name(*y));
}

/* The number of a link, which is new or known; -1: it cannot be used. */
static int link_number(struct found *f, struct dts_map *known, sg_link_t link,
                       struct dts_error *err)
{
    const char *name = sg_link_get_name(link);
    double capacity = sg_link_get_bandwidth(link);
    uint64_t *number = dts_map_at(known, (uint64_t)(uintptr_t)link);
    if (*number > 0)
        return (int)*number - 1;
    if (!dts_simgrid_is_plain(link)) {
        dts_fail(err, DTS_BAD_INPUT, "link %s: Wi-Fi and non-linear links are not supported",
                 name);
        return -1;
    }
    if (!(capacity >= DTS_SIMGRID_LEAST_BYTES_PER_S) || isinf(capacity)) {
        dts_fail(err, DTS_BAD_INPUT, "link %s: bandwidth must be >= %d bytes/s, got %g", name,
                 DTS_SIMGRID_LEAST_BYTES_PER_S, capacity);
        return -1;
    }
    size_t room = f->link_room, needed = (size_t)f->links + 1;
    f->capacity = dts_grow(f->capacity, &f->link_room, needed, sizeof(*f->capacity));
    size_t names_room = room, shared_room = room;
    f->names = dts_grow(f->names, &names_room, needed, sizeof(*f->names));
    f->shared = dts_grow(f->shared, &shared_room, needed, sizeof(*f->shared));
    f->capacity[f->links] = capacity;
    snprintf(f->names[f->links], NAME, "%s", name);
    f->shared[f->links] = sg_link_is_shared(link) != 0;
    *number = (uint64_t)needed;
    return f->links++;
}

static bool find_route(struct found *f, struct dts_map *known, sg_host_t from, sg_host_t to,
                       size_t pair, struct dts_error *err)
{
    sg_link_t links[DTS_MAX_ROUTE];
    int hops = dts_simgrid_route(from, to, links, DTS_MAX_ROUTE, &f->latency[pair]);
    if (hops < 1 || hops > DTS_MAX_ROUTE)
        return dts_fail(err, DTS_BAD_INPUT,
                        "route from %s to %s: must have 1 to %d links, has %d",
                        sg_host_get_name(from), sg_host_get_name(to), DTS_MAX_ROUTE, hops);
    if (!(f->latency[pair] >= 0 && f->latency[pair] <= DTS_SIMGRID_MOST_S))
        return dts_fail(
            err, DTS_BAD_INPUT, "route from %s to %s: latency must be 0 to %d s, is %g",
            sg_host_get_name(from), sg_host_get_name(to), DTS_SIMGRID_MOST_S, f->latency[pair]);
    f->route = dts_grow(f->route, &f->hop_room, f->hops + (size_t)hops, sizeof(*f->route));
    for (int h = 0; h < hops; h++) {
        int number = link_number(f, known, links[h], err);
        if (number < 0)
            return false;
        f->route[f->hops++] = number;
    }
    return true;
}

static bool find_routes(struct found *f, struct dts_error *err)
{
    sg_host_t *hosts = sg_host_list();
    struct dts_map known = {0};
    qsort(hosts, (size_t)f->hosts, sizeof(sg_host_t), by_name);
    f->latency = dts_alloc(pairs(f), sizeof(*f->latency));
    f->first = dts_alloc(pairs(f) + 1, sizeof(*f->first));
    bool ok = true;
    for (size_t pair = 0; pair < pairs(f) && ok; pair++) {
        size_t from = pair / (size_t)f->hosts, to = pair % (size_t)f->hosts;
        if (from != to)
            ok = find_route(f, &known, hosts[from], hosts[to], pair, err);
        f->first[pair + 1] = f->hops;
    }
    dts_map_free(&known);
    free(hosts);
    return ok;
}

/* The child: what it allocates goes with it. */
static bool import(void *argument, void **result, size_t *size, struct dts_error *err)
{
    struct found f = {.hosts = 0};
    dts_simgrid_start(1);
    if (!dts_simgrid_load(argument, err))
        return false;
    size_t hosts = sg_host_count();
    if (hosts < 1 || hosts > DTS_SIMGRID_MOST_HOSTS)
        return dts_fail(err, DTS_BAD_INPUT, "must have 1 to %d hosts, has %zu",
                        DTS_SIMGRID_MOST_HOSTS, hosts);
    f.hosts = (int)hosts;
    if (!find_routes(&f, err))
        return false;

    struct found flat = {.hosts = f.hosts, .links = f.links, .hops = f.hops};
    *size = sizeof(flat) + lay_out(&flat, NULL);
    *result = dts_alloc(1, *size);
    memcpy(*result, &flat, sizeof(flat));
    lay_out(&flat, (char *)*result + sizeof(flat));
    memcpy(flat.latency, f.latency, pairs(&f) * sizeof(*f.latency));
    memcpy(flat.first, f.first, (pairs(&f) + 1) * sizeof(*f.first));
    if (f.links == 0)
        return true;
    memcpy(flat.capacity, f.capacity, (size_t)f.links * sizeof(*f.capacity));
    memcpy(flat.route, f.route, f.hops * sizeof(*f.route));
    memcpy(flat.names, f.names, (size_t)f.links * NAME);
    memcpy(flat.shared, f.shared, (size_t)f.links * sizeof(*f.shared));
    return true;
}

/* The device of a node and its host are the same place. */
static size_t pair_of(const struct found *f, int src, int dst)
{
    return (size_t)(src % f->hosts) * (size_t)f->hosts + (size_t)(dst % f->hosts);
}

static double capacity(const void *self, int link)
{
    return ((const struct found *)self)->capacity[link];
}

static bool shared(const void *self, int link)
{
    return ((const struct found *)self)->shared[link];
}

static void link_name(const void *self, int link, char *name, size_t room)
{
    snprintf(name, room, "%s", ((const struct found *)self)->names[link]);
}

static int paths(const void *self, int src, int dst)
{
    (void)self, (void)src, (void)dst;
    return 1;
}

static double share(const void *self, int src, int dst, int path)
{
    (void)self, (void)src, (void)dst, (void)path;
    return 1;
}

static int route(const void *self, int src, int dst, int path, int *links)
{
    const struct found *f = self;
    size_t pair = pair_of(f, src, dst), hops = f->first[pair + 1] - f->first[pair];
    (void)path;
    memcpy(links, f->route + f->first[pair], hops * sizeof(*links));
    return (int)hops;
}

static double latency(const void *self, int src, int dst, int path)
{
    const struct found *f = self;
    (void)path;
    return f->latency[pair_of(f, src, dst)];
}

static int transport(const void *self, int src, int dst)
{
    const struct found *f = self;
    return src % f->hosts == dst % f->hosts ? DTS_WITHIN : DTS_BETWEEN;
}

static void free_found(void *self)
{
    free(((struct found *)self)->bytes);
    free(self);
}

static const struct dts_net_ops imported = {
    .capacity = capacity,
    .shared = shared,
    .link_name = link_name,
    .paths = paths,
    .share = share,
    .route = route,
    .latency = latency,
    .transport = transport,
    .free = free_found,
};

static void wrap(struct dts_net *net, void *bytes)
{
    static const struct dts_transport plain = {
        .name = "simgrid",
        .summary = "what the platform file says, nothing added",
        .source = "the platform file",
        .efficiency = 1,
        .blocking = true,
    };
    struct found *f = dts_alloc(1, sizeof(*f));
    memcpy(f, bytes, sizeof(*f));
    f->bytes = bytes;
    lay_out(f, (char *)bytes + sizeof(*f));
    *net = (struct dts_net){
        .ops = &imported,
        .self = f,
        .devices = f->hosts,
        .nodes = f->hosts,
        .devices_per_node = 1,
        .links = f->links,
        .transports = {plain, plain},
    };
}

/* One line, path first. SimGrid's own begin with "Parse error at PATH:LINE: ". */
static bool fail_import(const char *path, const struct dts_error *why, struct dts_error *err)
{
    static const char opening[] = "Parse error at ";
    char line[sizeof(why->text)];
    snprintf(line, sizeof(line), "%s", why->text);
    for (char *c = line; *c != '\0'; c++)
        if (*c == '\n')
            *c = ' ';
    const char *text = line;
    if (strncmp(text, opening, strlen(opening)) == 0)
        text += strlen(opening);
    bool named = strncmp(text, path, strlen(path)) == 0;
    return dts_fail(err, why->cause, "%s%s%s", named ? "" : path, named ? "" : ": ", text);
}

bool dts_net_from_simgrid(struct dts_net *net, const char *path, struct dts_error *err)
{
    if (!dts_simgrid_file_check(path, err))
        return false;
    char *copy = dts_copy(path);
    struct dts_child child = {.what = "SimGrid gave up on this platform (is a route missing?)",
                              .blame = DTS_BAD_INPUT,
                              .limit_s = LIMIT_S,
                              .run = import,
                              .argument = copy};
    struct dts_error why = {0};
    void *bytes;
    size_t size;
    bool ok = dts_child_run(&child, &bytes, &size, &why);
    free(copy);
    if (!ok)
        return fail_import(path, &why, err);
    wrap(net, bytes);
    return true;
}
