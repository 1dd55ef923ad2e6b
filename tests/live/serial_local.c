/* serial_local.c -- local SGD of several ranks, one after another in this process: what
 * synchrony.sh holds live ranks to.
 *
 *     serial_local MODEL.json local RANKS STEPS H [OUTER_RATE OUTER_MOMENTUM]
 *     serial_local MODEL.json pairs RANKS STEPS
 *     serial_local MODEL.json delay RANKS STEPS
 *     serial_local MODEL.json late RANKS STEPS FIRST COUNT
 *
 * local: all meet after each H-th step. pairs: along one dimension of a hypercube each step.
 * delay: one rank's gradients are one update late (train/network/late.h). late: so many of them
 * from the first on are, in the order of the network's array.
 *
 * Writes the weights, in the mean over the ranks, as floats, to standard output. Data, batch,
 * rate and seed are those of train.json, with plain SGD.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "train/network/alone.h"
#include "train/network/data/data.h"
#include "train/network/late.h"
#include "train/network/order.h"

enum { BATCH = 24 };

struct serial {
    struct dts_model model;
    struct dts_network *network;
    struct dts_data *data;
    struct dts_alone alone;
    struct dts_order order;
    struct dts_late late;
    float *kept; // gradients that are late, those of the step before
    size_t kept_first, kept_count;
    int ranks, each, delay;
};

/* Late gradients take the place of those of now; before the first step there are none. */
static void change_late(const struct serial *s)
{
    float *gradients = dts_network_gradients(s->network) + s->kept_first;
    for (size_t i = 0; i < s->kept_count; i++) {
        const float now = gradients[i];
        gradients[i] = s->kept[i];
        s->kept[i] = now;
    }
}

static void step_of_rank(struct serial *s, long step, int rank)
{
    const uint64_t first = (uint64_t)step * BATCH + (uint64_t)(rank * s->each);
    const struct dts_network_step wanted = {
        .number = (uint64_t)step, .first_sample = first, .training = true, .loss_scale = 1};
    uint64_t numbers[BATCH];
    struct dts_optimizer_run *optimizer = s->alone.optimizers[rank];
    struct dts_update_settings settings = *dts_optimizer_usual(optimizer);
    dts_alone_take(&s->alone, rank);
    for (int i = 0; i < s->each; i++)
        numbers[i] = dts_order_sample(&s->order, first + (uint64_t)i);
    dts_data_fill(s->data, DTS_DATA_TRAIN, s->network, numbers, s->each);
    dts_late_begin(&s->late, dts_network_weights(s->network), step);
    dts_network_begin(s->network, &wanted);
    for (int l = 0; l < s->model.layer_count; l++)
        dts_network_forward(s->network, l);
    for (int l = s->model.layer_count - 1; l >= 0; l--)
        dts_network_backward(s->network, l);
    dts_late_end(&s->late, dts_network_weights(s->network), step);
    settings.rate = 0.05;
    settings.step = step + 1;
    change_late(s);
    dts_network_update(s->network, optimizer, &settings, 1);
    dts_alone_give(&s->alone, rank);
}

/* Both of each pair get the mean of their weights. */
static void meet_in_pairs(struct serial *s, long step)
{
    int turns = 0;
    while (1 << turns < s->ranks)
        turns++;
    const int apart = 1 << step % turns;
    for (int r = 0; r < s->ranks; r++) {
        float *a = s->alone.weights + (size_t)r * s->alone.count;
        float *b = s->alone.weights + (size_t)(r ^ apart) * s->alone.count;
        for (size_t i = 0; r < (r ^ apart) && i < s->alone.count; i++)
            a[i] = b[i] = (a[i] + b[i]) / 2;
    }
}

static bool open(struct serial *s, const char *model, double rate, double momentum,
                 struct dts_error *err)
{
    const struct dts_alone_request request = {s->ranks, rate, momentum};
    const struct dts_network_options options = {.batch = s->each, .threads = 1, .seed = 1};
    s->order = (struct dts_order){.seed = 1, .samples = 60000, .step_samples = BATCH};
    if (!dts_model_load(&s->model, model, err) ||
        !dts_network_make(&s->network, &s->model, &options, err))
        return false;
    const struct dts_data_request data = {.format = "made",
                                          .model = &s->model,
                                          .network = s->network,
                                          .samples = s->order.samples,
                                          .seed = 1};
    dts_late_open(&s->late, dts_network_parameters(s->network), s->delay);
    return dts_data_open(&s->data, &data, err) &&
           dts_alone_open(&s->alone, s->network, dts_optimizer_find("sgd"), &request, err);
}

int main(int argc, char **argv)
{
    struct dts_error err = {0};
    if (argc < 5)
        return 2;
    const char *what = argv[2];
    const bool pairs = strcmp(what, "pairs") == 0;
    const bool late = strcmp(what, "late") == 0 && argc > 6;
    const int steps = atoi(argv[4]), every = argc > 5 && !late ? atoi(argv[5]) : 0;
    struct serial s = {.ranks = atoi(argv[3]), .delay = strcmp(what, "delay") == 0};
    if (late) {
        s.kept_first = (size_t)atoi(argv[5]);
        s.kept_count = (size_t)atoi(argv[6]);
        s.kept = calloc(s.kept_count, sizeof(*s.kept));
    }
    s.each = BATCH / s.ranks;
    if (!open(&s, argv[1], argc > 6 && !late ? atof(argv[6]) : 1, argc > 7 ? atof(argv[7]) : 0,
              &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    for (long step = 0; step < steps; step++) {
        for (int r = 0; r < s.ranks; r++)
            step_of_rank(&s, step, r);
        if (pairs)
            meet_in_pairs(&s, step);
        else if (every > 0 && (step + 1) % every == 0)
            dts_alone_meet(&s.alone);
    }
    dts_alone_mean(&s.alone);
    fwrite(dts_network_weights(s.network), sizeof(float), s.alone.count, stdout);
    return 0;
}
