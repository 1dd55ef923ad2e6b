/* simgrid_routes.c -- how the routes of a SimGrid platform lie in one block of bytes. */
#include "sim/net/simgrid_file/simgrid_routes.h"

size_t dts_simgrid_pairs(const struct dts_simgrid_routes *f)
{
    return (size_t)f->hosts * (size_t)f->hosts;
}

/* The next array; NULL where there is no block yet. */
static void *next_array(char *bytes, size_t *at, size_t count, size_t size)
{
    void *array = bytes != NULL ? bytes + *at : NULL;
    *at += count * size;
    return array;
}

size_t dts_simgrid_routes_lay_out(struct dts_simgrid_routes *f, char *bytes)
{
    const size_t links = (size_t)f->links, hosts = (size_t)f->hosts,
                 pairs = dts_simgrid_pairs(f);
    size_t at = 0;
    f->capacity = next_array(bytes, &at, links, sizeof(*f->capacity));
    f->latency = next_array(bytes, &at, pairs, sizeof(*f->latency));
    f->speed = next_array(bytes, &at, hosts, sizeof(*f->speed));
    f->first = next_array(bytes, &at, pairs + 1, sizeof(*f->first));
    f->route = next_array(bytes, &at, f->hops, sizeof(*f->route));
    f->cores = next_array(bytes, &at, hosts, sizeof(*f->cores));
    f->names = next_array(bytes, &at, links, sizeof(*f->names));
    f->shared = next_array(bytes, &at, links, sizeof(*f->shared));
    return at;
}
