/* train_to.c -- steps until the target, and an evaluation now and then. */
#include "train/target/train_to.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/noise_scale.h"
#include "kernels/update/square_sum.h"
#include "train/network/alone.h"
#include "train/network/data/data.h"
#include "train/network/evaluate.h"
#include "train/network/late.h"
#include "train/network/optimizer.h"
#include "train/network/order.h"

static const double Z80 = 1.2815515655446004; // half of an 80 % interval, in deviations

/* All of a training. */
struct training {
    const struct dts_scenario *scenario;
    const struct dts_target_run *run;
    struct dts_network *network; // owned, as are the following
    struct dts_optimizer_run *optimizer;
    struct dts_data *data;
    uint64_t *numbers; // of the samples of a microbatch
    struct dts_order order;
    struct dts_noise_scale noise;
    struct dts_late late;
    struct dts_alone alone; // of ranks that train alone
    long step;              // that are done
    bool fails;             // the loss is not finite
};

static bool open_data(struct training *t, struct dts_error *err)
{
    const struct dts_scenario *s = t->scenario;
    const struct dts_data_request request = {
        .format = s->live.data.format,
        .folder = s->live.data.folder,
        .model = &s->model,
        .network = t->network,
        .samples = (uint64_t)s->dataset.samples,
        .seed = s->seed, // all runs have the same samples
    };
    if (!dts_data_open(&t->data, &request, err))
        return false;
    const uint64_t all = dts_data_samples(t->data, DTS_DATA_TEST);
    return (uint64_t)t->run->test_samples <= all ||
           dts_fail(err, DTS_BAD_INPUT,
                    "--test-samples: must be <= the test part's %llu, got %d",
                    (unsigned long long)all, t->run->test_samples);
}

static bool open_alone(struct training *t, struct dts_error *err)
{
    const double momentum = 0.9, rate = t->run->outer_rate;
    const struct dts_alone_request request = {.ranks = t->run->batch / t->run->microbatch,
                                              .outer_rate = rate > 0 ? rate : 1,
                                              .outer_momentum = rate > 0 ? momentum : 0};
    return t->run->local_steps == 0 ||
           dts_alone_open(&t->alone, t->network, t->scenario->optimizer, &request, err);
}

static bool open(struct training *t, struct dts_error *err)
{
    const struct dts_scenario *s = t->scenario;
    const struct dts_network_options options = {.batch = t->run->microbatch,
                                                .threads = s->live.threads,
                                                .seed = (uint64_t)t->run->seed,
                                                .precision = s->precision};
    t->numbers = dts_alloc((size_t)t->run->microbatch, sizeof(*t->numbers));
    t->order = (struct dts_order){.seed = (uint64_t)t->run->seed,
                                  .samples = (uint64_t)s->dataset.samples,
                                  .step_samples = (uint64_t)t->run->batch};
    t->noise = (struct dts_noise_scale){.small = t->run->microbatch, .large = t->run->batch};
    if (!dts_network_make(&t->network, &s->model, &options, err))
        return false;
    dts_late_open(&t->late, dts_network_parameters(t->network), t->run->delay);
    if (!open_alone(t, err))
        return false;
    return dts_network_optimizer(t->network, s->optimizer, &t->optimizer, err) &&
           open_data(t, err);
}

static void shut(struct training *t)
{
    dts_data_close(t->data);
    dts_optimizer_free(t->optimizer);
    dts_network_free(t->network);
    dts_noise_free(&t->noise);
    dts_late_close(&t->late);
    dts_alone_close(&t->alone);
    free(t->numbers);
}

static double gradient_squared(const struct training *t)
{
    return dts_square_sum(dts_network_gradients(t->network), dts_network_parameters(t->network),
                          dts_network_workers(t->network));
}

/* `ranks`: among which gradients are summed. */
static void microbatch(struct training *t, int number, int ranks)
{
    const int size = t->run->microbatch, layers = t->scenario->model.layer_count;
    const uint64_t first =
        (uint64_t)t->step * t->order.step_samples + (uint64_t)number * (uint64_t)size;
    const struct dts_network_step step = {
        .number = (uint64_t)t->step,
        .first_sample = first,
        .training = true,
        .keep_gradients = ranks > 1 && number > 0,
        .loss_scale = 1.0 / ranks, // sums are means then
    };
    for (int i = 0; i < size; i++)
        t->numbers[i] = dts_order_sample(&t->order, first + (uint64_t)i);
    dts_data_fill(t->data, DTS_DATA_TRAIN, t->network, t->numbers, size);
    dts_network_begin(t->network, &step);
    for (int l = 0; l < layers; l++)
        dts_network_forward(t->network, l);
    t->fails = t->fails || !isfinite(dts_network_loss(t->network));
    for (int l = layers - 1; l >= 0; l--)
        dts_network_backward(t->network, l);
}

