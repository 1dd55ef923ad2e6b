/* space_cpu.c -- the host's memory, and threads of its processor. */
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "ops/space.h"

static int count(const char **why)
{
    *why = NULL;
    return 1;
}

static bool open(const struct dts_space_request *request, void **self, struct dts_place *place,
                 struct dts_error *err)
{
    (void)err;
    *self = place->workers = dts_workers_new(request->threads);
    return true;
}

static void close(void *self)
{
    dts_workers_free(self);
}

static bool get(void *self, size_t bytes, void **there, struct dts_error *err)
{
    (void)self;
    *there = dts_pages(bytes);
    return *there != NULL ||
           dts_fail(err, DTS_SYSTEM, "no memory for %.3g GB", (double)bytes / 1e9);
}

static void give_back(void *self, void *there)
{
    (void)self;
    free(there);
}

static bool clear(void *self, void *there, size_t bytes, struct dts_error *err)
{
    (void)self, (void)err;
    memset(there, 0, bytes);
    return true;
}

const struct dts_space_kind dts_space_cpu = {
    .name = "cpu",
    .summary = "threads of this machine's processor",
    .count = count,
    .open = open,
    .close = close,
    .get = get,
    .give_back = give_back,
    .clear = clear,
};
