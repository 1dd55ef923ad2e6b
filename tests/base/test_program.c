/* test_program.c -- a program that is asked: its words and its status become the error. */
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
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

static void it_is_found_in_absolute_folders_alone(void)
{
    char *path = dts_copy(getenv("PATH"));
    setenv("PATH", "relative::/nowhere:/bin:/usr/bin", 1);
    char *found = dts_program_find("sh");
    CHECK(found != NULL &&
          (strcmp(found, "/bin/sh") == 0 || strcmp(found, "/usr/bin/sh") == 0));
    free(found);
    CHECK(dts_program_find("no such program") == NULL);
    CHECK(dts_program_find("") == NULL); // a folder is none
    setenv("PATH", ".", 1);
    CHECK(dts_program_find("sh") == NULL);
    setenv("PATH", path, 1);
    free(path);
}

static void a_filter_reads_and_writes_files(void)
{
    const struct dts_program_files files = {said, "/tmp/test_program.out",
                                            "/tmp/test_program.err"};
    char *copy[] = {(char *)"/bin/cat", NULL};
    char *fail[] = {(char *)"/bin/sh", (char *)"-c",
                    (char *)"echo first >&2; echo '  last' >&2; echo >&2; exit 4", NULL};
    char text[16] = "";
    struct dts_error err = {0};
    FILE *in = fopen(said, "w");
    fputs("words", in);
    fclose(in);
    CHECK(dts_program_filter(copy, &files, &err));
    FILE *out = fopen(files.out, "r");
    CHECK(out != NULL && fgets(text, sizeof(text), out) != NULL);
    CHECK_STRING(text, "words");
    fclose(out);
    CHECK(!dts_program_filter(fail, &files, &err));
    CHECK_INT(err.cause, DTS_SYSTEM);
    CHECK_STRING(err.text, "/bin/sh failed: it ended with status 4: last");
    unlink(files.out);
    unlink(files.said);
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
      TEST(what_says_nothing_failed_all_the_same), TEST(who_waits_is_told),
      TEST(it_is_found_in_absolute_folders_alone), TEST(a_filter_reads_and_writes_files),
      TEST(remove_file))
