/* loss.h -- how many tokens a language model must see until its loss is a given one.
 *
 *     L(N, D) = E + A/N^a + B/D^b            N parameters, D tokens, L nats a token
 *
 * Two fits of the same trainings (Chinchilla, 70 million to 16 billion parameters, a decoder on
 * web text): the first, of Hoffmann et al. 2022 (arXiv:2203.15556), stopped early; the second,
 * of Besiroglu et al. 2024 (arXiv:2404.10102), is the one that predictions take. The constants
 * are from memory of both papers.
 *
 * These are tokens at small batches. The critical batch grows with the tokens and not with the
 * parameters (arXiv:2410.21676, arXiv:2505.13738: exponents 0.47 and 0.46, from memory):
 * b_c = 0.57 million tokens (D/1.2e9)^0.47, through MLPerf's Llama 3.1 8B and GPT-OSS 20B,
 * which start from nothing. The law of law.h with g = 1.1 adds what larger batches cost.
 */
#ifndef DTS_CONVERGE_LOSS_H
#define DTS_CONVERGE_LOSS_H

#include <stdbool.h>

#include "converge/forecast.h"
#include "converge/law.h"
#include "converge/staleness.h"

/* Nats a token within which a loss is known, 80 %: ASSUMED. */
#define DTS_LOSS_DOUBT 0.01

struct dts_loss_law {
    const char *source;
    double floor, by_parameters, by_tokens, parameters_power, tokens_power; // E, A, B, a, b
};

extern const struct dts_loss_law dts_loss_chinchilla; // Besiroglu et al. 2024
extern const struct dts_loss_law dts_loss_hoffmann;   // the first fit, for comparison

double dts_loss_at(const struct dts_loss_law *law, double parameters, double tokens);

/* The loss that no number of tokens gets below. */
double dts_loss_least(const struct dts_loss_law *law, double parameters);

/* Tokens until the loss, at small batches; INFINITY where it is at most the least one. */
double dts_loss_tokens(const struct dts_loss_law *law, double parameters, double loss);

/* The law of the batch for a training of so many tokens: e_min tokens, b_c tokens of a step. */
struct dts_law dts_loss_batch_law(double tokens);

/* Tokens at a batch of so many tokens, with the interval that 0.01 nats of doubt in the loss
 * and a factor of two in b_c leave (both 80 %, ASSUMED). False where the loss is never reached.
 */
bool dts_loss_predict(double parameters, double loss, double batch_tokens,
                      struct dts_forecast *forecast);

/* The same of gradients that are late by `delay` updates (staleness.h), at the cost that is
 * assumed of every network. */
bool dts_loss_predict_late(double parameters, double loss, double batch_tokens, double delay,
                           struct dts_forecast *forecast);

#endif
