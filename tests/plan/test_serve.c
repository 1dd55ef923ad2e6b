/* test_serve.c -- whom servers answer. */
#include <limits.h>

#include "base/mem.h"
#include "check.h"
#include "plan/check.h"
#include "plan/served.h"

enum { PEERS = 3 };

/* A server of so many items, ranks 1 .. PEERS its workers and rank 0 itself. */
static struct dts_role server_of(int items, struct dts_serve serve)
{
    struct dts_role role = {.name = "server", .kind = DTS_SERVER, .count = 1, .serve = serve};
    dts_plan_buffer(&role.plan, (size_t)items, 4);
    for (int i = 0; i < items; i++) {
        struct dts_exchange x = {.first_peer = 1,
                                 .peer_stride = 1,
                                 .peer_count = PEERS,
                                 .data = {0, (size_t)i, 1},
                                 .channel = i};
        dts_plan_exchange(&role.plan, DTS_PUSH, "push", x);
        dts_plan_call(&role.plan, DTS_COMPUTE, "sum", (struct dts_call){.layer = -1});
        x.send = true;
        dts_plan_exchange(&role.plan, DTS_PULL, "pull", x);
    }
    return role;
}

static bool answered(const struct dts_serve_answer *answer, int peer)
{
    for (int i = 0; i < answer->count; i++)
        if (answer->peers[i] == peer)
            return true;
    return false;
}

static void asynchronous_answers_each_at_once(void)
{
    struct dts_role role = server_of(2, (struct dts_serve){&dts_serve_asynchronous, 0, NULL});
    struct dts_server s;
    struct dts_serve_answer a;
    dts_served_open(&s, &role, 0, INT_MAX);
    CHECK_INT(s.items, 2);
    CHECK_INT(s.peers, PEERS);
    static const int peers[] = {0, 1, 2, 0, 0, 1}, stale[] = {0, 1, 2, 2, 0, 3};
    for (int i = 0; i < 6; i++) {
        dts_server_take(&s, 1, peers[i], &a);
        CHECK(a.used && a.update && a.count == 1 && a.peers[0] == peers[i]);
        CHECK_INT((int)a.stale, stale[i]);
        CHECK_NEAR(a.factor, 1, 0);
    }
    dts_server_take(&s, 0, 2, &a); // items are apart
    CHECK_INT((int)a.stale, 0);
    dts_server_free(&s);
    dts_plan_free(&role.plan);
}

static void late_gradients_count_less(void)
{
    struct dts_role role =
        server_of(1, (struct dts_serve){&dts_serve_asynchronous, 0, &dts_late_adapted});
    struct dts_server s;
    struct dts_serve_answer a;
    dts_served_open(&s, &role, 0, INT_MAX);
    for (int p = 0; p < PEERS; p++) {
        dts_server_take(&s, 0, p, &a);
        CHECK_NEAR(a.factor, 1.0 / (1 + p), 1e-15);
    }
    dts_server_free(&s);
    dts_plan_free(&role.plan);
}

/* s / (1 + s) less, and never below 0; in time it is the usual one, to the bit. */
static void late_gradients_have_less_momentum(void)
{
    const struct dts_serve plain = {&dts_serve_asynchronous, 0},
                           lowered = {.rule = &dts_serve_asynchronous,
                                      .momentum = &dts_late_momentum_lowered};
    static const double left[] = {0.9, 0.4, 0.9 - 2.0 / 3, 0.15};
    struct dts_role role = server_of(1, lowered);
    struct dts_server s;
    struct dts_serve_answer a;
    dts_served_open(&s, &role, 0, INT_MAX);
    for (int i = 0; i < 4; i++) {
        dts_server_take(&s, 0, i % PEERS, &a); // the fourth comes from the first again: 2 late
        CHECK_NEAR(dts_serve_momentum(&role.serve, 0.9, a.stale), left[i < 3 ? i : 2], 1e-15);
        CHECK_NEAR(dts_serve_momentum(&plain, 0.9, a.stale), 0.9, 0);
    }
    CHECK_NEAR(dts_serve_momentum(&lowered, 0.9, 0), 0.9, 0);
    CHECK_NEAR(dts_serve_momentum(&lowered, 0.9, 3), left[3], 1e-15);
    CHECK_NEAR(dts_serve_momentum(&lowered, 0.9, 10), 0, 0);
    dts_server_free(&s);
    dts_plan_free(&role.plan);
}

/* With lambda 1 / (g w) a gradient that is in proportion to its weight becomes that of the
 * weight of now; pushed are parts of it. */
static void late_gradients_are_compensated(void)
{
    const double w = 0.5, g = 1, moved = -0.125; // d g / d w = g / w = 2
    CHECK_NEAR((double)dts_late_compensated((float)g, 1 / (g * w), 1, (float)moved),
               g / w * (w + moved), 0);
    CHECK_NEAR(4 * (double)dts_late_compensated((float)(g / 4), 1 / (g * w), 4, (float)moved),
               g / w * (w + moved), 0);
    CHECK_NEAR((double)dts_late_compensated(0.3F, 0, 4, 1), (double)0.3F, 0);
    CHECK_NEAR((double)dts_late_compensated(0.3F, 5, 4, 0), (double)0.3F, 0);
}

