/* test_op_space.c -- arrays that are there twice, or once. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "kernels/space/gpu.h"
#include "kernels/space/mirror.h"
#include "train/scenario/scenario_live.h"

static void on_a_cpu_both_sides_are_one_array(void)
{
    struct dts_error err = {0};
    struct dts_space *space = NULL;
    const struct dts_space_request request = {.threads = 3};
    struct dts_mirror mirror;
    float lent[5] = {1, 2, 3, 4, 5};
    void *copy;
    CHECK(dts_space_open(&space, dts_space_find("cpu"), &request, &err));
    CHECK(!dts_space_is_apart(space) && !dts_space_is_apart(NULL));
    CHECK_INT(dts_workers_count(dts_space_place(space)->workers), 3);
    CHECK(dts_mirror_make(&mirror, space, NULL, sizeof(lent), &err));
    CHECK(mirror.here == mirror.there && ((uintptr_t)mirror.there % 64) == 0);
    CHECK(((float *)mirror.there)[4] == 0);
    dts_mirror_lie(&mirror, lent);
    CHECK(mirror.here == lent && mirror.there == lent && lent[4] == 5);
    dts_mirror_store_all(&mirror);
    dts_mirror_fetch_all(&mirror);
    CHECK(lent[0] == 1 && lent[4] == 5);
    CHECK(dts_space_look(space, lent, sizeof(lent), &copy) == lent && copy == NULL);
    dts_space_clear(space, lent, sizeof(lent));
    CHECK(lent[0] == 0 && lent[4] == 0);
    CHECK_INT(dts_space_trouble(space).cause, DTS_NO_ERROR);
    dts_mirror_free(&mirror);
    dts_space_close(space);
}

/* A device whose memory is the host's, but elsewhere; some of what it does fails. */
static int pinned, inside;
static bool broken;

static bool works(struct dts_error *err, const char *what)
{
    return !broken || dts_fail(err, DTS_SYSTEM, "%s", what);
}

static bool open(const struct dts_space_request *request, void **self, struct dts_place *place,
                 struct dts_error *err)
{
    (void)request, (void)self, (void)place;
    return works(err, "open");
}

static void close(void *self)
{
    (void)self;
}

static bool get(void *self, size_t bytes, void **there, struct dts_error *err)
{
    (void)self;
    *there = calloc(bytes + 1, 1);
    return works(err, "get");
}

static void give_back(void *self, void *there)
{
    (void)self;
    free(there);
}

static bool clear(void *self, void *there, size_t bytes, struct dts_error *err)
{
    (void)self;
    memset(there, 0, bytes);
    return works(err, "clear");
}

static bool pin(void *self, void *here, size_t bytes, struct dts_error *err)
{
    (void)self, (void)here, (void)bytes;
    pinned++;
    return works(err, "pin");
}

static void unpin(void *self, void *here)
{
    (void)self, (void)here;
    pinned--;
}

static bool copy_in(void *self, int queue, void *there, const void *here, size_t bytes,
                    struct dts_error *err)
{
    (void)self, (void)queue;
    memcpy(there, here, bytes);
    return works(err, "copy in");
}

static bool copy_out(void *self, int queue, void *here, const void *there, size_t bytes,
                     struct dts_error *err)
{
    (void)self, (void)queue;
    memcpy(here, there, bytes);
    return works(err, "copy out");
}

static void enter(void *self)
{
    (void)self;
    inside++;
}

static bool leave(void *self, struct dts_error *err)
{
    (void)self;
    inside--;
    return works(err, "leave");
}

static bool wait(void *self, int queue, struct dts_error *err)
{
    (void)self, (void)queue;
    return works(err, "wait");
}

static const struct dts_space_kind apart = {
    .name = "apart",
    .apart = true,
    .open = open,
    .close = close,
    .get = get,
    .give_back = give_back,
    .clear = clear,
    .pin = pin,
    .unpin = unpin,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .enter = enter,
    .leave = leave,
    .wait = wait,
};

