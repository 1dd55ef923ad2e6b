/* chosen.h -- what a library of collectives chose for the operations of a point. */
#ifndef DTS_ANSWER_CHOSEN_H
#define DTS_ANSWER_CHOSEN_H

#include "plan/plan.h"

/* `chosen`: each choice, those of most data first, with the number of operations where there
 * are several: "nvls_tree/Simple, 8 channels (12); tree/LL128, 8 channels (2)". `why`: of the
 * operation with most data. Both "": no library chose. */
void dts_chosen_find(const struct dts_plan *plan, char *chosen, size_t chosen_room, char *why,
                     size_t why_room);

#endif
