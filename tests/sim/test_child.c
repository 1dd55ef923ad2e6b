/* test_child.c -- whatever happens in a child, the parent gets bytes or one message. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "check.h"
#include "sim/child.h"

static bool count_up(void *argument, void **result, size_t *size, struct dts_error *err)
{
    (void)err;
    *size = *(size_t *)argument;
    unsigned char *bytes = dts_alloc(*size, 1);
    for (size_t i = 0; i < *size; i++)
        bytes[i] = (unsigned char)(i * 7);
    *result = bytes;
    *(size_t *)argument = 0; // which the parent must not see
    return true;
}

static bool refuse(void *argument, void **result, size_t *size, struct dts_error *err)
{
    (void)argument, (void)result, (void)size;
    return dts_fail(err, DTS_UNSUPPORTED, "a.json: x: no such thing");
}

static bool abort_after_words(void *argument, void **result, size_t *size,
                              struct dts_error *err)
{
    (void)result, (void)size, (void)err;
    fprintf(stderr, "%s", (const char *)argument);
    abort();
}

static bool leave(void *argument, void **result, size_t *size, struct dts_error *err)
{
    (void)argument, (void)result, (void)size, (void)err;
    _exit(7);
}

static bool leave_as_libraries_do(void *argument, void **result, size_t *size,
                                  struct dts_error *err)
{
    (void)argument, (void)result, (void)size, (void)err;
    exit(7);
}

static bool sleep_long(void *argument, void **result, size_t *size, struct dts_error *err)
{
    (void)argument, (void)result, (void)size, (void)err;
    sleep(60);
    return true;
}

static bool flood(void *argument, void **result, size_t *size, struct dts_error *err)
{
    for (int i = 0; i < 100000; i++)
        fprintf(stderr, "a line of a library that talks a lot\n");
    return count_up(argument, result, size, err);
}

static struct dts_child child(dts_child_fn run, void *argument)
{
    return (struct dts_child){
        .what = "thing", .blame = DTS_BAD_INPUT, .run = run, .argument = argument};
}

static void check_bytes(dts_child_fn run, size_t want)
{
    size_t argument = want, size;
    void *result;
    struct dts_error err = {0};
    struct dts_child c = child(run, &argument);
    if (!CHECK(dts_child_run(&c, &result, &size, &err)))
        return;
    CHECK_INT(size, want);
    CHECK_INT(argument, want);
    size_t wrong = 0;
    for (size_t i = 0; i < size; i++)
        wrong += ((unsigned char *)result)[i] != (unsigned char)(i * 7);
    CHECK_INT(wrong, 0);
    free(result);
}

static void check_message(struct dts_child c, enum dts_cause cause, const char *text)
{
    void *result;
    size_t size;
    struct dts_error err = {0};
    CHECK(!dts_child_run(&c, &result, &size, &err));
    CHECK_INT(err.cause, cause);
    CHECK_STRING(err.text, text);
}

static void bytes_of_any_number_come_back(void)
{
    check_bytes(count_up, 0);
    check_bytes(count_up, 1);
    check_bytes(count_up, 10000000);
}

static void a_child_may_write_more_than_a_pipe_holds(void)
{
    check_bytes(flood, 100000);
}

static void an_error_comes_back_as_it_is(void)
{
    check_message(child(refuse, NULL), DTS_UNSUPPORTED, "a.json: x: no such thing");
}

static void a_child_that_dies_is_one_message_with_its_first_words(void)
{
    check_message(child(abort_after_words, "\n  what happened\nand more\n"), DTS_BAD_INPUT,
                  "thing: what happened");
}

static void a_child_that_dies_in_silence_is_one_message_too(void)
{
    check_message(child(abort_after_words, ""), DTS_BAD_INPUT,
                  "thing: ended by signal 6 (Aborted)");
    check_message(child(leave, NULL), DTS_BAD_INPUT,
                  "thing: ended without an answer, exit status 7");
}

static void a_child_that_hangs_is_stopped(void)
{
    struct dts_child c = child(sleep_long, NULL);
    c.limit_s = 0.05;
    check_message(c, DTS_BAD_INPUT, "thing: stopped after 0.05 s without an answer");
}

static void what_the_parent_has_not_written_yet_is_written_once(void)
{
    FILE *file = tmpfile();
    char text[32] = "";
    fprintf(file, "once");
    check_message(child(leave_as_libraries_do, NULL), DTS_BAD_INPUT,
                  "thing: ended without an answer, exit status 7");
    rewind(file);
    CHECK_INT(fread(text, 1, sizeof(text) - 1, file), 4);
    CHECK_STRING(text, "once");
    fclose(file);
}

static void nothing_is_left_behind(void)
{
    CHECK_INT(waitpid(-1, NULL, WNOHANG), -1); // no children
    int before = dup(0);
    close(before);
    check_bytes(count_up, 10);
    int after = dup(0);
    close(after);
    CHECK_INT(after, before);
}

TESTS(TEST(bytes_of_any_number_come_back), TEST(a_child_may_write_more_than_a_pipe_holds),
      TEST(an_error_comes_back_as_it_is),
      TEST(a_child_that_dies_is_one_message_with_its_first_words),
      TEST(a_child_that_dies_in_silence_is_one_message_too),
      TEST(a_child_that_hangs_is_stopped),
      TEST(what_the_parent_has_not_written_yet_is_written_once), TEST(nothing_is_left_behind))
