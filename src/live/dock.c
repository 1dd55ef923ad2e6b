/* dock.c -- the memory of the host. */
#include "live/dock.h"

#include <stdlib.h>

#include "base/mem.h"

static void *get(void *self, size_t bytes)
{
    (void)self;
    return dts_alloc(bytes, 1);
}

static void give_back(void *self, void *there)
{
    (void)self;
    free(there);
}

static void pack(void *self, enum dts_stream stream, const struct dts_values *v, void *message,
                 float *values, size_t count, bool round)
{
    (void)self, (void)stream;
    dts_values_pack(v, message, values, count, round);
}

static void take(void *self, enum dts_stream stream, const struct dts_values *v, void *to,
                 const void *message, size_t count)
{
    (void)self, (void)stream;
    dts_values_take(v, to, message, count);
}

static void add(void *self, enum dts_stream stream, const struct dts_values *v, void *to,
                const void *message, size_t count)
{
    (void)self, (void)stream;
    dts_values_add(v, to, message, count);
}

static void round_values(void *self, enum dts_stream stream, const struct dts_values *v,
                         float *values, size_t count)
{
    (void)self, (void)stream;
    dts_values_round(v, values, count);
}

const struct dts_dock_kind dts_dock_host = {
    .get = get,
    .give_back = give_back,
    .pack = pack,
    .take = take,
    .add = add,
    .round = round_values,
};

static const struct dts_dock_kind *kind_of(const struct dts_dock *dock)
{
    return dock != NULL ? dock->kind : &dts_dock_host;
}

static void *self_of(const struct dts_dock *dock)
{
    return dock != NULL ? dock->self : NULL;
}

void dts_dock_give_back(const struct dts_dock *dock, void *there)
{
    kind_of(dock)->give_back(self_of(dock), there);
}

void *dts_dock_grow(const struct dts_dock *dock, void *there, size_t *room, size_t bytes)
{
    if (bytes <= *room)
        return there;
    dts_dock_give_back(dock, there);
    *room = bytes > 2 * *room ? bytes : 2 * *room; // seldom, then
    return kind_of(dock)->get(self_of(dock), *room);
}

void dts_dock_lend(const struct dts_dock *dock)
{
    if (kind_of(dock)->lend != NULL)
        kind_of(dock)->lend(self_of(dock));
}

void dts_dock_take_back(const struct dts_dock *dock)
{
    if (kind_of(dock)->take_back != NULL)
        kind_of(dock)->take_back(self_of(dock));
}
