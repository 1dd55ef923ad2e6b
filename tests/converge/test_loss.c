/* test_loss.c -- tokens until a loss, against the values of both published fits. */
#include <math.h>

#include "check.h"
#include "converge/loss.h"

/* Chinchilla itself: 70 billion parameters, 1.4e12 tokens. */
static void both_fits_have_the_loss_of_chinchilla(void)
{
    CHECK_NEAR(dts_loss_at(&dts_loss_hoffmann, 70e9, 1.4e12), 1.937, 1e-3);
    CHECK_NEAR(dts_loss_at(&dts_loss_chinchilla, 70e9, 1.4e12), 1.974, 1e-3);
}

static void tokens_are_the_inverse_of_the_loss(void)
{
    const double sizes[] = {70e6, 1e9, 70e9, 405e9}, tokens[] = {1e9, 1.4e12, 15e12};
    for (int n = 0; n < 4; n++)
        for (int d = 0; d < 3; d++) {
            const double loss = dts_loss_at(&dts_loss_chinchilla, sizes[n], tokens[d]);
            CHECK_CLOSE(dts_loss_tokens(&dts_loss_chinchilla, sizes[n], loss), tokens[d], 1e-9);
        }
}

static void a_loss_below_the_least_is_never_reached(void)
{
    struct dts_forecast forecast;
    const double least = dts_loss_least(&dts_loss_chinchilla, 1e9);
    CHECK(isinf(dts_loss_tokens(&dts_loss_chinchilla, 1e9, least)));
    CHECK(!dts_loss_predict(1e9, least - 0.1, 1e6, &forecast));
    CHECK(dts_loss_predict(1e9, least + 0.1, 1e6, &forecast));
}

/* The anchors of the critical batch: 0.57 million tokens at 1.2e9, and the exponent. */
static void the_critical_batch_grows_with_the_tokens(void)
{
    CHECK_CLOSE(dts_loss_batch_law(1.2e9).b_c, 0.57e6, 1e-12);
    CHECK_CLOSE(dts_loss_batch_law(1.2e12).b_c / 0.57e6, pow(1000, 0.47), 1e-12);
}

/* A doubt of 0.01 in the loss, where the term of the data is 0.05, is 55 % of the tokens. */
static void intervals_carry_the_doubt_in_the_loss(void)
{
    struct dts_forecast small, large;
    const double least = dts_loss_least(&dts_loss_chinchilla, 70e9);
    CHECK(dts_loss_predict(70e9, least + 0.05, 1, &small));
    CHECK_CLOSE(small.mean, dts_loss_tokens(&dts_loss_chinchilla, 70e9, least + 0.05), 1e-6);
    CHECK_NEAR(log(small.high / small.mean), -log(0.8) / 0.3658, 1e-3);
    CHECK(dts_loss_predict(70e9, least + 0.05, 1e9, &large));
    CHECK(large.mean > small.mean && large.high / large.mean > small.high / small.mean);
}

TESTS(TEST(both_fits_have_the_loss_of_chinchilla), TEST(tokens_are_the_inverse_of_the_loss),
      TEST(a_loss_below_the_least_is_never_reached),
      TEST(the_critical_batch_grows_with_the_tokens),
      TEST(intervals_carry_the_doubt_in_the_loss))
