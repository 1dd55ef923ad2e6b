/* scratch.c -- makes a folder of our own, and removes what is in it. */
#include "base/os/scratch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/ending.h"
#include "base/text.h"

struct dts_scratch {
    char *folder; // owned
    char **files; // owned, and what they point to
    size_t count, room;
};

bool dts_scratch_open(struct dts_scratch **scratch, const char *name, struct dts_error *err)
{
    const char *temporary = getenv("TMPDIR");
    struct dts_text folder = {0};
    sigset_t before;
    dts_text_add(&folder, "%s/dtsim_%s_XXXXXX",
                 temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp", name);
    dts_ending_hold(&before);
    const bool made = mkdtemp(folder.chars) != NULL;
    if (made)
        dts_ending_remove(folder.chars);
    else
        dts_fail(err, DTS_SYSTEM, "%s: cannot be made: %s", folder.chars, strerror(errno));
    dts_ending_release(&before);
    if (made) {
        *scratch = dts_alloc(1, sizeof(**scratch));
        (*scratch)->folder = dts_text_take(&folder);
    }
    dts_text_free(&folder);
    return made;
}

const char *dts_scratch_file(struct dts_scratch *scratch, const char *name)
{
    struct dts_text path = {0};
    dts_text_add(&path, "%s/%s", scratch->folder, name);
    dts_ending_remove(path.chars);
    scratch->files =
        dts_grow(scratch->files, &scratch->room, scratch->count + 1, sizeof(*scratch->files));
    return scratch->files[scratch->count++] = dts_text_take(&path);
}

void dts_scratch_close(struct dts_scratch *scratch)
{
    for (size_t i = 0; i < scratch->count; i++) {
        unlink(scratch->files[i]); // not there: nobody wrote it
        dts_ending_keep(scratch->files[i]);
        free(scratch->files[i]);
    }
    rmdir(scratch->folder);
    dts_ending_keep(scratch->folder);
    free(scratch->folder);
    free(scratch->files);
    free(scratch);
}
