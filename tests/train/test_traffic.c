/* test_traffic.c -- patterns of messages: every message meets its other side, all bytes are
 * there, and a rank offers them at the load that is asked. */
#include "plan/check.h"
#include "point.h"
#include "train/strategy/traffic/pattern.h"

static const double nic = 8e9, bytes = 4096;

static struct dts_job traffic(struct fixture *f, const char *pattern, const char *more,
                              int devices)
{
    char json[200];
    f->machine.nodes = 64;
    f->machine.site.nics = 2;
    f->machine.site.nic_bytes_per_s = nic;
    snprintf(json, sizeof(json), "{\"pattern\": \"%s\", \"message_bytes\": %g%s}", pattern,
             bytes, more);
    return job_of(f, "traffic", json, devices);
}

static void every_pattern_can_be_carried_out(void)
{
    const int sizes[] = {2, 3, 7, 12, 16, 27, 45};
    struct fixture f;
    set_up(&f);
    for (int p = 0; dts_traffic_patterns[p] != NULL; p++)
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            struct dts_job job = traffic(&f, dts_traffic_pattern_name(p), "", sizes[i]);
            struct dts_error err = {0};
            CHECK(dts_job_check(&job, &err));
            CHECK_STRING(err.text, "");
            dts_job_free(&job);
        }
    forget(&f);
}

static double sent(struct fixture *f, const char *pattern, int devices)
{
    struct dts_job job = traffic(f, pattern, "", devices);
    struct dts_traffic all;
    dts_job_traffic(&job, &all);
    CHECK_CLOSE(all.bytes, all.messages * bytes, 1e-9);
    dts_job_free(&job);
    return all.messages;
}

/* 45 = 3 x 3 x 5: 30 pairs beside each other in each short dimension, 36 in the long one; 14 is
 * 1 x 2 x 7: 7 and 12; 13 is a line. */
static void a_round_has_its_messages(void)
{
    struct fixture f;
    set_up(&f);
    CHECK_INT(sent(&f, "nearest_neighbors", 45), 2 * (30 + 30 + 36));
    CHECK_INT(sent(&f, "nearest_neighbors", 14), 2 * (7 + 12));
    CHECK_INT(sent(&f, "nearest_neighbors", 13), 2 * 12);
    CHECK_INT(sent(&f, "all_to_all", 12), 12 * 11);
    CHECK_INT(sent(&f, "random_pairs", 12), 4 * 12);
    CHECK_INT(sent(&f, "random_pairs", 13), 4 * 12);
    CHECK_INT(sent(&f, "permutation", 13), 13);
    forget(&f);
}

/* Of what a rank offers in a round: two NICs of 8 GB/s for four devices are 4 GB/s for each. */
static void a_rank_offers_its_load(void)
{
    static const struct {
        const char *pattern;
        int devices;
        double messages;
    } all[] = {{"nearest_neighbors", 27, 6},
               {"nearest_neighbors", 14, 3},
               {"nearest_neighbors", 13, 2},
               {"all_to_all", 27, 26},
               {"permutation", 27, 1}};
    struct fixture f;
    set_up(&f);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct dts_job job = traffic(&f, all[i].pattern, ", \"load\": 0.25", all[i].devices);
        const struct dts_plan *plan = &job.roles[0].plan;
        const int pace = find_op(plan, "pace");
        CHECK_CLOSE(plan->ops[pace].call.seconds, all[i].messages * bytes / (0.25 * 4e9),
                    1e-12);
        for (int o = 0; o < plan->op_count; o++)
            if (o != pace && plan->ops[o].kind != DTS_OP_EXCHANGE)
                CHECK(waits(plan, o, pace, true));
        dts_job_free(&job);
    }
    forget(&f);
}

static void draw(struct fixture *f, const char *pattern, const char *seed, int *to)
{
    struct dts_job job = traffic(f, pattern, seed, 16);
    for (int r = 0; r < 16; r++) {
        const struct dts_plan *plan = &job.roles[r].plan;
        const int op = find_op(plan, "send");
        to[r] = plan->ops[op].exchange.first_peer;
        int last = plan->op_count;
        while (strcmp(plan->ops[--last].label, "pace") != 0)
            ;
        CHECK(waits(plan, op, last, true));
    }
    dts_job_free(&job);
}

static void the_seed_decides_who_meets_whom(void)
{
    static const char *const drawn[] = {"random_pairs", "permutation"};
    struct fixture f;
    int a[16], b[16], c[16];
    set_up(&f);
    for (int i = 0; i < 2; i++) {
        draw(&f, drawn[i], "", a);
        draw(&f, drawn[i], ", \"seed\": 1", b);
        draw(&f, drawn[i], ", \"seed\": 2", c);
        CHECK(memcmp(a, b, sizeof(a)) == 0);
        CHECK(memcmp(a, c, sizeof(a)) != 0);
    }
    draw(&f, "random_pairs", "", a);
    for (int r = 0; r < 16; r++)
        CHECK_INT(a[a[r]], r); // two by two
    forget(&f);
}

static void what_cannot_be_is_refused(void)
{
    struct fixture f;
    struct dts_job job = {0};
    struct dts_error err = {0};
    set_up(&f);
    CHECK(use(&f, "traffic", "{\"pattern\": \"all_to_all\"}", &err));
    CHECK(!build(&f, 8, &job, &err)); // the fixture's machine names no NICs
    CHECK(strstr(err.text, "load is a part of what NICs carry") != NULL);
    f.machine.site.nics = 1;
    f.machine.site.nic_bytes_per_s = nic;
    err = (struct dts_error){0};
    CHECK(!build(&f, 1, &job, &err));
    CHECK(strstr(err.text, "all_to_all: needs at least 2 devices") != NULL);
    forget(&f);
}

TESTS(TEST(every_pattern_can_be_carried_out), TEST(a_round_has_its_messages),
      TEST(a_rank_offers_its_load), TEST(the_seed_decides_who_meets_whom),
      TEST(what_cannot_be_is_refused))
