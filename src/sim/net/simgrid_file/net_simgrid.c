/* net_simgrid.c -- a SimGrid platform as a network; a child reads it (simgrid_import.c). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "sim/child.h"
#include "sim/net/simgrid_file/net_simgrid.h"
#include "sim/net/simgrid_file/simgrid_file.h"
#include "sim/net/simgrid_file/simgrid_routes.h"
#include "sim/simgrid/module.h"

enum { LIMIT_S = 120 }; // to read a platform; SimGrid's largest examples take a few seconds

/* The device of a node and its host are the same place. */
static size_t pair_of(const struct dts_simgrid_routes *f, int src, int dst)
{
    return (size_t)(src % f->hosts) * (size_t)f->hosts + (size_t)(dst % f->hosts);
}

static double capacity(const void *self, int link)
{
    return ((const struct dts_simgrid_routes *)self)->capacity[link];
}

static bool shared(const void *self, int link)
{
    return ((const struct dts_simgrid_routes *)self)->shared[link];
}

static void link_name(const void *self, int link, char *name, size_t room)
{
    snprintf(name, room, "%s", ((const struct dts_simgrid_routes *)self)->names[link]);
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
    const struct dts_simgrid_routes *f = self;
    size_t pair = pair_of(f, src, dst), hops = f->first[pair + 1] - f->first[pair];
    (void)path;
    memcpy(links, f->route + f->first[pair], hops * sizeof(*links));
    return (int)hops;
}

static double latency(const void *self, int src, int dst, int path)
{
    const struct dts_simgrid_routes *f = self;
    (void)path;
    return f->latency[pair_of(f, src, dst)];
}

static int transport(const void *self, int src, int dst)
{
    const struct dts_simgrid_routes *f = self;
    return src % f->hosts == dst % f->hosts ? DTS_WITHIN : DTS_BETWEEN;
}

static void free_found(void *self)
{
    free(((struct dts_simgrid_routes *)self)->bytes);
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
    struct dts_simgrid_routes *f = dts_alloc(1, sizeof(*f));
    memcpy(f, bytes, sizeof(*f));
    f->bytes = bytes;
    dts_simgrid_routes_lay_out(f, (char *)bytes + sizeof(*f));
    *net = (struct dts_net){
        .ops = &imported,
        .self = f,
        .devices = f->hosts,
        .nodes = f->hosts,
        .devices_per_node = 1,
        .links = f->links,
        .host_speed = f->speed,
        .host_cores = f->cores,
        .transports = {plain, plain},
    };
}

/* One line, path first. SimGrid's own begin with "Parse error at PATH:LINE: ", with the path
 * that it was given. */
static bool fail_import(const char *path, const char *given, const struct dts_error *why,
                        struct dts_error *err)
{
    static const char opening[] = "Parse error at ";
    char line[sizeof(why->text)];
    snprintf(line, sizeof(line), "%s", why->text);
    char *text = line, *silent = strstr(line, ": Segmentation fault.");
    if (why->died && silent != NULL)
        *silent = '\0'; // of the platform it says nothing
    if (strncmp(text, opening, strlen(opening)) == 0)
        text += strlen(opening);
    const bool named = strncmp(text, given, strlen(given)) == 0;
    text += named ? strlen(given) : 0;
    return dts_fail(err, why->cause, "%s%s%s", path, named ? "" : ": ", text);
}

static bool import(const struct dts_simgrid_module *simgrid, const char *path,
                   struct dts_simgrid_question *question, void **bytes, struct dts_error *err)
{
    struct dts_child child = {.what = "SimGrid cannot use this platform (SimGrid 4 wants a "
                                      "<zone> around a torus or fat tree)",
                              .blame = DTS_BAD_INPUT,
                              .limit_s = LIMIT_S,
                              .run = simgrid->import,
                              .argument = question};
    struct dts_error why = {0};
    size_t size;
    if (dts_child_run(&child, bytes, &size, &why))
        return true;
    if (why.died && question->from[0] != '\0')
        return dts_fail(err, DTS_BAD_INPUT, "%s: " DTS_SIMGRID_NO_ROUTE, path, question->from,
                        question->to);
    return fail_import(path, question->path, &why, err);
}

/* Coordinates make a latency; where no link is on the way, nothing limits a message. */
static void say_without_links(const char *path, const struct dts_simgrid_routes *f,
                              struct dts_error *note)
{
    if (f->without_links == 0)
        return;
    const struct dts_error before = *note;
    const bool more = before.cause != DTS_NO_ERROR;
    *note = (struct dts_error){0};
    dts_fail(note, DTS_BAD_INPUT,
             "%.500s%s%.400s%s%zu of %zu routes have no link: messages on them take a latency "
             "and no time for their bytes",
             before.text, more ? "; " : "", more ? "" : path, more ? "" : ": ",
             f->without_links, dts_simgrid_pairs(f) - (size_t)f->hosts);
}

/* Shared with the child, so that it is known how far that one came. */
static bool ask(struct dts_net *net, const char *path, const char *given,
                const struct dts_net_hosts *hosts, struct dts_error *note,
                struct dts_error *err)
{
    const struct dts_simgrid_module *simgrid = dts_simgrid_open(err);
    if (simgrid == NULL)
        return false;
    struct dts_simgrid_question *question = mmap(
        NULL, sizeof(*question), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (question == MAP_FAILED)
        return dts_fail(err, DTS_SYSTEM, "%s: no memory to share: %s", path, strerror(errno));
    question->path = given;
    question->hosts = hosts;
    void *bytes;
    bool ok = import(simgrid, path, question, &bytes, err);
    munmap(question, sizeof(*question));
    if (!ok)
        return false;
    wrap(net, bytes);
    say_without_links(path, net->self, note);
    return true;
}

static bool write_all(int fd, const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        const ssize_t written = write(fd, text, left);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text += written;
        left -= (size_t)written;
    }
    return true;
}

/* SimGrid gets the text that was looked through, not the file: that could have changed since,
 * and one that is named *.so it would load as a program. */
bool dts_net_from_simgrid(struct dts_net *net, const char *path,
                          const struct dts_net_hosts *hosts, struct dts_error *note,
                          struct dts_error *err)
{
    char *text, given[64];
    if (!dts_simgrid_file_read(path, &text, note, err))
        return false;
    const int fd = memfd_create("platform", MFD_CLOEXEC);
    bool ok = fd >= 0 && write_all(fd, text);
    if (!ok)
        dts_fail(err, DTS_SYSTEM, "%s: no memory for its text: %s", path, strerror(errno));
    snprintf(given, sizeof(given), "/proc/self/fd/%d", fd);
    free(text);
    ok = ok && ask(net, path, given, hosts, note, err);
    if (fd >= 0)
        close(fd);
    return ok;
}
