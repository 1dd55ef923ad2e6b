/* become_live.c -- from one program to the other, by exec. */
#include "cli/become_live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json/library.h"

bool dts_become_live(char **words, struct dts_error *err)
{
    char *program = dts_library_program("dtsim-live");
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
