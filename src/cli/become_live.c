/* become_live.c -- from one program to the other, by exec. */
#include "cli/become_live.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

char *dts_program_beside(const char *name)
{
    char self[PATH_MAX];
    struct dts_text path = {0};
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash != NULL)
        dts_text_add_bytes(&path, self, (size_t)(slash - self) + 1);
    dts_text_add(&path, "%s", name);
    return dts_text_take(&path);
}

bool dts_become_live(char **words, struct dts_error *err)
{
    char *program = dts_program_beside("dtsim-live");
    // A thread that waits in Open MPI spins; so it lets others run (docs/live.md).
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    execv(program, words);
    if (errno == ENOENT)
        dts_fail(err, DTS_UNSUPPORTED,
                 "this build has no live program: it was built without MPI");
    else
        dts_fail(err, DTS_SYSTEM, "%s: cannot be run: %s", program, strerror(errno));
    free(program);
    return false;
}
