/* mem.c -- allocation; what fails ends the program. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

static void end_without_memory(size_t count, size_t size)
{
    fprintf(stderr, "dtsim: out of memory: %zu x %zu bytes\n", count, size);
    fflush(stdout);
    _exit(1); // exit() would wait for threads of libraries that try to get memory for ever
}

void *dts_alloc(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size > 0 ? size : 1);
    if (memory == NULL)
        end_without_memory(count, size);
    return memory;
}

void *dts_grow(void *items, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity)
        return items;
    size_t room = *capacity > 0 ? *capacity : 8;
    while (room < needed)
        room = room > SIZE_MAX / 2 ? needed : 2 * room;
    if (room > SIZE_MAX / size)
        end_without_memory(room, size);
    char *larger = realloc(items, room * size);
    if (larger == NULL)
        end_without_memory(room, size);
    memset(larger + *capacity * size, 0, (room - *capacity) * size);
    *capacity = room;
    return larger;
}

char *dts_copy(const char *string)
{
    size_t room = strlen(string) + 1;
    return memcpy(dts_alloc(room, 1), string, room);
}
