/* space.c -- memory where kernels read and write, of whichever device. */
#include "kernels/space/space.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct dts_space {
    const struct dts_space_kind *kind;
    void *self;
    struct dts_place place;
    pthread_mutex_t lock;
    struct dts_error trouble; // the first; under the lock
};

extern const struct dts_space_kind dts_space_cpu;

const struct dts_space_kind *dts_space_find(const char *name)
{
    for (int i = 0; dts_spaces[i] != NULL; i++)
        if (strcmp(dts_spaces[i]->name, name) == 0)
            return dts_spaces[i];
    return NULL;
}

bool dts_space_choose(const struct dts_space_kind **kind, const char *what, const char *name,
                      int number, struct dts_error *err)
{
    const char *why = NULL;
    *kind = dts_space_find(name);
    const int devices = *kind != NULL ? (*kind)->count(&why) : 0;
    if (devices == 0)
        return dts_fail(err, DTS_UNSUPPORTED, "%s: %s: this machine has none: %s", what, name,
                        why != NULL ? why : "not a device");
    return number < devices ||
           dts_fail(err, DTS_UNSUPPORTED, "%s: %s:%d: this machine has %d, from %s:0 on", what,
                    name, number, devices, name);
}

bool dts_space_open(struct dts_space **out, const struct dts_space_kind *kind,
                    const struct dts_space_request *request, struct dts_error *err)
{
    struct dts_space *space = dts_alloc(1, sizeof(*space));
    space->kind = kind;
    if (!kind->open(request, &space->self, &space->place, err)) {
        free(space);
        return false;
    }
    pthread_mutex_init(&space->lock, NULL);
    *out = space;
    return true;
}

void dts_space_close(struct dts_space *space)
{
    if (space == NULL)
        return;
    space->kind->close(space->self);
    pthread_mutex_destroy(&space->lock);
    free(space);
}

const struct dts_place *dts_space_place(const struct dts_space *space)
{
    return &space->place;
}

struct dts_error dts_space_trouble(struct dts_space *space)
{
    pthread_mutex_lock(&space->lock);
    const struct dts_error trouble = space->trouble;
    pthread_mutex_unlock(&space->lock);
    return trouble;
}

static void keep(struct dts_space *space, const struct dts_error *err)
{
    pthread_mutex_lock(&space->lock);
    if (space->trouble.cause == DTS_NO_ERROR)
        space->trouble = *err;
    pthread_mutex_unlock(&space->lock);
}

void dts_space_facts(const struct dts_space *space, struct dts_space_facts *facts)
{
    *facts = (struct dts_space_facts){.threads = 0};
    space->kind->facts(space->self, facts);
}

void dts_space_busy(struct dts_space *space)
{
    if (space->kind->busy != NULL)
        space->kind->busy(space->self);
}

bool dts_space_tires(const struct dts_space *space)
{
    return space->kind->busy != NULL;
}

struct dts_pace dts_space_pace(const struct dts_space *space)
{
    return space->kind->pace != NULL ? space->kind->pace(space->self)
                                     : (struct dts_pace){.take_s = NULL};
}

bool dts_space_roofline(struct dts_space *space, double budget_s, struct dts_roofline *out,
                        struct dts_roofline_words *words, struct dts_error *err)
{
    return space->kind->roofline(space, budget_s, out, words, err);
}

bool dts_space_multiply(const struct dts_space *space, enum dts_precision precision,
                        size_t side, const void *a, const void *b, void *c)
{
    return space->kind->multiply(space->self, precision, side, a, b, c);
}

bool dts_space_is_apart(const struct dts_space *space)
{
    return space != NULL && space->kind->apart;
}

static const struct dts_space_kind *kind_of(const struct dts_space *space)
{
    return space != NULL ? space->kind : &dts_space_cpu;
}

static void *self_of(const struct dts_space *space)
{
    return space != NULL ? space->self : NULL;
}

bool dts_space_get(struct dts_space *space, size_t bytes, void **there, struct dts_error *err)
{
    return kind_of(space)->get(self_of(space), bytes, there, err);
}

void dts_space_give_back(struct dts_space *space, void *there)
{
    if (there != NULL)
        kind_of(space)->give_back(self_of(space), there);
}

void dts_space_clear(struct dts_space *space, void *there, size_t bytes)
{
    struct dts_error err = {0};
    if (!kind_of(space)->clear(self_of(space), there, bytes, &err))
        keep(space, &err);
}

void dts_space_touch(struct dts_space *space, void *there, size_t bytes)
{
    kind_of(space)->touch(self_of(space), there, bytes);
}

void dts_space_fill(struct dts_space *space, void *there, size_t bytes, const void *pattern,
                    size_t period)
{
    struct dts_error err = {0};
    bool good = true;
    for (size_t at = 0; at < bytes && good; at += period) {
        const size_t count = bytes - at < period ? bytes - at : period;
        char *to = (char *)there + at;
        if (dts_space_is_apart(space))
            good = space->kind->copy_in(space->self, 0, to, pattern, count, &err);
        else
            memcpy(to, pattern, count);
    }
    if (!good)
        keep(space, &err);
}

void dts_space_enter(struct dts_space *space)
{
    if (dts_space_is_apart(space))
        space->kind->enter(space->self);
}

void dts_space_leave(struct dts_space *space)
{
    struct dts_error err = {0};
    if (dts_space_is_apart(space) && !space->kind->leave(space->self, &err))
        keep(space, &err);
}

void dts_space_wait_for(struct dts_space *space, int queue)
{
    struct dts_error err = {0};
    if (dts_space_is_apart(space) && !space->kind->wait(space->self, queue, &err))
        keep(space, &err);
}

void dts_space_wait(struct dts_space *space)
{
    dts_space_wait_for(space, 0);
}

struct dts_place dts_space_queue(const struct dts_space *space, int queue)
{
    return space->kind->place(space->self, queue);
}

bool dts_space_lends(const struct dts_space *space)
{
    return dts_space_is_apart(space) && space->kind->lend != NULL;
}

void dts_space_lend(const struct dts_space *space)
{
    space->kind->lend(space->self);
}

void dts_space_take_back(const struct dts_space *space)
{
    space->kind->take_back(space->self);
}

void dts_space_copy_out(struct dts_space *space, int queue, void *here, const void *there,
                        size_t bytes)
{
    struct dts_error err = {0};
    if (bytes > 0 && dts_space_is_apart(space) &&
        !space->kind->copy_out(space->self, queue, here, there, bytes, &err))
        keep(space, &err);
}

void dts_space_copy_in(struct dts_space *space, int queue, void *there, const void *here,
                       size_t bytes)
{
    struct dts_error err = {0};
    if (bytes > 0 && dts_space_is_apart(space) &&
        !space->kind->copy_in(space->self, queue, there, here, bytes, &err))
        keep(space, &err);
}

void dts_space_pin(struct dts_space *space, void *here, size_t bytes)
{
    struct dts_error err = {0};
    if (bytes > 0 && dts_space_is_apart(space) &&
        !space->kind->pin(space->self, here, bytes, &err))
        keep(space, &err);
}

void dts_space_unpin(struct dts_space *space, void *here, size_t bytes)
{
    if (bytes > 0 && dts_space_is_apart(space))
        space->kind->unpin(space->self, here);
}

const void *dts_space_look(struct dts_space *space, const void *there, size_t bytes,
                           void **copy)
{
    *copy = NULL;
    if (!dts_space_is_apart(space))
        return there;
    *copy = dts_alloc(bytes > 0 ? bytes : 1, 1);
    dts_space_copy_out(space, 0, *copy, there, bytes);
    return *copy;
}
