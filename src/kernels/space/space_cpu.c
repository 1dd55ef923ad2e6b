/* space_cpu.c -- the host's memory, and threads of its processor. */
#include <cblas.h>
#include <string.h>
#include <unistd.h>

#include "base/os/cache_size.h"
#include "base/os/pages.h"
#include "base/os/processor.h"
#include "base/os/spare_memory.h"
#include "kernels/space/cpu_pace.h"
#include "kernels/space/roofline.h"
#include "kernels/space/space.h"

enum { LINE = 64 }; // bytes that a cache moves at once

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

static void close_workers(void *self)
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
    dts_pages_free(there);
}

static bool clear(void *self, void *there, size_t bytes, struct dts_error *err)
{
    (void)self, (void)err;
    memset(there, 0, bytes);
    return true;
}

static void facts(void *self, struct dts_space_facts *facts)
{
    dts_processor_name(facts->name, sizeof(facts->name));
    snprintf(facts->library, sizeof(facts->library), "%s", openblas_get_config());
    facts->memory_bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    facts->spare_bytes = dts_spare_memory_bytes();
    facts->cache_bytes = dts_last_cache_bytes(NULL);
    facts->clock_hz = dts_processor_clock_hz(NULL, NULL);
    facts->threads = dts_workers_count(self);
}

static void touch(void *self, void *there, size_t bytes)
{
    volatile char *lines = there;
    (void)self;
    for (size_t i = 0; i < bytes; i += LINE)
        lines[i] = lines[i]; // memset() of much memory may pass the caches by
}

static struct dts_pace pace(void *self)
{
    return dts_cpu_pace(self);
}

static void busy(void *self)
{
    dts_cpu_products(self, 1);
}

static bool roofline(struct dts_space *space, double budget_s, struct dts_roofline *out,
                     struct dts_roofline_words *words, struct dts_error *err)
{
    const int threads = dts_workers_count(dts_space_place(space)->workers);
    return dts_roofline_measure(out, words, threads, budget_s, NULL, err);
}

const struct dts_space_kind dts_space_cpu = {
    .name = "cpu",
    .summary = "threads of this machine's processor",
    .count = count,
    .open = open,
    .close = close_workers,
    .get = get,
    .give_back = give_back,
    .clear = clear,
    .facts = facts,
    .touch = touch,
    .pace = pace,
    .busy = busy,
    .roofline = roofline,
};
