/* tuner_sharp.h -- what NCCL's tuner expects of sums in the switches of the network (CollNet),
 * from 2.17 on; for tuner.c. Latencies are in us, bandwidths in GB/s.
 */
#ifndef DTS_PLAN_COLL_CHOICE_TUNER_SHARP_H
#define DTS_PLAN_COLL_CHOICE_TUNER_SHARP_H

#include "plan/coll/choice/tuner.h"

/* All-reduces between nodes with Simple, where the network's switches sum. */
bool dts_choice_sharp_works(const struct dts_choice_call *call);

/* Of a bus of that bandwidth. */
double dts_choice_sharp_bus(const struct dts_choice_call *call, double bus);

/* Without what a NIC's plugin adds. */
double dts_choice_sharp_us(const struct dts_choice_call *call);

#endif
