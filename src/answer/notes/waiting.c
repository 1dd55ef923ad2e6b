/* waiting.c -- a line on the terminal that says what the program is doing, and goes again. */
#include "answer/notes/waiting.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/terminal.h"
#include "base/progress.h"

enum { COLUMNS = 80, LINE = 512 }; // of a terminal that does not say; bytes

struct dts_waiting {
    pid_t pid;
    double begun_s;
    struct dts_progress *progress; // what is done; NULL: this machine has no memory for it
};

/* A line that is cut in the middle of a character would be worse than a short one. */
static size_t cut(char *line, size_t length)
{
    const int terminal = dts_terminal_columns(STDERR_FILENO);
    const size_t columns = terminal > 0 ? (size_t)terminal : COLUMNS;
    if (length >= columns)
        length = columns - 1;
    while (length > 0 && ((unsigned char)line[length] & 0xc0) == 0x80)
        length--;
    line[length] = '\0';
    return length;
}

void dts_waiting_show(const char *format, ...)
{
    char line[LINE];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    cut(line, length < LINE ? (size_t)length : LINE - 1);
    fprintf(stderr, "\r\033[K%s", line);
}

void dts_waiting_clear(void)
{
    fprintf(stderr, "\r\033[K");
}

/* The process beside: ends with its parent. */
static void tick(const char *what, pid_t parent, const struct dts_waiting *waiting)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sleep(DTS_SILENT_S);
    while (getppid() == parent) {
        char done[128];
        dts_progress_text(waiting->progress, done, sizeof(done));
        dts_waiting_show("%s, %.0f s", done[0] != '\0' ? done : what,
                         dts_now_s() - waiting->begun_s);
        usleep(500000);
    }
    _exit(0);
}

struct dts_waiting *dts_waiting_begin(const char *what, double of)
{
    if (!isatty(STDERR_FILENO))
        return NULL;
    struct dts_waiting *waiting = dts_alloc(1, sizeof(*waiting));
    waiting->begun_s = dts_now_s();
    waiting->progress = dts_progress_share(1);
    dts_progress_begin(waiting->progress, what, of);
    fflush(NULL);
    pid_t parent = getpid();
    waiting->pid = fork();
    if (waiting->pid == 0)
        tick(what, parent, waiting);
    return waiting;
}

void dts_waiting_more(struct dts_waiting *waiting)
{
    if (waiting != NULL)
        dts_progress_more(waiting->progress);
}

void dts_waiting_end(struct dts_waiting *waiting)
{
    if (waiting == NULL)
        return;
    if (waiting->pid > 0) { // else this machine gave no process
        kill(waiting->pid, SIGKILL);
        while (waitpid(waiting->pid, NULL, 0) < 0 && errno == EINTR)
            ;
        if (dts_now_s() - waiting->begun_s >= DTS_SILENT_S)
            dts_waiting_clear();
    }
    dts_progress_unshare(waiting->progress, 1);
    free(waiting);
}
