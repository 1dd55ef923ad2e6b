/* simgrid_import.c -- reads a SimGrid platform: its links, and the routes of all pairs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <simgrid/host.h>
#include <simgrid/link.h>

#include "base/mem.h"
#include "sim/exact/simgrid_zone.h"
#include "sim/net/map.h"
#include "sim/net/net.h"
#include "sim/net/simgrid_file/net_simgrid.h"
#include "sim/net/simgrid_file/simgrid_file.h"
#include "sim/net/simgrid_file/simgrid_routes.h"
#include "sim/simgrid/module.h"

enum { MOST_MEMORY = 1 << 30 }; // bytes, to read a platform

static int by_name(const void *a, const void *b)
{
    const sg_host_t *x = a, *y = b;
    return strverscmp(sg_host_get_name(*x), sg_host_get_name(*y));
}

/* The number of a link, which is new or known; -1: it cannot be used. */
static int link_number(struct dts_simgrid_routes *f, struct dts_map *known, sg_link_t link,
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
    snprintf(f->names[f->links], DTS_SIMGRID_NAME, "%s", name);
    f->shared[f->links] = sg_link_is_shared(link) != 0;
    *number = (uint64_t)needed;
    return f->links++;
}

/* The links between two hosts, noted for whoever has to say what SimGrid died of. */
static int ask_route(struct dts_simgrid_question *question, sg_host_t from, sg_host_t to,
                     sg_link_t *links, double *latency_s)
{
    snprintf(question->from, sizeof(question->from), "%s", sg_host_get_name(from));
    snprintf(question->to, sizeof(question->to), "%s", sg_host_get_name(to));
    int hops = dts_simgrid_route(from, to, links, DTS_MAX_ROUTE, latency_s);
    question->from[0] = '\0';
    return hops;
}

static bool find_route(struct dts_simgrid_question *question, struct dts_simgrid_routes *f,
                       struct dts_map *known, sg_host_t from, sg_host_t to, size_t pair,
                       struct dts_error *err)
{
    sg_link_t links[DTS_MAX_ROUTE];
    int hops = ask_route(question, from, to, links, &f->latency[pair]);
    if (hops < 1 && dts_simgrid_by_coordinates(from, to))
        f->without_links++;
    else if (hops < 1)
        return dts_fail(err, DTS_BAD_INPUT, DTS_SIMGRID_NO_ROUTE, sg_host_get_name(from),
                        sg_host_get_name(to));
    if (hops > DTS_MAX_ROUTE)
        return dts_fail(err, DTS_BAD_INPUT,
                        "route from %s to %s: must have at most %d links, has %d",
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

static void find_speeds(struct dts_simgrid_routes *f, const sg_host_t *hosts)
{
    f->speed = dts_alloc((size_t)f->hosts, sizeof(*f->speed));
    f->cores = dts_alloc((size_t)f->hosts, sizeof(*f->cores));
    for (int h = 0; h < f->hosts; h++) {
        f->speed[h] = sg_host_get_speed(hosts[h]);
        f->cores[h] = sg_host_core_count(hosts[h]);
    }
}

static bool find_routes(struct dts_simgrid_question *question, const sg_host_t *hosts,
                        struct dts_simgrid_routes *f, struct dts_error *err)
{
    struct dts_map known = {0};
    f->latency = dts_alloc(dts_simgrid_pairs(f), sizeof(*f->latency));
    f->first = dts_alloc(dts_simgrid_pairs(f) + 1, sizeof(*f->first));
    bool ok = true;
    for (size_t pair = 0; pair < dts_simgrid_pairs(f) && ok; pair++) {
        size_t from = pair / (size_t)f->hosts, to = pair % (size_t)f->hosts;
        if (from != to)
            ok = find_route(question, f, &known, hosts[from], hosts[to], pair, err);
        f->first[pair + 1] = f->hops;
    }
    dts_map_free(&known);
    return ok;
}

/* Those whose names begin so, moved to the front. */
static bool choose_by_prefix(const char *prefix, sg_host_t *hosts, size_t *count,
                             struct dts_error *err)
{
    size_t chosen = 0;
    const char *first = sg_host_get_name(hosts[0]);
    for (size_t i = 0; i < *count; i++)
        if (strncmp(sg_host_get_name(hosts[i]), prefix, strlen(prefix)) == 0)
            hosts[chosen++] = hosts[i];
    if (chosen == 0)
        return dts_fail(err, DTS_BAD_INPUT,
                        "none of its %zu hosts begins with \"%s\" (network.hosts); the first "
                        "is \"%s\"",
                        *count, prefix, first);
    *count = chosen;
    return true;
}

/* These, in their order. The list is as long as it was allocated for: hosts are named once. */
static bool choose_by_name(const struct dts_net_hosts *wanted, sg_host_t *hosts, size_t *count,
                           struct dts_error *err)
{
    for (size_t i = 0; i < wanted->count; i++) {
        size_t at = i;
        while (at < *count && strcmp(sg_host_get_name(hosts[at]), wanted->names[i]) != 0)
            at++;
        if (at == *count)
            return dts_fail(err, DTS_BAD_INPUT,
                            "network.hosts: there is no host \"%s\", or it is named twice",
                            wanted->names[i]);
        sg_host_t found = hosts[at];
        memmove(hosts + i + 1, hosts + i, (at - i) * sizeof(*hosts));
        hosts[i] = found;
    }
    *count = wanted->count;
    return true;
}

/* The hosts that become nodes, in their order; the caller frees the list. */
static bool choose(const struct dts_net_hosts *wanted, sg_host_t **hosts, size_t *count,
                   struct dts_error *err)
{
    *count = sg_host_count();
    if (*count < 1)
        return dts_fail(err, DTS_BAD_INPUT, "must have 1 to %d hosts, has 0",
                        DTS_SIMGRID_MOST_HOSTS);
    *hosts = sg_host_list();
    qsort(*hosts, *count, sizeof(sg_host_t), by_name);
    if (wanted != NULL && wanted->prefix != NULL &&
        !choose_by_prefix(wanted->prefix, *hosts, count, err))
        return false;
    if (wanted != NULL && wanted->names != NULL && !choose_by_name(wanted, *hosts, count, err))
        return false;
    return *count <= DTS_SIMGRID_MOST_HOSTS ||
           dts_fail(err, DTS_BAD_INPUT,
                    "must have 1 to %d hosts, has %zu (network.hosts chooses some)",
                    DTS_SIMGRID_MOST_HOSTS, *count);
}

/* A file of a few lines can ask for all memory there is: switches, routers, tables of routes.
 * What the process has already is not counted (a sanitizer's tables are larger than any limit).
 */
static void limit_memory(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file != NULL && fscanf(file, "%lu", &pages) == 1) {
        const rlim_t bytes = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + MOST_MEMORY;
        struct rlimit limit;
        if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur > bytes) {
            limit.rlim_cur = bytes;
            setrlimit(RLIMIT_AS, &limit);
        }
    }
    if (file != NULL)
        fclose(file);
}

