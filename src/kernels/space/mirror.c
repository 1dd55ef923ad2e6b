/* mirror.c -- arrays that are there twice, or once. */
#include "kernels/space/mirror.h"

#include <stdlib.h>
#include <string.h>

#include "base/os/pages.h"

/* Its own memory is given back, somebody else's is left. */
static void leave_here(struct dts_mirror *m)
{
    if (m->here != NULL)
        dts_space_unpin(m->space, m->here, m->bytes);
    if (!m->lent && dts_space_is_apart(m->space))
        free(m->here); // whole pages
    else if (!m->lent)
        dts_space_give_back(NULL, m->here);
}

void dts_mirror_lie(struct dts_mirror *m, void *here)
{
    leave_here(m);
    m->here = here;
    m->lent = true;
    if (!dts_space_is_apart(m->space))
        m->there = here;
    dts_space_pin(m->space, here, m->bytes);
}

bool dts_mirror_make(struct dts_mirror *m, struct dts_space *space, void *here, size_t bytes,
                     struct dts_error *err)
{
    const bool apart = dts_space_is_apart(space);
    void *own = NULL;
    *m = (struct dts_mirror){.space = space, .bytes = bytes};
    if (apart && here == NULL && (own = dts_whole_pages(bytes)) == NULL)
        return dts_fail(err, DTS_SYSTEM, "no memory for %.3g GB", (double)bytes / 1e9);
    if (!apart && here == NULL && !dts_space_get(NULL, bytes, &own, err))
        return false;
    dts_mirror_lie(m, here != NULL ? memset(here, 0, bytes) : own);
    m->lent = here != NULL;
    return !apart || dts_space_get(space, bytes, &m->there, err);
}

void dts_mirror_free(struct dts_mirror *m)
{
    leave_here(m);
    if (dts_space_is_apart(m->space))
        dts_space_give_back(m->space, m->there);
    *m = (struct dts_mirror){.bytes = 0};
}

void dts_mirror_fetch(const struct dts_mirror *m, int queue, size_t first, size_t bytes)
{
    if (bytes > 0) // of nothing there may be no memory to be an offset into
        dts_space_copy_out(m->space, queue, (char *)m->here + first,
                           (const char *)m->there + first, bytes);
}

void dts_mirror_store(const struct dts_mirror *m, int queue, size_t first, size_t bytes)
{
    if (bytes > 0)
        dts_space_copy_in(m->space, queue, (char *)m->there + first,
                          (const char *)m->here + first, bytes);
}

void dts_mirror_fetch_all(const struct dts_mirror *m)
{
    dts_mirror_fetch(m, 0, 0, m->bytes);
}

void dts_mirror_store_all(const struct dts_mirror *m)
{
    dts_mirror_store(m, 0, 0, m->bytes);
}
