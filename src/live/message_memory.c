/* message_memory.c -- the memory of the host. */
#include "live/message_memory.h"

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

const struct dts_message_memory_kind dts_message_memory_host = {
    .get = get,
    .give_back = give_back,
    .pack = pack,
    .take = take,
    .add = add,
    .round = round_values,
};

static const struct dts_message_memory_kind *kind_of(const struct dts_message_memory *memory)
{
    return memory != NULL ? memory->kind : &dts_message_memory_host;
}

static void *self_of(const struct dts_message_memory *memory)
{
    return memory != NULL ? memory->self : NULL;
}

void dts_message_memory_give_back(const struct dts_message_memory *memory, void *there)
{
    kind_of(memory)->give_back(self_of(memory), there);
}

void *dts_message_memory_grow(const struct dts_message_memory *memory, void *there,
                              size_t *room, size_t bytes)
{
    if (bytes <= *room)
        return there;
    dts_message_memory_give_back(memory, there);
    *room = bytes > 2 * *room ? bytes : 2 * *room; // seldom, then
    return kind_of(memory)->get(self_of(memory), *room);
}

void dts_message_memory_lend(const struct dts_message_memory *memory)
{
    if (kind_of(memory)->lend != NULL)
        kind_of(memory)->lend(self_of(memory));
}

void dts_message_memory_take_back(const struct dts_message_memory *memory)
{
    if (kind_of(memory)->take_back != NULL)
        kind_of(memory)->take_back(self_of(memory));
}
