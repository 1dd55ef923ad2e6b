/* progress.h -- how far a long piece of work is: one process says it, another one reads it.
 *
 * The memory is shared by a process and its children. To say something costs a store or two;
 * NULL, for nobody listens, is allowed everywhere.
 */
#ifndef DTS_BASE_PROGRESS_H
#define DTS_BASE_PROGRESS_H

#include <stddef.h>

struct dts_progress {
    volatile char part[40];     // what is being done: "routing messages"; "": nothing was said
    volatile double done, of;   // of 0: nobody knows how much there is
    volatile int round, rounds; // all of it is done several times; rounds 0: once
};

/* Memory for `count` of them that children share; NULL where the machine has none, which is
 * no error. */
struct dts_progress *dts_progress_share(int count);
void dts_progress_unshare(struct dts_progress *progress, int count);

void dts_progress_clear(struct dts_progress *progress);
void dts_progress_round(struct dts_progress *progress, int round, int rounds);

/* Something else begins, of so much; and how much of it is done. */
void dts_progress_begin(struct dts_progress *progress, const char *part, double of);

static inline void dts_progress_at(struct dts_progress *progress, double done)
{
    if (progress != NULL)
        progress->done = done;
}

static inline void dts_progress_more(struct dts_progress *progress)
{
    if (progress != NULL)
        progress->done = progress->done + 1;
}

/* "routing messages 37 %, run 2 of 3"; "" where nothing was said. */
void dts_progress_text(const struct dts_progress *progress, char *text, size_t room);

#endif
