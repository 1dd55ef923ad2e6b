/* stand_in.c -- a device made of this machine's own memory and processor, in the place of a
 * GPU: the row `cuda` of the programs dtsim-live-stand-in and dtsim-measure-stand-in.
 *
 * What lies there is one piece of memory that nobody may touch but kernels, between enter and
 * leave, and copies: whoever forgets to copy has other numbers, whoever reads there dies. It
 * computes as the CPU does, so that ranks on it must get the same bits as ranks on a CPU.
 *
 *     DTSIM_STAND_IN_DEVICES   how many there are; without: 8
 *     DTSIM_STAND_IN_COPIES    so many copies out of it work, the next one fails
 *     DTSIM_STAND_IN_MPI       1: MPI reads and writes it by itself, between lend and
 * take_back; our own code may not
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "kernels/product/gemm.h"
#include "kernels/space/space.h"
#include "live/mpi_reads.h"

enum { ROOM = 1 << 28, ALIGN = 64, LEAST_PAGE = 4096, CACHE = 1 << 16 };

struct device {
    char *memory; // ROOM bytes, given out from the front
    size_t used;
    struct dts_workers *workers;
    pthread_mutex_t lock; // over the rest
    int inside;           // threads that may touch the memory now
    long copies;          // out of it that still work; below 0: all
};

extern const struct dts_space_kind dts_space_cpu;
const struct dts_space_kind dts_space_stand_in;
const struct dts_space_kind *const dts_spaces[] = {&dts_space_cpu, &dts_space_stand_in, NULL};

static long setting(const char *name, long otherwise)
{
    const char *word = getenv(name);
    return word != NULL ? strtol(word, NULL, 10) : otherwise;
}

static int count(const char **why)
{
    *why = "none was asked for";
    return (int)setting("DTSIM_STAND_IN_DEVICES", 8);
}

static void identity(int number, char id[DTS_SPACE_IDENTITY])
{
    memset(id, 0, DTS_SPACE_IDENTITY);
    memcpy(id, &number, sizeof(number));
}

static bool open(const struct dts_space_request *request, void **self, struct dts_place *place,
                 struct dts_error *err)
{
    void *memory =
        mmap(NULL, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return dts_fail(err, DTS_SYSTEM, "stand-in: no memory");
    struct device *d = dts_alloc(1, sizeof(*d));
    d->memory = memory;
    d->copies = setting("DTSIM_STAND_IN_COPIES", -1);
    d->workers = place->workers = dts_workers_new(request->threads);
    pthread_mutex_init(&d->lock, NULL);
    *self = d;
    return true;
}

static void close(void *self)
{
    struct device *d = self;
    munmap(d->memory, ROOM);
    dts_workers_free(d->workers);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

static void protect(struct device *d, int change)
{
    pthread_mutex_lock(&d->lock);
    d->inside += change;
    if (d->inside == 0 || (d->inside == 1 && change > 0))
        mprotect(d->memory, ROOM, d->inside > 0 ? PROT_READ | PROT_WRITE : PROT_NONE);
    pthread_mutex_unlock(&d->lock);
}

static void enter(void *self)
{
    protect(self, 1);
}

static bool leave(void *self, struct dts_error *err)
{
    (void)err;
    protect(self, -1);
    return true;
}

static bool get(void *self, size_t bytes, void **there, struct dts_error *err)
{
    struct device *d = self;
    const size_t needed = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    pthread_mutex_lock(&d->lock);
    const bool fits = needed <= ROOM - d->used;
    *there = d->memory + d->used; // never given out before: zeros
    d->used += fits ? needed : 0;
    pthread_mutex_unlock(&d->lock);
    return fits || dts_fail(err, DTS_SYSTEM, "stand-in: no memory for %zu bytes", bytes);
}

static void give_back(void *self, void *there)
{
    (void)self, (void)there; // all of it with the device
}

static bool clear(void *self, void *there, size_t bytes, struct dts_error *err)
{
    enter(self);
    memset(there, 0, bytes);
    return leave(self, err);
}

static void facts(void *self, struct dts_space_facts *facts)
{
    const struct device *d = self;
    snprintf(facts->name, sizeof(facts->name), "stand-in");
    snprintf(facts->library, sizeof(facts->library), "stand-in 1.0");
    facts->memory_bytes = ROOM;
    facts->spare_bytes = (double)(ROOM - d->used);
    facts->cache_bytes = CACHE;
    facts->clock_hz = 1e9;
}

static void touch(void *self, void *there, size_t bytes)
{
    volatile char *lines = there;
    enter(self);
    for (size_t i = 0; i < bytes; i += ALIGN)
        lines[i] = lines[i];
    protect(self, -1);
}

/* It has fp32; fp16 and bf16 are half as many numbers of that to it. */
static bool multiply(void *self, enum dts_precision precision, size_t side, const void *a,
                     const void *b, void *c)
{
    const struct device *d = self;
    const size_t n = side * dts_precision_bytes(precision) / sizeof(float);
    const struct dts_gemm product = {false, false, n, n, n, a, b, c, n, n, n, 0};
    const bool can = precision != DTS_FP64 && precision != DTS_TF32;
    if (can)
        dts_gemm(&product, d->workers);
    return can;
}

static bool pin(void *self, void *here, size_t bytes, struct dts_error *err)
{
    const struct device *d = self;
    const char *first = here;
    const bool theirs = first + bytes <= d->memory || first >= d->memory + ROOM;
    return (theirs && (uintptr_t)here % LEAST_PAGE == 0) ||
           dts_fail(err, DTS_SYSTEM, "stand-in: those are no pages of the host");
}

static void unpin(void *self, void *here)
{
    (void)self, (void)here;
}

static bool copy_in(void *self, int queue, void *there, const void *here, size_t bytes,
                    struct dts_error *err)
{
    (void)queue;
    enter(self);
    memcpy(there, here, bytes);
    return leave(self, err);
}

static bool copy_out(void *self, int queue, void *here, const void *there, size_t bytes,
                     struct dts_error *err)
{
    struct device *d = self;
    (void)queue;
    pthread_mutex_lock(&d->lock);
    const bool works = d->copies != 0;
    d->copies -= d->copies > 0;
    pthread_mutex_unlock(&d->lock);
    if (!works)
        return dts_fail(err, DTS_SYSTEM, "stand-in: a copy failed");
    enter(self);
    memcpy(here, there, bytes);
    return leave(self, err);
}

static bool wait(void *self, int queue, struct dts_error *err)
{
    (void)self, (void)queue, (void)err;
    return true;
}

/* Each thread for itself. */
static struct dts_place place_of(void *self, int queue)
{
    (void)self, (void)queue;
    return (struct dts_place){.workers = NULL};
}

static void take_back(void *self)
{
    protect(self, -1);
}

bool dts_mpi_reads(const char *device, const char **why)
{
    (void)device;
    *why = "the stand-in was not told so";
    return setting("DTSIM_STAND_IN_MPI", 0) == 1;
}

const struct dts_space_kind dts_space_stand_in = {
    .name = "cuda",
    .summary = "a stand-in for a GPU",
    .apart = true,
    .count = count,
    .identity = identity,
    .open = open,
    .close = close,
    .get = get,
    .give_back = give_back,
    .clear = clear,
    .facts = facts,
    .touch = touch,
    .roofline = dts_roofline_there,
    .pin = pin,
    .unpin = unpin,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .enter = enter,
    .leave = leave,
    .wait = wait,
    .place = place_of,
    .lend = enter,
    .take_back = take_back,
    .multiply = multiply,
};
