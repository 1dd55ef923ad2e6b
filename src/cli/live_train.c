/* live_train.c -- training in stretches of steps.
 *
 * A stretch is one run of the plan: its streams begin and end together, so that between two of
 * them nothing is under way and a rank's state is whole. The first one has the steps that are
 * measured; others end with an epoch, and are never so long that their times need much memory.
 */
#include "cli/live_train.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "exec/evaluate.h"
#include "train/build.h"

enum { MOST_STEPS = 1000 };

/* The training of one rank. */
struct course {
    const struct dts_live_training *of;
    struct dts_live_kernels *kernels;
    const struct dts_wire *wire;
    double begin_s;
    long step; // steps that are done
};

static bool is_first(const struct course *c)
{
    return c->of->rank->rank == 0;
}

/* What rank 0 begins with becomes what all begin with. */
static void share_weights(struct course *c)
{
    struct dts_live_kernels *k = c->kernels;
    float *weights = k->network != NULL ? dts_network_weights(k->network)
                                        : c->of->rank->buffers[DTS_WEIGHTS];
    const size_t count = (size_t)k->point->scenario->model.parameters;
    dts_wire_share(c->wire, weights, count * sizeof(*weights));
}

/* Running statistics are of each rank's own samples: from time to time those of rank 0 count
 * for all, as PyTorch's DistributedDataParallel has it. A server only listens. */
static void share_states(struct course *c)
{
    size_t bytes = 0;
    void *states = NULL;
    if (c->kernels->network != NULL)
        states = dts_network_states(c->kernels->network, &bytes);
    dts_wire_share(c->wire, &bytes, sizeof(bytes)); // rank 0 is a worker
    void *ignored = states == NULL ? dts_alloc(1, bytes) : NULL;
    dts_wire_share(c->wire, states != NULL ? states : ignored, bytes);
    free(ignored);
}

/* The test part in equal shares, worker after worker. */
static void evaluate_share(struct course *c, struct dts_score *score)
{
    struct dts_live_kernels *k = c->kernels;
    const int workers = k->rank.job->roles[0].count;
    if (k->network == NULL)
        return;
    const uint64_t all = dts_data_samples(k->data, DTS_DATA_TEST);
    size_t first;
    const size_t count = dts_share_of(all, k->rank.rank, workers, &first);
    dts_evaluate(k->network, &k->point->scenario->model, k->data, DTS_DATA_TEST, first, count,
                 k->point->batch, score);
}

/* After an epoch: how good is it? Every rank calls it, rank 0 knows. */
static void evaluate(struct course *c, struct dts_trained_epoch *epoch)
{
    enum { LOSS, LOSSES, SAMPLES, TEST_LOSS, POSITIONS, RIGHT, SUMS };
    struct dts_live_kernels *k = c->kernels;
    struct dts_score score = {0};
    const int ranks = k->rank.job->ranks;
    double sums[SUMS] = {0};
    share_states(c);
    evaluate_share(c, &score);
    const double mine[SUMS] = {k->loss,    (double)k->losses, score.samples,
                               score.loss, score.positions,   score.right};
    k->loss = 0;
    k->losses = 0;
    double *all = is_first(c) ? dts_alloc((size_t)ranks * SUMS, sizeof(*all)) : NULL;
    dts_wire_gather(c->wire, mine, SUMS, all);
    for (int i = 0; all != NULL && i < ranks * SUMS; i++)
        sums[i % SUMS] += all[i];
    free(all);
    *epoch = (struct dts_trained_epoch){
        .epoch = c->step / k->epoch_steps,
        .step = c->step,
        .train_loss = sums[LOSS] / sums[LOSSES],
        .test_loss = sums[TEST_LOSS] / sums[SAMPLES],
        .accuracy = sums[POSITIONS] > 0 ? sums[RIGHT] / sums[POSITIONS] : NAN,
        .seconds = dts_now_s() - c->begin_s,
    };
}

static void end_epoch(struct course *c)
{
    struct dts_trained_epoch epoch;
    evaluate(c, &epoch);
    if (!is_first(c))
        return;
    dts_trained_add(&c->of->comparison->trained, &epoch);
    dts_trained_line(&epoch, c->kernels->settings->epochs, stderr);
}

static long least(long a, long b)
{
    return a < b ? a : b;
}

static long next_stop(const struct course *c, bool measures)
{
    const struct dts_live_kernels *k = c->kernels;
    const struct dts_live_settings *settings = k->settings;
    long stop = k->steps;
    if (settings->epochs > 0)
        stop = least(stop, (c->step / k->epoch_steps + 1) * k->epoch_steps);
    return least(stop, c->step + (measures ? settings->warm_up + settings->steps : MOST_STEPS));
}

/* Of few steps the first is not measured, of one step none. */
static int skipped(const struct course *c, long steps)
{
    const int warm_up = c->kernels->settings->warm_up;
    return steps > warm_up ? warm_up : steps > 1 ? 1 : 0;
}

static bool walk(struct course *c, struct dts_error *err)
{
    bool measures = true;
    while (c->step < c->kernels->steps) {
        const long stop = next_stop(c, measures), steps = stop - c->step;
        struct dts_live live = *c->of->live;
        live.steps = (int)steps;
        c->kernels->first_step = c->step;
        if (!dts_live_walk(&live, c->of->rank, measures ? skipped(c, steps) : 0,
                           c->of->comparison, c->of->timing, err))
            return false;
        measures = false;
        c->step = stop;
        if (c->kernels->settings->epochs > 0 && stop % c->kernels->epoch_steps == 0)
            end_epoch(c);
    }
    return true;
}

/* Rank 0's, as floats, the last layer first (exec/network.h). */
static bool keep_weights(const struct course *c, struct dts_error *err)
{
    const char *path = c->kernels->settings->weights;
    struct dts_network *network = c->kernels->network;
    struct dts_output out;
    if (!is_first(c) || path == NULL)
        return true;
    if (!dts_output_open(&out, path, err))
        return false;
    fwrite(dts_network_weights(network), sizeof(float), dts_network_parameters(network),
           out.stream);
    return dts_output_close(&out, err);
}

bool dts_live_train(const struct dts_live_training *training, struct dts_error *err)
{
    const struct dts_live *live = training->live;
    const struct dts_live_rank *rank = training->rank;
    const struct dts_executor_rank seen = {live->job, rank->role, rank->rank, rank->buffers,
                                           training->kernels};
    struct course c = {.of = training, .kernels = training->kernels, .wire = live->wire};
    dts_live_kernels_open(c.kernels, &seen, err);
    bool good = dts_wire_agree(c.wire, err);
    if (good) {
        share_weights(&c);
        c.begin_s = dts_now_s();
        good = walk(&c, err);
    }
    if (good) {
        keep_weights(&c, err);
        good = dts_wire_agree(c.wire, err);
    }
    dts_live_kernels_close(c.kernels);
    return good;
}
