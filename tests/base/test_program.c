/* test_program.c -- a program that is asked: its words and its status become the error. */
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/os/program.h"

static char said[] = "/tmp/test_program_XXXXXX";

/* What a shell does is asked for. */
static bool ask(const char *script, const struct dts_program_wait *wait, struct dts_error *err)
{
    char *words[] = {(char *)"/bin/sh", (char *)"-c", (char *)script, NULL};
    *err = (struct dts_error){0};
    if (truncate(said, 0) != 0)
        return false;
    return dts_program_ask(words, said, wait, err);
}

static void its_last_line_and_status_are_the_error(void)
{
    struct dts_error err;
    CHECK(ask("exit 0", NULL, &err));
    CHECK(!ask("echo 'dtsim: first' >&2; echo 'dtsim: a.json: b: wrong' >&2; exit 2", NULL,
               &err));
    CHECK_INT(err.cause, DTS_BAD_INPUT);
    CHECK_STRING(err.text, "a.json: b: wrong");
    CHECK(!ask("echo 'dtsim: cannot' >&2; exit 3", NULL, &err));
    CHECK_INT(err.cause, DTS_UNSUPPORTED);
}

static void what_says_nothing_failed_all_the_same(void)
{
    struct dts_error err;
    CHECK(!ask("exit 2", NULL, &err));
    CHECK_INT(err.cause, DTS_SYSTEM);
    CHECK_STRING(err.text, "/bin/sh failed: it ended with status 2");
    CHECK(!ask("echo 'dtsim: on the way' >&2; kill -9 $$", NULL, &err));
    CHECK_STRING(err.text, "/bin/sh failed: it was ended by signal 9");
}

static void count(void *self, double seconds)
{
    *(int *)self += seconds >= 0;
}

static void who_waits_is_told(void)
{
    struct dts_error err;
    int calls = 0;
    const struct dts_program_wait wait = {count, &calls};
    CHECK(ask("sleep 0.3", &wait, &err));
    CHECK(calls > 5);
}

static void open_file(void)
{
    CHECK(mkstemp(said) >= 0);
}

static void remove_file(void)
{
    CHECK_INT(unlink(said), 0);
}

TESTS(TEST(open_file), TEST(its_last_line_and_status_are_the_error),
      TEST(what_says_nothing_failed_all_the_same), TEST(who_waits_is_told), TEST(remove_file))
