/* test_exec_values_there.c -- values of messages on a device: a queue's kernels, then a wait
 * for that queue. */
#include "check.h"
#include "train/network/values_there.h"

enum { COUNT = 5, QUEUE = 2 };

/* A device that is this processor, and what it was asked for. */
static int inside, asked_queue, waited_queue;

static bool open(const struct dts_space_request *request, void **self, struct dts_place *place,
                 struct dts_error *err)
{
    (void)request, (void)self, (void)place, (void)err;
    return true;
}

static void close(void *self)
{
    (void)self;
}

static void enter(void *self)
{
    (void)self;
    inside++;
}

static bool leave(void *self, struct dts_error *err)
{
    (void)self, (void)err;
    inside--;
    return true;
}

static bool wait(void *self, int queue, struct dts_error *err)
{
    (void)self;
    CHECK_INT(inside, 0);
    waited_queue = queue;
    return queue == QUEUE || dts_fail(err, DTS_SYSTEM, "queue %d", queue);
}

static struct dts_place place_of(void *self, int queue)
{
    (void)self;
    asked_queue = queue;
    return (struct dts_place){.workers = NULL};
}

static const struct dts_space_kind kind = {
    .name = "apart",
    .apart = true,
    .open = open,
    .close = close,
    .enter = enter,
    .leave = leave,
    .wait = wait,
    .place = place_of,
};

static struct dts_space *begin(void)
{
    struct dts_space *space = NULL;
    struct dts_error err = {0};
    CHECK(dts_space_open(&space, &kind, &(struct dts_space_request){.threads = 1}, &err));
    CHECK(!dts_space_lends(space)); // it has no verb for that
    asked_queue = waited_queue = -1;
    return space;
}

static void end(struct dts_space *space)
{
    CHECK_INT(asked_queue, QUEUE);
    CHECK_INT(waited_queue, QUEUE);
    CHECK_INT(inside, 0);
    CHECK_INT(dts_space_trouble(space).cause, DTS_NO_ERROR);
    dts_space_close(space);
}

static const float thirds[COUNT] = {1.0f / 3, -2.0f / 3, 4.0f / 3, 1e-3f / 3, 0};

static void what_is_sent_in_16_bits_stays_or_is_rounded(void)
{
    for (int half = DTS_HALF_BF16; half <= DTS_HALF_FP16; half++) {
        struct dts_space *space = begin();
        const bool bf16 = half == DTS_HALF_BF16;
        float kept[COUNT], rounded[COUNT], back[COUNT], alone[COUNT];
        uint16_t message[COUNT], again[COUNT];
        memcpy(kept, thirds, sizeof(kept));
        memcpy(rounded, thirds, sizeof(rounded));
        memcpy(alone, thirds, sizeof(alone));
        dts_there_narrow(space, QUEUE, (enum dts_half)half, message, kept, COUNT, false);
        dts_there_narrow(space, QUEUE, (enum dts_half)half, again, rounded, COUNT, true);
        dts_there_widen(space, QUEUE, (enum dts_half)half, back, message, COUNT);
        dts_there_round(space, QUEUE, (enum dts_half)half, alone, COUNT);
        for (int i = 0; i < COUNT; i++) {
            const uint16_t want = bf16 ? dts_to_bf16(thirds[i]) : dts_to_fp16(thirds[i]);
            const float value = bf16 ? dts_from_bf16(want) : dts_from_fp16(want);
            CHECK(message[i] == want && again[i] == want);
            CHECK(kept[i] == thirds[i] && rounded[i] == value);
            CHECK(back[i] == value && alone[i] == value);
        }
        end(space);
    }
}

static void what_arrives_is_added_in_full(void)
{
    struct dts_space *space = begin();
    float sum[COUNT], copy[COUNT], wide[COUNT];
    double doubles[COUNT], more[COUNT];
    uint16_t message[COUNT];
    for (int i = 0; i < COUNT; i++) {
        sum[i] = wide[i] = (float)i;
        doubles[i] = i;
        more[i] = 1.0 / 3;
        message[i] = dts_to_bf16(thirds[i]);
    }
    dts_there_copy(space, QUEUE, copy, thirds, sizeof(copy));
    dts_there_add(space, QUEUE, sum, thirds, COUNT);
    dts_there_add_widened(space, QUEUE, DTS_HALF_BF16, wide, message, COUNT);
    dts_there_add_doubles(space, QUEUE, doubles, more, COUNT);
    for (int i = 0; i < COUNT; i++) {
        CHECK(copy[i] == thirds[i] && sum[i] == (float)i + thirds[i]);
        CHECK(wide[i] == (float)i + dts_from_bf16(message[i]));
        CHECK(doubles[i] == i + 1.0 / 3);
    }
    end(space);
}

static void a_device_that_fails_is_remembered(void)
{
    struct dts_space *space = begin();
    float sum[COUNT] = {0};
    dts_there_add(space, 1, sum, thirds, COUNT);
    CHECK_STRING(dts_space_trouble(space).text, "queue 1");
    dts_space_close(space);
}

TESTS(TEST(what_is_sent_in_16_bits_stays_or_is_rounded), TEST(what_arrives_is_added_in_full),
      TEST(a_device_that_fails_is_remembered))
