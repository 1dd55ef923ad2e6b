/* test_pool.c -- points in child processes: any number of them gives the same results. */
#include "check.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "answer/point_pool.h"

enum { POINTS = 23 };

static void square(void *self, int i, struct dts_progress *progress, struct dts_result *result)
{
    (void)progress;
    const double *offset = self;
    result->devices = i;
    result->step.total_s = *offset + (double)i * i;
    snprintf(result->strategy, sizeof(result->strategy), "point %d", i);
}

static void name(const void *self, int i, char *text, size_t room)
{
    (void)self;
    snprintf(text, room, "ring, %d devices", i);
}

static void results_do_not_depend_on_the_number_of_children(void)
{
    double offset = 0.5;
    struct dts_result *first = calloc(POINTS, sizeof(*first));
    struct dts_result *results = calloc(POINTS, sizeof(*results));
    struct dts_point_pool pool = {POINTS, 1, square, &offset, name};
    struct dts_error err = {0};
    CHECK(dts_point_pool_run(&pool, first, &err));
    for (int i = 0; i < POINTS; i++) {
        CHECK_INT(first[i].devices, i);
        CHECK_NEAR(first[i].step.total_s, 0.5 + i * i, 0);
        CHECK(isnan(first[i].step.compute_s)); // absent, not 0
    }
    for (int jobs = 0; jobs <= 2 * POINTS; jobs = 2 * jobs + 1) {
        pool.jobs = jobs;
        memset(results, 0, POINTS * sizeof(*results));
        CHECK(dts_point_pool_run(&pool, results, &err));
        CHECK(memcmp(first, results, POINTS * sizeof(*results)) == 0);
    }
    free(first);
    free(results);
}

static void die_at_three(void *self, int i, struct dts_progress *progress,
                         struct dts_result *result)
{
    square(self, i, progress, result);
    if (i == 3)
        raise(SIGKILL);
    if (i == 4)
        _exit(7);
}

static void a_child_that_dies_is_the_error_of_its_point_alone(void)
{
    double offset = 0;
    struct dts_result results[6];
    memset(results, 0, sizeof(results));
    struct dts_point_pool pool = {6, 2, die_at_three, &offset, name};
    struct dts_error err = {0};
    CHECK(dts_point_pool_run(&pool, results, &err));
    for (int i = 0; i < 6; i++)
        CHECK_INT(results[i].error.cause, i == 3 || i == 4 ? DTS_SYSTEM : DTS_NO_ERROR);
    CHECK_STRING(results[3].error.text, "its process died: Killed");
    CHECK_STRING(results[4].error.text, "its process ended with status 7");
    CHECK_NEAR(results[5].step.total_s, 25, 0);
}

/* What the pool has said so far: standard error goes to the file. */
static void read_said(int file, char *text, size_t room)
{
    ssize_t length = pread(file, text, room - 1, 0);
    text[length > 0 ? length : 0] = '\0';
}

static void die_or_read(void *self, int i, struct dts_progress *progress,
                        struct dts_result *result)
{
    (void)progress;
    if (i == 0)
        raise(SIGKILL);
    read_said(*(const int *)self, result->strategy, sizeof(result->strategy));
}

static void a_child_that_dies_is_told_at_once_and_once(void)
{
    char path[] = "/tmp/dtsim-pool-XXXXXX", said[256];
    int file = mkstemp(path), before = dup(STDERR_FILENO);
    struct dts_result results[2];
    struct dts_point_pool pool = {2, 1, die_or_read, &file, name};
    struct dts_error err = {0};
    CHECK(file >= 0 && unlink(path) == 0);
    memset(results, 0, sizeof(results));
    dup2(file, STDERR_FILENO);
    bool ran = dts_point_pool_run(&pool, results, &err);
    dup2(before, STDERR_FILENO);
    read_said(file, said, sizeof(said));
    CHECK(ran);
    CHECK(results[0].error.told && !results[1].error.told);
    CHECK_STRING(results[1].strategy, "dtsim: ring, 0 devices: its process died: Killed\n");
    CHECK_STRING(said, "dtsim: ring, 0 devices: its process died: Killed\n");
    close(before);
    close(file);
}

static void note(void *self, int i, struct dts_progress *progress, struct dts_result *result)
{
    double offset = 0;
    char mark = (char)('0' + i);
    square(&offset, i, progress, result);
    CHECK(write(*(const int *)self, &mark, 1) == 1);
}

static void points_begin_in_the_order_that_is_asked_for(void)
{
    const int order[] = {2, 0, 3, 1};
    int ends[2];
    char marks[5] = "";
    struct dts_result results[4];
    memset(results, 0, sizeof(results));
    CHECK(pipe(ends) == 0);
    struct dts_point_pool pool = {4, 1, note, &ends[1], name, order};
    struct dts_error err = {0};
    CHECK(dts_point_pool_run(&pool, results, &err));
    CHECK(read(ends[0], marks, 4) == 4);
    CHECK_STRING(marks, "2031");
    for (int i = 0; i < 4; i++)
        CHECK_INT(results[i].devices, i); // stored in their own places
    close(ends[0]);
    close(ends[1]);
}

static void nothing_to_do_is_done(void)
{
    struct dts_point_pool pool = {0, 4, square, NULL, name};
    struct dts_error err = {0};
    CHECK(dts_point_pool_run(&pool, NULL, &err));
}

TESTS(TEST(results_do_not_depend_on_the_number_of_children),
      TEST(a_child_that_dies_is_the_error_of_its_point_alone),
      TEST(a_child_that_dies_is_told_at_once_and_once),
      TEST(points_begin_in_the_order_that_is_asked_for), TEST(nothing_to_do_is_done))
