/* loss.c -- tokens from a loss, by Chinchilla's law, and what a batch adds to them. */
#include "converge/loss.h"

#include <math.h>

#include "converge/fit.h"

static const double doubt_factor = 2; // of b_c; 80 % of cases are within: ASSUMED

const struct dts_loss_law dts_loss_chinchilla = {
    "Besiroglu et al. 2024, arXiv:2404.10102", 1.8172, 482.01, 2085.43, 0.3478, 0.3658,
};
const struct dts_loss_law dts_loss_hoffmann = {
    "Hoffmann et al. 2022, arXiv:2203.15556", 1.69, 406.4, 410.7, 0.34, 0.28,
};

double dts_loss_least(const struct dts_loss_law *law, double parameters)
{
    return law->floor + law->by_parameters / pow(parameters, law->parameters_power);
}

double dts_loss_at(const struct dts_loss_law *law, double parameters, double tokens)
{
    return dts_loss_least(law, parameters) + law->by_tokens / pow(tokens, law->tokens_power);
}

double dts_loss_tokens(const struct dts_loss_law *law, double parameters, double loss)
{
    const double above = loss - dts_loss_least(law, parameters);
    return above > 0 ? pow(law->by_tokens / above, 1 / law->tokens_power) : INFINITY;
}

struct dts_law dts_loss_batch_law(double tokens)
{
    return (struct dts_law){tokens, 0.57e6 * pow(tokens / 1.2e9, 0.47), 1.1};
}

/* With b_c so many times its value. */
static double at_batch(double tokens, double factor, double batch_tokens)
{
    struct dts_law law = dts_loss_batch_law(tokens);
    law.b_c *= factor;
    return dts_law_at(&law, batch_tokens);
}

bool dts_loss_predict(double parameters, double loss, double batch_tokens,
                      struct dts_forecast *forecast)
{
    const struct dts_loss_law *law = &dts_loss_chinchilla;
    const double tokens = dts_loss_tokens(law, parameters, loss);
    if (isinf(tokens))
        return false;
    const double mean = at_batch(tokens, 1, batch_tokens);
    const double more = dts_loss_tokens(law, parameters, loss - DTS_LOSS_DOUBT),
                 fewer = dts_loss_tokens(law, parameters, loss + DTS_LOSS_DOUBT);
    // each doubt alone, as logs of factors; both together as independent ones
    const double up = hypot(log(more / tokens),
                            log(at_batch(tokens, 1 / doubt_factor, batch_tokens) / mean)),
                 down = hypot(log(tokens / fewer),
                              log(mean / at_batch(tokens, doubt_factor, batch_tokens)));
    *forecast = (struct dts_forecast){mean, mean * exp(-down), mean * exp(up),
                                      (up + down) / 2 / DTS_FIT_Z80};
    return true;
}

bool dts_loss_predict_late(double parameters, double loss, double batch_tokens, double delay,
                           struct dts_forecast *forecast)
{
    const struct dts_staleness_cost *cost = &dts_staleness_cost_assumed;
    const double c[] = {cost->c, cost->c / cost->factor, cost->c * cost->factor};
    struct dts_forecast at[3];
    for (int i = 0; i < 3; i++)
        if (!dts_loss_predict(parameters, loss, dts_staleness_batch(batch_tokens, delay, c[i]),
                              &at[i]))
            return false;
    *forecast = dts_staleness_widen(&at[0], at[1].mean, at[2].mean);
    return true;
}
