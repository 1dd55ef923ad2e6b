/* alltoall_levels.h -- the all-to-all of hierarchical.c: steps, messages and classes as
 * struct dts_coll has them. */
#ifndef DTS_PLAN_COLL_ALLTOALL_LEVELS_H
#define DTS_PLAN_COLL_ALLTOALL_LEVELS_H

#include "plan/coll/coll.h"

int dts_alltoall_steps(const struct dts_coll_shape *shape);
int dts_alltoall_step(const struct dts_coll_shape *shape, int member, int i,
                      struct dts_coll_message *messages);
int dts_alltoall_like(const struct dts_coll_shape *shape, int i);

#endif
