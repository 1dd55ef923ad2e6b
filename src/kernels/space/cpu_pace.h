/* cpu_pace.h -- how fast this CPU runs at this moment.
 *
 * A virtual machine shares its cores: while the neighbour of a core is busy, products take much
 * longer, for seconds at a time. A fixed piece of work that lies in the
 * first-level cache, timed before and after what is measured, tells these times from others
 * (base/measure/pace.h), and leaves the other caches as they are.
 *
 * The piece is made of small products, as most of training is. The library computes them: its
 * code has the same address whatever is linked beside it. A loop of our own was twice as slow
 * in one program as in another that was linked from the same object.
 */
#ifndef DTS_KERNELS_SPACE_CPU_PACE_H
#define DTS_KERNELS_SPACE_CPU_PACE_H

#include "base/measure/pace.h"
#include "kernels/workers.h"

/* So many of the products, by every worker. */
void dts_cpu_products(struct dts_workers *workers, int count);

/* Every worker does the piece; `workers` (NULL: the calling thread alone) must outlive it. */
struct dts_pace dts_cpu_pace(struct dts_workers *workers);

#endif
