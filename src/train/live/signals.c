/* signals.c -- mpirun ends all ranks by SIGTERM when one of them died or when it was
 * itself interrupted. Its threads may be inside MPI, which cannot be tidied up; but a
 * prediction under way ends, and files that are not whole go.
 */
#include "train/live/signals.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/os/ending.h"

static void end_silently(int number)
{
    (void)number;
    dts_ending_tidy();
    _exit(DTS_SYSTEM);
}

static void end_aloud(int number)
{
    static const char line[] =
        "dtsim: the run was ended: Ctrl-C, or a rank that died (mpirun says which)\n";
    (void)number;
    ssize_t written = write(STDERR_FILENO, line, sizeof(line) - 1);
    (void)written; // there is nobody else to tell
    dts_ending_tidy();
    _exit(DTS_SYSTEM);
}

void dts_live_signals(bool speaks)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    sigfillset(&action.sa_mask); // one signal is enough
    signal(SIGXFSZ, SIG_IGN);    // a file that may grow no more is an error of write()
    action.sa_handler = speaks ? end_aloud : end_silently;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        sigaction(numbers[i], &action, NULL);
}
