/* progress.c -- how far a long piece of work is: one process says it, another one reads it. */
#include "base/progress.h"

#include <stdio.h>
#include <sys/mman.h>

struct dts_progress *dts_progress_share(int count)
{
    void *memory = mmap(NULL, (size_t)count * sizeof(struct dts_progress),
                        PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

void dts_progress_unshare(struct dts_progress *progress, int count)
{
    if (progress != NULL)
        munmap(progress, (size_t)count * sizeof(*progress));
}

void dts_progress_clear(struct dts_progress *progress)
{
    dts_progress_begin(progress, "", 0);
    dts_progress_round(progress, 0, 0);
}

void dts_progress_round(struct dts_progress *progress, int round, int rounds)
{
    if (progress == NULL)
        return;
    progress->round = round;
    progress->rounds = rounds;
}

void dts_progress_begin(struct dts_progress *progress, const char *part, double of)
{
    if (progress == NULL)
        return;
    progress->of = 0; // first: what was done is no part of what begins
    progress->done = 0;
    size_t i = 0;
    for (; part[i] != '\0' && i + 1 < sizeof(progress->part); i++)
        progress->part[i] = part[i];
    progress->part[i] = '\0'; // the last byte is never another: who reads finds an end
    progress->of = of;
}

void dts_progress_text(const struct dts_progress *progress, char *text, size_t room)
{
    char part[sizeof(progress->part)];
    text[0] = '\0';
    if (progress == NULL || progress->part[0] == '\0')
        return;
    for (size_t i = 0; i < sizeof(part); i++)
        part[i] = progress->part[i];
    part[sizeof(part) - 1] = '\0';
    double of = progress->of, done = progress->done;
    int used = snprintf(text, room, "%s", part);
    if (of > 0 && (size_t)used < room)
        used += snprintf(text + used, room - (size_t)used, " %.0f %%",
                         done < of ? 100 * done / of : 100);
    if (progress->rounds > 1 && (size_t)used < room)
        snprintf(text + used, room - (size_t)used, ", run %d of %d", progress->round,
                 progress->rounds);
}
