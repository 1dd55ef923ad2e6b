/* link_classes.h -- which links can be full first.
 *
 * Links that all costs load alike are full one after another, the narrowest first, whatever is
 * under way: the others of such a class have no say in how flows share. A job on thousands of
 * nodes has a few classes of links.
 */
#ifndef DTS_SIM_LOAD_LINK_CLASSES_H
#define DTS_SIM_LOAD_LINK_CLASSES_H

#include "sim/load/step_cost.h"

/* Fills `narrow` of each cost: its links but those of a class whose narrowest is another one.
 */
void dts_link_classes(const struct dts_net *net, struct dts_step_cost *const costs[],
                      size_t count);

#endif
