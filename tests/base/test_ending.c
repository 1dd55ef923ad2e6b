/* test_ending.c -- a program that a signal ends leaves nothing behind. */
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/ending.h"
#include "base/os/file.h"
#include "base/os/program.h"
#include "base/os/scratch.h"
#include "check.h"

static char folder[64];

static int entries(void)
{
    int count = 0;
    DIR *open = opendir(folder);
    while (open != NULL && readdir(open) != NULL)
        count++;
    closedir(open);
    return count - 2;
}

static void begin(void)
{
    strcpy(folder, "/tmp/dtsim_ending_XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    setenv("TMPDIR", folder, 1);
}

static void write_plainly(const char *path)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    fclose(file);
}

/* What a process of its own ends with. */
static int ends(void (*run)(void))
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        dts_ending_watch();
        run();
        _exit(0);
    }
    waitpid(child, &status, 0);
    return status;
}

static void a_scratch_folder_is_in_tmpdir_and_goes_with_its_files(void)
{
    struct dts_error err = {0};
    struct dts_scratch *scratch;
    begin();
    CHECK(dts_scratch_open(&scratch, "toy", &err));
    const char *path = dts_scratch_file(scratch, "a");
    CHECK(strncmp(path, folder, strlen(folder)) == 0);
    CHECK(strstr(path, "/dtsim_toy_") != NULL);
    write_plainly(path);
    dts_scratch_file(scratch, "never written");
    CHECK_INT(entries(), 1);
    dts_scratch_close(scratch);
    CHECK_INT(entries(), 0);
    rmdir(folder);
    CHECK(!dts_scratch_open(&scratch, "toy", &err)); // no such folder
    CHECK(strstr(err.text, "dtsim_toy_") != NULL);
}

static void leave_all_kinds(void)
{
    struct dts_error err = {0};
    struct dts_scratch *scratch;
    struct dts_output out;
    char path[128];
    if (!dts_scratch_open(&scratch, "toy", &err))
        return;
    write_plainly(dts_scratch_file(scratch, "a"));
    snprintf(path, sizeof(path), "%s/result", folder);
    if (!dts_output_open(&out, path, &err) || entries() != 2)
        return;
    raise(SIGTERM);
}

static void a_signal_ends_it_and_nothing_is_left(void)
{
    begin();
    const int status = ends(leave_all_kinds);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    CHECK_INT(entries(), 0);
    rmdir(folder);
}

static void only_raise(void)
{
    raise(SIGINT);
}

static void a_child_removes_nothing_of_its_parent(void)
{
    struct dts_error err = {0};
    struct dts_scratch *scratch;
    begin();
    CHECK(dts_scratch_open(&scratch, "toy", &err));
    const int status = ends(only_raise);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    CHECK_INT(entries(), 1);
    dts_scratch_close(scratch);
    rmdir(folder);
}

static void ignored(void)
{
    signal(SIGHUP, SIG_IGN);
    dts_ending_watch();
    raise(SIGHUP);
}

static void a_signal_that_is_ignored_stays_so(void)
{
    const int status = ends(ignored);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* A program that would write a file after a second. */
static void wait_for_a_program(void)
{
    struct dts_error err = {0};
    char shell[] = "/bin/sh", option[] = "-c", script[160];
    char *words[] = {shell, option, script, NULL};
    snprintf(script, sizeof(script), "kill -TERM $PPID; sleep 1; : >%s/late", folder);
    dts_program_run(words, "", &err);
}

static void the_program_that_it_waits_for_ends_first(void)
{
    begin();
    const int status = ends(wait_for_a_program);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    usleep(1500000);
    CHECK_INT(entries(), 0);
    rmdir(folder);
}

/* A program that does not end before the files of who waits for it are gone, or else leaves
 * one.
 */
static void wait_for_a_slow_end(void)
{
    struct dts_error err = {0};
    struct dts_scratch *scratch;
    char shell[] = "/bin/sh", option[] = "-c", script[512];
    char *words[] = {shell, option, script, NULL};
    if (!dts_scratch_open(&scratch, "toy", &err))
        return;
    const char *path = dts_scratch_file(scratch, "a");
    write_plainly(path);
    snprintf(script, sizeof(script),
             "trap 'for i in 1 2 3 4 5 6 7 8 9; do [ -e %s ] || exit; sleep 0.2; done; "
             ": >%s/late; exit' TERM; kill -TERM $PPID; while :; do sleep 0.1; done",
             path, folder);
    dts_program_run(words, "", &err);
}

static void files_go_before_it_waits(void)
{
    begin();
    const int status = ends(wait_for_a_slow_end);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    CHECK_INT(entries(), 0);
    rmdir(folder);
}

TESTS(TEST(files_go_before_it_waits),
      TEST(a_scratch_folder_is_in_tmpdir_and_goes_with_its_files),
      TEST(a_signal_ends_it_and_nothing_is_left), TEST(a_child_removes_nothing_of_its_parent),
      TEST(a_signal_that_is_ignored_stays_so), TEST(the_program_that_it_waits_for_ends_first))
