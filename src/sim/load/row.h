/* row.h -- how a collective follows another one on its stream.
 *
 * The members of a chain or a tree do not end a collective at the same time: who is done goes
 * on to the next one while the rest still works, and takes a part of the network from them. So
 * two in a row are walked together (walk.h), for each pair of sizes that a job has.
 *
 * Nor do they begin the first of the two together, if that had another one before it. Rings
 * that share a port, a little apart from each other, hide each other's latency, which they pay
 * in every step where they go together. So the walk begins as the one before it ended.
 */
#ifndef DTS_SIM_LOAD_ROW_H
#define DTS_SIM_LOAD_ROW_H

#include "sim/load/load.h"
#include "sim/load/walk.h"

struct dts_rows; // all that were asked for; they are kept

/* Two collectives of one role, of which the second is begun by who is done with the first. */
struct dts_row_pair {
    const struct dts_load *first, *second;
    int place;             // the second's in the plans; -1: none
    const double *begun_s; // by member: when it began the first; NULL: all at once
    struct dts_walk_gap between;
};

struct dts_follow {
    struct dts_row row; // the second
    double held_s;      // by so much its messages hold up the last members of the first
    bool as_asked;      // of that pair, not of another one that counts instead

    /* By member, in seconds after the first member; who has no part is with the first. NULL:
     * all at once, or not walked. Valid as long as the rows. Where another pair counts instead,
     * they are those of that pair. */
    const double *first_ended_s; // the first ended; NULL, too: there is none
    const double *begun_s;       // the second begun
    const double *ended_s;       // the second ended, if none is behind it
};

struct dts_rows *dts_rows_new(const struct dts_simulation *simulation);
void dts_rows_free(struct dts_rows *rows);

/* One that follows none. begun_s: as of a pair; after_s counts from when the last one begins.
 */
struct dts_follow dts_rows_alone(struct dts_rows *rows, const struct dts_load *load,
                                 const double *begun_s);

/* What is asked for again at its place is not walked again; nor, when many messages
 * have been walked, at another place: then the last pair of the same sizes counts, which came
 * about another way. Where the first is not walked, or too many unlike pairs were, it counts as
 * like the second. What is not walked goes in lockstep (lockstep.h). */
struct dts_follow dts_rows_behind(struct dts_rows *rows, const struct dts_row_pair *pair);

#endif
