/* links.h -- what each link of the network carries in one step, as JSON, for pictures. */
#ifndef DTS_ANSWER_DRAWN_LINKS_H
#define DTS_ANSWER_DRAWN_LINKS_H

#include "sim/load/load.h"

/* Writes `path`, schema "dtsim-links/1": `nodes`; `kinds`, links with names that differ in
 * numbers alone ("node*.nic*.out"), each with how many carry something (`count`), its busiest
 * link and what that carries, and `share`, 1 to 100 of its links from the busiest on; and where
 * there are few, all `links` that carry something, with the numbers of the places that they
 * join (`from`, `to`; cables alone have them; within nodes `from_name`, `to_name`). Shares are
 * bytes of a step / bytes per second of the link / `step_s`. */
bool dts_links_write(const char *path, const struct dts_simulation *simulation,
                     struct dts_loader *loader, double step_s, struct dts_error *err);

#endif
