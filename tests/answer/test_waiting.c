/* test_waiting.c -- on a terminal, what takes longer than two seconds says what it is doing. */
#include "check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "answer/notes/waiting.h"
#include "answer/point_pool.h"

static const char no_terminal[] = "no terminals here";

/* A process whose standard error is a terminal that we read. */
struct seen {
    pid_t pid;
    int terminal, go; // what it shows; a byte here lets it end
    char text[4096];
    size_t length;
};

/* False: this machine has no terminals to give, as in a root without /dev/pts. */
static bool begin(struct seen *seen, int columns, void (*run)(int go))
{
    int ends[2];
    *seen = (struct seen){.terminal = posix_openpt(O_RDWR | O_NOCTTY)};
    if (seen->terminal < 0 || grantpt(seen->terminal) != 0 || unlockpt(seen->terminal) != 0)
        return false;
    const int shown = open(ptsname(seen->terminal), O_RDWR | O_NOCTTY);
    if (shown < 0 || pipe(ends) != 0)
        return false;
    struct winsize size = {.ws_col = (unsigned short)columns};
    ioctl(shown, TIOCSWINSZ, &size);
    fflush(NULL);
    seen->pid = fork();
    if (seen->pid == 0) {
        close(ends[1]);
        dup2(shown, STDERR_FILENO);
        run(ends[0]);
        _exit(0);
    }
    close(shown);
    close(ends[0]);
    seen->go = ends[1];
    return true;
}

/* Read until the words are there; NULL: until its end. */
static bool shows(struct seen *seen, const char *words)
{
    while (words == NULL || strstr(seen->text, words) == NULL) {
        size_t room = sizeof(seen->text) - 1 - seen->length;
        ssize_t got = room > 0 ? read(seen->terminal, seen->text + seen->length, room) : 0;
        if (got <= 0)
            return words == NULL;
        seen->length += (size_t)got;
        seen->text[seen->length] = '\0';
    }
    return true;
}

/* Its end: the line is gone. */
static void end(struct seen *seen)
{
    int status = -1;
    CHECK(write(seen->go, "", 1) == 1);
    shows(seen, NULL);
    CHECK(seen->length >= 4 && strcmp(seen->text + seen->length - 4, "\r\033[K") == 0);
    waitpid(seen->pid, &status, 0);
    CHECK_INT(status, 0);
    close(seen->go);
    close(seen->terminal);
}

static void wait_for(int go)
{
    char byte;
    while (read(go, &byte, 1) < 0)
        ;
}

static void long_point(void *self, int i, struct dts_progress *progress,
                       struct dts_result *result)
{
    dts_progress_begin(progress, "routing messages", 4);
    dts_progress_at(progress, 1);
    if (i == 1)
        wait_for(*(int *)self);
    result->devices = i;
}

static void name(const void *self, int i, char *text, size_t room)
{
    (void)self;
    snprintf(text, room, "ring, %d devices", i);
}

static void run_pool(int go)
{
    struct dts_result results[2];
    struct dts_point_pool pool = {2, 2, long_point, &go, name};
    struct dts_error err = {0};
    if (!dts_point_pool_run(&pool, results, &err))
        _exit(1);
}

static void a_point_that_takes_long_shows_what_it_is_at(void)
{
    struct seen seen;
    if (!begin(&seen, 100, run_pool))
        SKIP(no_terminal);
    CHECK(shows(&seen, "1/2 points, "));
    CHECK(shows(&seen, " s; ring, 1 devices: routing messages 25 %"));
    end(&seen);
}

static void show_and_clear(int go)
{
    dts_waiting_show("0123456789 %s", "\xc3\xa4\xc3\xb6\xc3\xbc");
    wait_for(go);
    dts_waiting_clear();
}

static void the_line_ends_where_the_terminal_does(void)
{
    struct seen seen;
    if (!begin(&seen, 15, show_and_clear))
        SKIP(no_terminal);
    CHECK(shows(&seen, "0123456789 "));
    end(&seen);
    CHECK_STRING(seen.text, "\r\033[K0123456789 \xc3\xa4\r\033[K"); // no half a character
}

static void run_beside(int go)
{
    struct dts_waiting *waiting = dts_waiting_begin("reading big.xml", 0);
    wait_for(go);
    dts_waiting_end(waiting);
}

static void run_parts(int go)
{
    struct dts_waiting *waiting = dts_waiting_begin("reading", 8);
    for (int i = 0; i < 2; i++)
        dts_waiting_more(waiting);
    wait_for(go);
    dts_waiting_end(waiting);
}

static void other_work_is_shown_by_a_process_beside(void)
{
    struct seen seen;
    if (!begin(&seen, 100, run_beside))
        SKIP(no_terminal);
    CHECK(shows(&seen, "reading big.xml, "));
    end(&seen);
}

static void work_in_parts_shows_how_much_of_it_is_done(void)
{
    struct seen seen;
    if (!begin(&seen, 100, run_parts))
        SKIP(no_terminal);
    CHECK(shows(&seen, "reading 25 %, "));
    end(&seen);
}

TESTS(TEST(a_point_that_takes_long_shows_what_it_is_at),
      TEST(the_line_ends_where_the_terminal_does),
      TEST(other_work_is_shown_by_a_process_beside),
      TEST(work_in_parts_shows_how_much_of_it_is_done))
