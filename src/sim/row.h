/* row.h -- how a collective follows another one on its stream.
 *
 * The members of a chain or a tree do not end a collective at the same time: who is done goes
 * on to the next one while the rest still works, and takes a part of the network from them. So
 * two in a row are walked together (walk.h), for each pair of sizes that a job has.
 */
#ifndef DTS_SIM_ROW_H
#define DTS_SIM_ROW_H

#include "sim/load.h"
#include "sim/walk.h"

struct dts_rows; // all that were asked for; they are kept

struct dts_rows *dts_rows_new(const struct dts_simulation *simulation);
void dts_rows_free(struct dts_rows *rows);

/* The second of two collectives of one role, of which it is begun by who is done with the
 * first; after_s counts from when the first would end alone: the second's messages hold up its
 * last ones. First NULL: one alone. Where the first is not walked, or too many pairs were, it
 * counts as like the second. What is not walked goes in lockstep (period.h). */
struct dts_row dts_rows_find(struct dts_rows *rows, const struct dts_load *first,
                             const struct dts_load *second);

#endif
