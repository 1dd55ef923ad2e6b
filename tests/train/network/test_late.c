/* test_late.c -- gradients of weights of some updates ago: the recurrence of a parabola. */
#include "check.h"
#include "train/network/late.h"

/* w' = w - rate (w of `delay` steps ago), whose gradient is w itself. */
static double parabola(int delay, double rate, int steps)
{
    struct dts_late late;
    float weights[2] = {1, -3};
    dts_late_open(&late, 2, delay);
    for (long step = 0; step < steps; step++) {
        float gradient[2];
        dts_late_begin(&late, weights, step);
        for (int i = 0; i < 2; i++)
            gradient[i] = weights[i];
        dts_late_end(&late, weights, step);
        for (int i = 0; i < 2; i++)
            weights[i] -= (float)rate * gradient[i];
    }
    dts_late_close(&late);
    CHECK_NEAR(weights[1], -3 * weights[0], 1e-5);
    return weights[0];
}

static void weights_follow_the_recurrence(void)
{
    for (int delay = 0; delay <= 7; delay++) {
        double w[64] = {1};
        for (int t = 0; t < 40; t++)
            w[t + 1] = w[t] - 0.1 * w[t > delay ? t - delay : 0];
        CHECK_NEAR(parabola(delay, 0.1, 40), w[40], 1e-5);
    }
    CHECK_NEAR(parabola(0, 0.5, 3), 0.125, 0);
    CHECK_NEAR(parabola(2, 0.5, 3), -0.5, 0);  // the first three see the first weights
    CHECK_NEAR(parabola(2, 0.5, 4), -0.75, 0); // the fourth those after the first update
}

TESTS(TEST(weights_follow_the_recurrence))