static void bounded_holds_who_is_ahead(void)
{
    struct dts_role role = server_of(1, (struct dts_serve){&dts_serve_bounded, 1, NULL});
    struct dts_server s;
    struct dts_serve_answer a;
    dts_served_open(&s, &role, 0, INT_MAX);
    dts_server_take(&s, 0, 0, &a);
    CHECK(answered(&a, 0)); // one ahead
    dts_server_take(&s, 0, 0, &a);
    CHECK_INT(a.count, 0); // two ahead: held
    dts_server_take(&s, 0, 1, &a);
    CHECK(a.count == 1 && answered(&a, 1));
    dts_server_take(&s, 0, 2, &a); // the last one lets the first one go
    CHECK(a.count == 2 && answered(&a, 0) && answered(&a, 2));
    dts_server_free(&s);
    dts_plan_free(&role.plan);
}

static void backup_throws_the_last_away(void)
{
    struct dts_role role = server_of(1, (struct dts_serve){&dts_serve_backup, 1, NULL});
    struct dts_server s;
    struct dts_serve_answer a;
    dts_served_open(&s, &role, 0, 2);
    dts_server_take(&s, 0, 2, &a);
    CHECK(a.used && !a.update && a.count == 0);
    dts_server_take(&s, 0, 0, &a);
    CHECK(a.used && a.update && a.count == 2 && answered(&a, 0) && answered(&a, 2));
    dts_server_take(&s, 0, 1, &a); // late
    CHECK(!a.used && !a.update && a.count == 1 && answered(&a, 1));
    CHECK_INT((int)a.stale, 1);
    dts_server_take(&s, 0, 0, &a);
    CHECK(a.used && a.count == 0);
    dts_server_take(&s, 0, 1, &a);
    CHECK(a.used && a.update && a.count == 2);
    dts_server_take(&s, 0, 2, &a); // the last request of all is not waited with
    CHECK(!a.used && a.count == 1);
    dts_server_free(&s);
    dts_plan_free(&role.plan);
}

/* Two have ended: the third one alone is all that an update can have. */
static void backup_ends_with_who_is_left(void)
{
    struct dts_role role = server_of(1, (struct dts_serve){&dts_serve_backup, 0, NULL});
    struct dts_server s;
    struct dts_serve_answer a;
    dts_served_open(&s, &role, 0, 1);
    for (int p = 0; p < PEERS; p++)
        dts_server_take(&s, 0, p, &a);
    CHECK(a.update && a.count == PEERS);
    dts_server_free(&s);
    dts_plan_free(&role.plan);
}

/* In the end all get the same weights: the last answers wait for the last request. */
static void last_answers_wait_for_all(void)
{
    struct dts_role role = server_of(1, (struct dts_serve){&dts_serve_asynchronous, 0, NULL});
    struct dts_server s;
    struct dts_serve_answer a;
    dts_served_open(&s, &role, 0, 2);
    s.joins = true;
    static const int peers[] = {0, 0, 1, 2, 1, 2}, answered_now[] = {1, 0, 1, 1, 0, 3};
    for (int i = 0; i < 6; i++) {
        dts_server_take(&s, 0, peers[i], &a);
        CHECK(a.update);
        CHECK_INT(a.count, answered_now[i]);
    }
    dts_server_free(&s);
    dts_plan_free(&role.plan);
}

/* Two of three have ended before the third: it goes on alone, though they wait for its last
 * one. */
static void backup_goes_on_while_the_first_wait(void)
{
    struct dts_role role = server_of(1, (struct dts_serve){&dts_serve_backup, 1, NULL});
    struct dts_server s;
    struct dts_serve_answer a;
    dts_served_open(&s, &role, 0, 2);
    s.joins = true;
    static const int peers[] = {0, 1, 0, 1, 2, 2};
    static const int answered_now[] = {0, 2, 0, 0, 1, 3};
    for (int i = 0; i < 6; i++) {
        dts_server_take(&s, 0, peers[i], &a);
        CHECK_INT(a.count, answered_now[i]);
    }
    CHECK(a.used && a.update);
    dts_server_free(&s);
    dts_plan_free(&role.plan);
}

static void what_is_served_is_checked(void)
{
    struct dts_role roles[2] = {
        {.name = "other", .count = 0},
        server_of(1, (struct dts_serve){&dts_serve_asynchronous, 0, NULL})};
    struct dts_job job = {.roles = roles, .role_count = 2, .ranks = 1};
    struct dts_error err = {0};
    roles[1].plan.ops[2].exchange.peer_count = 2;
    CHECK(!dts_job_check_ops(&job, &err));
    CHECK(strstr(err.text, "must be of the same peers") != NULL);
    roles[1].plan.ops[2].exchange.send = false;
    err = (struct dts_error){0};
    CHECK(!dts_job_check_ops(&job, &err));
    CHECK(strstr(err.text, "received, worked on and sent") != NULL);
    dts_plan_free(&roles[1].plan);
}

TESTS(TEST(asynchronous_answers_each_at_once), TEST(late_gradients_count_less),
      TEST(late_gradients_have_less_momentum), TEST(late_gradients_are_compensated),
      TEST(bounded_holds_who_is_ahead), TEST(backup_throws_the_last_away),
      TEST(backup_ends_with_who_is_left), TEST(last_answers_wait_for_all),
      TEST(backup_goes_on_while_the_first_wait), TEST(what_is_served_is_checked))