static void update(struct training *t, struct dts_optimizer_run *optimizer)
{
    const long epoch_steps = (long)dts_order_epoch_steps(&t->order);
    const long all = (long)(t->run->most_samples / t->run->batch);
    struct dts_update_settings settings = *dts_optimizer_usual(optimizer);
    settings.step = t->step + 1;
    settings.rate =
        t->run->rate * dts_schedule_at(&t->scenario->live.schedule, t->step, epoch_steps, all);
    dts_network_update(t->network, optimizer, &settings, 1);
}

static void train_step(struct training *t)
{
    const int count = t->run->batch / t->run->microbatch;
    double small = 0;
    dts_late_begin(&t->late, dts_network_weights(t->network), t->step);
    for (int i = 0; i < count && !t->fails; i++) {
        microbatch(t, i, count);
        if (i == 0 && count > 1)
            small = gradient_squared(t) * count * count;
    }
    if (t->fails)
        return;
    dts_late_end(&t->late, dts_network_weights(t->network), t->step);
    if (count > 1)
        dts_noise_add(&t->noise, t->step + 1, small, gradient_squared(t));
    update(t, t->optimizer);
    t->step++;
}

/* Each microbatch is a rank. */
static void train_alone(struct training *t)
{
    for (int r = 0; r < t->alone.request.ranks && !t->fails; r++) {
        dts_alone_take(&t->alone, r);
        microbatch(t, r, 1);
        update(t, t->alone.optimizers[r]);
        dts_alone_give(&t->alone, r);
    }
    t->step++;
    if (t->step % t->run->local_steps == 0)
        dts_alone_meet(&t->alone);
}

static double accuracy(struct training *t)
{
    struct dts_score score = {0};
    if (t->run->local_steps > 0)
        dts_alone_mean(&t->alone);
    dts_evaluate(t->network, &t->scenario->model, t->data, DTS_DATA_TEST, 0,
                 (uint64_t)t->run->test_samples, t->run->microbatch, &score);
    return score.positions > 0 ? score.right / score.positions : NAN;
}

static void take_noise(const struct training *t, struct dts_target_noise *noise)
{
    const struct dts_noise_ratio run = dts_noise_of_run(&t->noise);
    if (t->noise.count == 0 || !isfinite(run.scale) || run.scale <= 0)
        return;
    *noise = (struct dts_target_noise){.small_batch = t->run->microbatch,
                                       .large_batch = t->run->batch,
                                       .steps = (int)t->noise.count,
                                       .scale = run.scale};
    if (isfinite(run.high))
        noise->spread = (run.high - run.low) / (2 * Z80 * run.scale);
}

static bool train(struct training *t, struct dts_target_end *end, struct dts_error *err)
{
    const double batch = t->run->batch, every = t->run->every;
    double next = every;
    while (!end->reached && !t->fails && end->samples + batch <= t->run->most_samples) {
        if (t->run->local_steps > 0)
            train_alone(t);
        else
            train_step(t);
        end->samples = (double)t->step * batch;
        if (t->fails || end->samples < next)
            continue;
        next = (floor(end->samples / every) + 1) * every;
        const double now = accuracy(t);
        if (isnan(now))
            return dts_fail(err, DTS_UNSUPPORTED, "%s tells no classes: it has no accuracy",
                            t->scenario->model.name);
        end->reached = now >= t->run->accuracy;
        end->accuracy = fmax(end->accuracy, now);
    }
    take_noise(t, &end->noise);
    return true;
}

bool dts_train_to(const struct dts_scenario *scenario, const struct dts_target_run *run,
                  struct dts_target_end *end, struct dts_error *err)
{
    struct training t = {.scenario = scenario, .run = run};
    *end = (struct dts_target_end){0};
    const bool good = open(&t, err) && train(&t, end, err);
    shut(&t);
    return good;
}
