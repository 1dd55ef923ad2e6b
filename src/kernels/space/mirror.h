/* mirror.h -- an array that code of the host reads and writes, and kernels of a space
 * (space.h). Whoever hands over says so, by dts_mirror_store() and dts_mirror_fetch(); what
 * goes wrong then the space keeps.
 */
#ifndef DTS_KERNELS_SPACE_MIRROR_H
#define DTS_KERNELS_SPACE_MIRROR_H

#include "kernels/space/space.h"

/* An array on both sides. */
struct dts_mirror {
    struct dts_space *space;
    void *here, *there;
    size_t bytes;
    bool lent; // here is somebody else's
};

/* Zeros; here: memory for it (where the space is apart: dts_whole_pages()) that outlives the
 * mirror, or NULL: its own. */
bool dts_mirror_make(struct dts_mirror *mirror, struct dts_space *space, void *here,
                     size_t bytes, struct dts_error *err);
void dts_mirror_free(struct dts_mirror *mirror);

/* From now on it is that memory; what it holds does not come along. */
void dts_mirror_lie(struct dts_mirror *mirror, void *here);

/* So many bytes from `first` on, to here, and to there. */
void dts_mirror_fetch(const struct dts_mirror *mirror, int queue, size_t first, size_t bytes);
void dts_mirror_store(const struct dts_mirror *mirror, int queue, size_t first, size_t bytes);
void dts_mirror_fetch_all(const struct dts_mirror *mirror);
void dts_mirror_store_all(const struct dts_mirror *mirror);

#endif
