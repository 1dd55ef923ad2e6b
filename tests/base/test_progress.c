/* test_progress.c -- who waits sees what is being done, and how much of it is done. */
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/progress.h"

static const char *text_of(const struct dts_progress *progress)
{
    static char text[128];
    dts_progress_text(progress, text, sizeof(text));
    return text;
}

static void it_says_part_percent_and_run(void)
{
    struct dts_progress *p = dts_progress_share(1);
    CHECK_STRING(text_of(p), "");
    dts_progress_begin(p, "walking", 0);
    CHECK_STRING(text_of(p), "walking");
    dts_progress_begin(p, "routing", 8);
    CHECK_STRING(text_of(p), "routing 0 %");
    dts_progress_at(p, 3);
    dts_progress_more(p);
    CHECK_STRING(text_of(p), "routing 50 %");
    dts_progress_round(p, 2, 3);
    dts_progress_at(p, 9); // what was expected may be a little less than what there is
    CHECK_STRING(text_of(p), "routing 100 %, run 2 of 3");
    dts_progress_clear(p);
    CHECK_STRING(text_of(p), "");
    dts_progress_unshare(p, 1);
}

static void words_that_are_too_long_are_cut(void)
{
    struct dts_progress *p = dts_progress_share(1);
    char few[8];
    dts_progress_begin(p, "0123456789012345678901234567890123456789012345", 2);
    CHECK_STRING(text_of(p), "012345678901234567890123456789012345678 0 %");
    dts_progress_text(p, few, sizeof(few));
    CHECK_STRING(few, "0123456");
    dts_progress_unshare(p, 1);
}

static void a_child_says_it_and_the_parent_reads_it(void)
{
    struct dts_progress *p = dts_progress_share(2);
    pid_t child = fork();
    if (child == 0) {
        dts_progress_begin(&p[1], "routing", 4);
        dts_progress_at(&p[1], 1);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    CHECK_STRING(text_of(&p[0]), "");
    CHECK_STRING(text_of(&p[1]), "routing 25 %");
    dts_progress_unshare(p, 2);
}

static void nobody_need_listen(void)
{
    dts_progress_begin(NULL, "routing", 4);
    dts_progress_at(NULL, 1);
    dts_progress_more(NULL);
    dts_progress_round(NULL, 1, 2);
    dts_progress_clear(NULL);
    CHECK_STRING(text_of(NULL), "");
    dts_progress_unshare(NULL, 1);
}

TESTS(TEST(it_says_part_percent_and_run), TEST(words_that_are_too_long_are_cut),
      TEST(a_child_says_it_and_the_parent_reads_it), TEST(nobody_need_listen))
