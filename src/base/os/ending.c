/* ending.c -- tables of what is left behind, and the handler that clears them. It may do only
 * what is safe in a handler (signal-safety(7)): tables are fixed, nothing is allocated. */
#include "base/os/ending.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATHS = 32, CHILDREN = 8 };

static struct {
    pid_t owner; // 0: free
    char path[PATH_MAX];
} paths[PATHS];

static struct {
    pid_t owner, child;
} children[CHILDREN];

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
enum { NUMBERS = sizeof(numbers) / sizeof(numbers[0]) };

void dts_ending_hold(sigset_t *before)
{
    sigset_t held;
    sigemptyset(&held);
    for (int i = 0; i < NUMBERS; i++)
        sigaddset(&held, numbers[i]);
    sigprocmask(SIG_BLOCK, &held, before);
}

void dts_ending_release(const sigset_t *before)
{
    sigprocmask(SIG_SETMASK, before, NULL);
}

void dts_ending_remove(const char *path)
{
    sigset_t before;
    dts_ending_hold(&before);
    int last = PATHS; // behind all that are taken: later ones go first
    while (last > 0 && paths[last - 1].owner != getpid())
        last--;
    if (last < PATHS && strlen(path) < sizeof(paths[0].path)) {
        strcpy(paths[last].path, path);
        paths[last].owner = getpid();
    }
    dts_ending_release(&before);
}

void dts_ending_keep(const char *path)
{
    sigset_t before;
    dts_ending_hold(&before);
    for (int i = 0; i < PATHS; i++)
        if (paths[i].owner == getpid() && strcmp(paths[i].path, path) == 0)
            paths[i].owner = 0;
    dts_ending_release(&before);
}

void dts_ending_child(pid_t child)
{
    sigset_t before;
    dts_ending_hold(&before);
    int i = 0;
    while (i < CHILDREN && children[i].owner == getpid())
        i++;
    if (i < CHILDREN) {
        children[i].child = child;
        children[i].owner = getpid();
    }
    dts_ending_release(&before);
}

void dts_ending_no_child(pid_t child)
{
    sigset_t before;
    dts_ending_hold(&before);
    for (int i = 0; i < CHILDREN; i++)
        if (children[i].owner == getpid() && children[i].child == child)
            children[i].owner = 0;
    dts_ending_release(&before);
}

static void remove_all(void)
{
    const pid_t self = getpid();
    for (int i = PATHS - 1; i >= 0; i--)
        if (paths[i].owner == self && unlink(paths[i].path) != 0)
            rmdir(paths[i].path);
}

void dts_ending_tidy(void)
{
    const pid_t self = getpid();
    for (int i = 0; i < CHILDREN; i++)
        if (children[i].owner == self)
            kill(children[i].child, SIGTERM);
    remove_all(); // before it waits: mpirun may kill it as soon as another rank has ended
    for (int i = 0; i < CHILDREN; i++)
        while (children[i].owner == self && waitpid(children[i].child, NULL, 0) < 0 &&
               errno == EINTR)
            ;
    remove_all(); // what they wrote meanwhile
}

static void end(int number)
{
    sigset_t self;
    dts_ending_tidy();
    signal(number, SIG_DFL);
    sigemptyset(&self);
    sigaddset(&self, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &self, NULL); // now it ends
}

void dts_ending_watch(void)
{
    struct sigaction action = {.sa_handler = end}, before;
    for (int i = 0; i < NUMBERS; i++)
        sigaddset(&action.sa_mask, numbers[i]); // one is enough
    for (int i = 0; i < NUMBERS; i++)
        if (sigaction(numbers[i], NULL, &before) == 0 &&
            (before.sa_handler != SIG_IGN || numbers[i] == SIGTERM))
            sigaction(numbers[i], &action, NULL);
}
