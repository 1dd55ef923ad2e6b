/* simgrid_routes.c -- how the routes of a SimGrid platform lie in one block of bytes. */
#include "sim/net/simgrid_file/simgrid_routes.h"

size_t dts_simgrid_pairs(const struct dts_simgrid_routes *f)
{
    return (size_t)f->hosts * (size_t)f->hosts;
}

size_t dts_simgrid_routes_lay_out(struct dts_simgrid_routes *f, char *bytes)
{
    size_t at = 0, links = (size_t)f->links, hosts = (size_t)f->hosts;
    f->capacity = (double *)(void *)(bytes + at);
    at += links * sizeof(*f->capacity);
    f->latency = (double *)(void *)(bytes + at);
    at += dts_simgrid_pairs(f) * sizeof(*f->latency);
    f->speed = (double *)(void *)(bytes + at);
    at += hosts * sizeof(*f->speed);
    f->first = (size_t *)(void *)(bytes + at);
    at += (dts_simgrid_pairs(f) + 1) * sizeof(*f->first);
    f->route = (int *)(void *)(bytes + at);
    at += f->hops * sizeof(*f->route);
    f->cores = (int *)(void *)(bytes + at);
    at += hosts * sizeof(*f->cores);
    f->names = (char(*)[DTS_SIMGRID_NAME])(bytes + at);
    at += links * DTS_SIMGRID_NAME;
    f->shared = (bool *)(bytes + at);
    return at + links * sizeof(*f->shared);
}
