/* program.c -- starts a program and waits for it. */
#include "base/os/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/ending.h"
#include "base/text.h"

extern char **environ;

/* Who ends this program by a signal ends the other, too. */
static bool start(char *const *words, const posix_spawn_file_actions_t *actions, pid_t *child,
                  struct dts_error *err)
{
    posix_spawnattr_t attributes;
    sigset_t before;
    dts_ending_hold(&before);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &before);
    const int code = posix_spawn(child, words[0], actions, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    if (code == 0)
        dts_ending_child(*child);
    dts_ending_release(&before);
    return code == 0 ||
           dts_fail(err, DTS_SYSTEM, "%s: cannot be run: %s", words[0], strerror(code));
}

/* Until it has ended; its status. */
static int wait_for(pid_t child, const struct dts_program_wait *wait)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    const double since_s = dts_now_s();
    int status = -1;
    for (;;) {
        const pid_t ended = waitpid(child, &status, wait != NULL ? WNOHANG : 0);
        if (ended == child || (ended < 0 && errno != EINTR)) {
            dts_ending_no_child(child);
            return status;
        }
        if (wait == NULL || ended < 0)
            continue;
        wait->waits(wait->self, dts_now_s() - since_s);
        nanosleep(&pause, NULL);
    }
}

bool dts_program_run(char *const *words, const char *meaning, struct dts_error *err)
{
    pid_t child;
    if (!start(words, NULL, &child, err))
        return false;
    const int status = wait_for(child, NULL);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return dts_fail(err, DTS_SYSTEM, "%s failed: %s", words[0], meaning);
    return true;
}

/* The last line of ours in the file; "": it has none. */
static void last_line(const char *path, char *line, size_t room)
{
    static const char ours[] = "dtsim"; // "dtsim: ", "dtsim-measure: "
    char read[1024];                    // longer ones are cut
    FILE *in = fopen(path, "re");
    line[0] = '\0';
    while (in != NULL && fgets(read, sizeof(read), in) != NULL)
        if (strncmp(read, ours, strlen(ours)) == 0 && strstr(read, ": ") != NULL) {
            read[strcspn(read, "\n")] = '\0';
            snprintf(line, room, "%s", strstr(read, ": ") + 2);
        }
    if (in != NULL)
        fclose(in);
}

static bool explain(const char *program, int status, const char *said, struct dts_error *err)
{
    char line[1024];
    const bool exited = WIFEXITED(status);
    if (exited && WEXITSTATUS(status) == 0)
        return true;
    last_line(said, line, sizeof(line));
    if (exited && WEXITSTATUS(status) <= DTS_UNSUPPORTED && line[0] != '\0')
        return dts_fail(err, (enum dts_cause)WEXITSTATUS(status), "%s", line);
    return dts_fail(err, DTS_SYSTEM, "%s failed: %s %d", program,
                    exited ? "it ended with status" : "it was ended by signal",
                    exited ? WEXITSTATUS(status) : WTERMSIG(status));
}

static bool start_saying(char *const *words, const char *said, pid_t *child,
                         struct dts_error *err)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, said,
                                     O_WRONLY | O_CREAT | O_APPEND, 0600);
    const bool started = start(words, &actions, child, err);
    posix_spawn_file_actions_destroy(&actions);
    return started;
}

bool dts_program_ask(char *const *words, const char *said, const struct dts_program_wait *wait,
                     struct dts_error *err)
{
    pid_t child;
    return start_saying(words, said, &child, err) &&
           explain(words[0], wait_for(child, wait), said, err);
}

char *dts_program_find(const char *name)
{
    const char *folder = getenv("PATH");
    while (folder != NULL && *folder != '\0') {
        const size_t length = strcspn(folder, ":");
        struct dts_text path = {0};
        struct stat status;
        dts_text_add(&path, "%.*s/%s", (int)length, folder, name);
        if (folder[0] == '/' && stat(path.chars, &status) == 0 && S_ISREG(status.st_mode) &&
            access(path.chars, X_OK) == 0)
            return dts_text_take(&path);
        dts_text_free(&path);
        folder += length + (folder[length] == ':');
    }
    return NULL;
}

/* The last line of a file that has words; "": it has none. */
static void last_words(const char *path, char *line, size_t room)
{
    char read[1024];
    FILE *in = fopen(path, "re");
    line[0] = '\0';
    while (in != NULL && fgets(read, sizeof(read), in) != NULL) {
        const char *words = read + strspn(read, " \t\n");
        if (*words != '\0')
            snprintf(line, room, "%.*s", (int)strcspn(words, "\n"), words);
    }
    if (in != NULL)
        fclose(in);
}

bool dts_program_filter(char *const *words, const struct dts_program_files *files,
                        struct dts_error *err)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    char line[512];
    const int write = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, files->in, O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, files->out, write, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, files->said, write, 0600);
    const bool started = start(words, &actions, &child, err);
    posix_spawn_file_actions_destroy(&actions);
    if (!started)
        return false;
    const int status = wait_for(child, NULL);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    last_words(files->said, line, sizeof(line));
    return dts_fail(err, DTS_SYSTEM, "%s failed: %s %d%s%s", words[0],
                    WIFEXITED(status) ? "it ended with status" : "it was ended by signal",
                    WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
                    line[0] != '\0' ? ": " : "", line);
}

/* Those that run; 0: the place is free. */
static void end_all(pid_t *children, int count)
{
    for (int i = 0; i < count; i++)
        if (children[i] > 0)
            kill(children[i], SIGTERM);
    for (int i = 0; i < count; i++)
        if (children[i] > 0)
            wait_for(children[i], NULL);
}

/* The number of a child of ours that has ended; -1: there is none. */
static int next_end(pid_t *children, int count, int *status)
{
    for (int i = 0; i < count; i++) {
        const pid_t ended = children[i] > 0 ? waitpid(children[i], status, WNOHANG) : 0;
        if (ended == children[i] && ended > 0) {
            dts_ending_no_child(ended);
            children[i] = 0;
            return i;
        }
    }
    return -1;
}

bool dts_programs_ask(const struct dts_programs *all, struct dts_error *err)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    pid_t *children = dts_alloc((size_t)all->count, sizeof(*children));
    int started = 0, running = 0, status = 0;
    bool good = true;
    while (good && (started < all->count || running > 0)) {
        const int ended = next_end(children, started, &status);
        if (ended >= 0) {
            running--;
            good = explain(all->words[ended][0], status, all->said, err) &&
                   all->ended(all->self, ended, err);
        } else if (started < all->count && running < all->at_once) {
            good = start_saying(all->words[started], all->said, &children[started], err);
            started += good;
            running += good;
        } else {
            nanosleep(&pause, NULL);
        }
    }
    end_all(children, started);
    free(children);
    return good;
}
