/* kept.h -- the answers of points that an earlier run of the same question had when it was
 * ended: beside the output, in OUTPUT.points, until the output is there.
 */
#ifndef DTS_ANSWER_KEPT_H
#define DTS_ANSWER_KEPT_H

#include <stdint.h>

#include "answer/result.h"

/* What tells a point apart from all others: version, inputs, strategy, devices (dts_kept_key).
 */
struct dts_kept_point {
    uint64_t key;
    struct dts_result result;
};

struct dts_kept {
    char *path; // owned; NULL: nothing is kept
    FILE *file; // NULL: nothing is written, or cannot be
    bool begun;
    struct dts_kept_point *points; // of earlier runs; owned
    size_t count, room;
};

/* Where the points of an output are kept; NULL: they are not. The caller frees it. */
char *dts_kept_path(const char *output);

/* Read what is there, and keep what comes. A file of that name that is none of ours stays as it
 * is, with a note. An output that is no file of its own ("-", a device) keeps nothing, nor does
 * a folder that cannot be written: the answer does not depend on it. */
void dts_kept_open(struct dts_kept *kept, const char *output);

uint64_t dts_kept_key(uint64_t scene, const char *strategy, int number, int devices);

/* The answer to a point, if it was kept; NULL: it was not. */
const struct dts_result *dts_kept_find(const struct dts_kept *kept, uint64_t key);

/* Keep one that is new. Failures of the machine, and what this build cannot do, are not kept.
 */
void dts_kept_add(struct dts_kept *kept, uint64_t key, const struct dts_result *result);

/* Close; `done`: the output is whole, and what was kept goes. Leaves it empty. */
void dts_kept_close(struct dts_kept *kept, bool done);

#endif
