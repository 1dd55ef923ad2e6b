/* cpu_pace.h -- how fast this CPU runs at this moment.
 *
 * A virtual machine shares its cores: while the neighbour of a core is busy, products take 1.4
 * to 1.8 times as long, for seconds at a time. A fixed piece of work in registers and the
 * first-level cache, timed before and after what is measured, tells these times from others
 * (kernels/pace.h), and leaves the caches as they are.
 */
#ifndef DTS_OPS_CPU_PACE_H
#define DTS_OPS_CPU_PACE_H

#include "kernels/pace.h"
#include "ops/workers.h"

/* Every worker does the piece; `workers` (NULL: the calling thread alone) must outlive it. */
struct dts_pace dts_cpu_pace(struct dts_workers *workers);

#endif