static void elsewhere_only_what_is_copied_moves(void)
{
    struct dts_error err = {0};
    struct dts_space *space = NULL;
    const struct dts_space_request request = {.threads = 1};
    struct dts_mirror own, lent;
    int mine[4] = {1, 2, 3, 4};
    void *copy;
    CHECK(dts_space_open(&space, &apart, &request, &err) && dts_space_is_apart(space));
    CHECK(dts_mirror_make(&own, space, NULL, sizeof(mine), &err));
    CHECK(dts_mirror_make(&lent, space, mine, sizeof(mine), &err));
    CHECK_INT(pinned, 2);
    CHECK(own.here != own.there && lent.here == mine && mine[3] == 0);
    mine[0] = 7, mine[2] = 9;
    dts_mirror_store(&lent, 0, 0, 2 * sizeof(int));
    const int *there = dts_space_look(space, lent.there, sizeof(mine), &copy);
    CHECK(there == copy && there[0] == 7 && there[2] == 0);
    free(copy);
    mine[0] = mine[1] = mine[2] = 5;
    dts_mirror_fetch(&lent, 0, 0, sizeof(int));
    CHECK(mine[0] == 7 && mine[1] == 5 && mine[2] == 5);
    dts_mirror_lie(&own, mine); // what is there stays
    dts_mirror_fetch_all(&own);
    CHECK(mine[0] == 0 && mine[2] == 0);
    dts_space_enter(space);
    CHECK_INT(inside, 1);
    dts_space_leave(space);
    CHECK_INT(inside, 0);
    dts_mirror_free(&own);
    dts_mirror_free(&lent);
    CHECK_INT(pinned, 0);
    dts_space_close(space);
}

static void the_first_failure_is_kept(void)
{
    struct dts_error err = {0};
    struct dts_space *space = NULL;
    const struct dts_space_request request = {.threads = 1};
    struct dts_mirror mirror;
    CHECK(dts_space_open(&space, &apart, &request, &err));
    CHECK(dts_mirror_make(&mirror, space, NULL, 8, &err));
    dts_mirror_store_all(&mirror);
    CHECK_INT(dts_space_trouble(space).cause, DTS_NO_ERROR);
    broken = true;
    dts_space_wait(space);
    dts_mirror_store_all(&mirror);
    dts_space_clear(space, mirror.there, 8);
    dts_space_leave(space);
    CHECK_STRING(dts_space_trouble(space).text, "wait");
    struct dts_mirror more;
    CHECK(!dts_mirror_make(&more, space, NULL, 8, &err));
    CHECK_STRING(err.text, "get");
    dts_mirror_free(&more);
    dts_mirror_free(&mirror);
    dts_space_close(space);
    err = (struct dts_error){0};
    CHECK(!dts_space_open(&space, &apart, &request, &err));
    CHECK_STRING(err.text, "open");
    broken = false;
}

static void every_word_of_a_scenario_is_a_row(void)
{
    int words = 0, rows = 0;
    for (; dts_live_device_name(words) != NULL; words++)
        CHECK(dts_space_find(dts_live_device_name(words)) != NULL);
    while (dts_spaces[rows] != NULL)
        rows++;
    CHECK_INT(words, rows);
}

static void a_gpu_that_is_not_there_says_why(void)
{
    const char *why = NULL;
    const struct dts_space_kind *kind = dts_space_find("cuda");
    CHECK(kind != NULL && dts_space_find("gpu") == NULL);
    if (kind->count(&why) == 0)
        CHECK(why != NULL && why[0] != '\0');
}

static void the_products_of_gpus_are_there_without_one(void)
{
    struct dts_error err = {0};
    if (!dts_gpu_blas(&err))
        CHECK_INT(err.cause, DTS_UNSUPPORTED); // a build without CUDA
}

TESTS(TEST(on_a_cpu_both_sides_are_one_array), TEST(elsewhere_only_what_is_copied_moves),
      TEST(the_first_failure_is_kept), TEST(every_word_of_a_scenario_is_a_row),
      TEST(a_gpu_that_is_not_there_says_why), TEST(the_products_of_gpus_are_there_without_one))
