/* workers.h -- threads that share the work of one operation on a CPU.
 *
 *     static void part(void *argument, int worker, int workers) { ... its share ... }
 *     dts_workers_run(workers, part, &argument);
 *
 * A run ends when all parts are done. Which worker does which share depends on the numbers
 * alone, so that results do not depend on timing. Workers wait without using the processor.
 */
#ifndef DTS_KERNELS_WORKERS_H
#define DTS_KERNELS_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

struct dts_workers;

/* threads >= 1, the calling one among them. Sets OpenBLAS to one thread: products are split
 * by gemm.h. */
struct dts_workers *dts_workers_new(int threads);
void dts_workers_free(struct dts_workers *workers); // NULL: nothing

int dts_workers_count(const struct dts_workers *workers); // NULL: 1
void dts_workers_run(struct dts_workers *workers,
                     void (*part)(void *argument, int worker, int workers), void *argument);

/* The share of a worker of `count` things: first .. first + result - 1. */
size_t dts_share_of(size_t count, int worker, int workers, size_t *first);

#endif
