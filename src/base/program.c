/* program.c -- starts a program and waits for it. */
#include "base/program.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

bool dts_program_run(char *const *words, const char *meaning, struct dts_error *err)
{
    pid_t child;
    int status = -1;
    const int code = posix_spawn(&child, words[0], NULL, NULL, words, environ);
    if (code != 0)
        return dts_fail(err, DTS_SYSTEM, "%s: cannot be run: %s", words[0], strerror(code));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return dts_fail(err, DTS_SYSTEM, "%s failed: %s", words[0], meaning);
    return true;
}