/* The child: what it allocates goes with it. */
bool dts_simgrid_import(void *argument, void **result, size_t *size, struct dts_error *err)
{
    struct dts_simgrid_question *question = argument;
    struct dts_simgrid_routes f = {.hosts = 0};
    sg_host_t *hosts = NULL;
    size_t count = 0;
    limit_memory();
    dts_simgrid_start();
    if (!dts_simgrid_load(question->path, err) || !choose(question->hosts, &hosts, &count, err))
        return false;
    f.hosts = (int)count;
    find_speeds(&f, hosts);
    if (!find_routes(question, hosts, &f, err))
        return false;

    struct dts_simgrid_routes flat = {
        .hosts = f.hosts, .links = f.links, .hops = f.hops, .without_links = f.without_links};
    *size = sizeof(flat) + dts_simgrid_routes_lay_out(&flat, NULL);
    *result = dts_alloc(1, *size);
    memcpy(*result, &flat, sizeof(flat));
    dts_simgrid_routes_lay_out(&flat, (char *)*result + sizeof(flat));
    memcpy(flat.speed, f.speed, count * sizeof(*f.speed));
    memcpy(flat.cores, f.cores, count * sizeof(*f.cores));
    memcpy(flat.latency, f.latency, dts_simgrid_pairs(&f) * sizeof(*f.latency));
    memcpy(flat.first, f.first, (dts_simgrid_pairs(&f) + 1) * sizeof(*f.first));
    if (f.links == 0)
        return true;
    memcpy(flat.capacity, f.capacity, (size_t)f.links * sizeof(*f.capacity));
    memcpy(flat.route, f.route, f.hops * sizeof(*f.route));
    memcpy(flat.names, f.names, (size_t)f.links * DTS_SIMGRID_NAME);
    memcpy(flat.shared, f.shared, (size_t)f.links * sizeof(*f.shared));
    return true;
}
