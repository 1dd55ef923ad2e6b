/* train.c -- training in stretches of steps.
 *
 * A stretch is one run of the plan: its streams begin and end together, so that between two of
 * them nothing is under way and a rank's state is whole. The first one has the steps that are
 * measured; others end with an epoch, and are never so long that their times need much memory.
 */
#include "train/live/kernels/train.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/file.h"
#include "train/live/kernels/checkpoint.h"
#include "train/live/kernels/device.h"
#include "train/live/kernels/direct.h"
#include "train/live/kernels/fit.h"
#include "train/live/kernels/identity.h"
#include "train/live/kernels/memory.h"
#include "train/live/kernels/mirrors.h"
#include "train/live/kernels/mllog.h"
#include "train/live/kernels/noise.h"
#include "train/live/kernels/pace.h"
#include "train/live/kernels/share.h"
#include "train/live/kernels/synchrony.h"
#include "train/live/kernels/tables/asked.h"
#include "train/live/kernels/tables/columns.h"
#include "train/live/kernels/tables/join.h"
#include "train/live/kernels/whole.h"
#include "train/network/evaluate.h"
#include "train/strategy/build.h"

enum { MOST_STEPS = 1000 };

/* The training of one rank. */
struct course {
    const struct dts_live_training *of;
    struct dts_live_kernels *kernels;
    const struct dts_wire *wire;
    struct dts_mllog log;
    double begin_s;
    long step; // steps that are done
};

static bool is_first(const struct course *c)
{
    return c->of->rank->rank == 0;
}

/* The test part in equal shares, worker after worker. */
static void evaluate_share(struct course *c, struct dts_network *network,
                           struct dts_score *score)
{
    struct dts_live_kernels *k = c->kernels;
    const int workers = dts_job_workers(k->rank.job);
    if (network == NULL)
        return;
    const uint64_t all = dts_data_samples(k->data, DTS_DATA_TEST);
    size_t first;
    const size_t count = dts_share_of(all, k->rank.rank, workers, &first);
    dts_evaluate(network, &k->point->scenario->model, k->data, DTS_DATA_TEST, first, count,
                 k->point->batch, score);
    dts_live_mirrors_check(k);
}

/* The classes of regions, of which rank 0 knows; a server learns how many there are. */
static size_t region_classes(const struct course *c, const struct dts_network *network)
{
    const int layer = network != NULL ? dts_network_regions(network) : -1;
    size_t classes = layer >= 0 ? dts_network_classes(network, layer) : 0;
    dts_wire_share(c->wire, &classes, sizeof(classes)); // rank 0 is a worker
    return classes;
}

/* In place, rank after rank; rank 0 has the sums. */
static void add_ranks(const struct course *c, double *sums, int count)
{
    const int ranks = c->kernels->rank.job->ranks;
    double *all = is_first(c) ? dts_alloc((size_t)ranks * (size_t)count, sizeof(*all)) : NULL;
    dts_wire_gather(c->wire, sums, count, all);
    for (int i = count; all != NULL && i < ranks * count; i++)
        sums[i % count] += all[i];
    free(all);
}

/* After an epoch: how good is it? Every rank calls it, rank 0 knows. */
static bool evaluate(struct course *c, struct dts_trained_epoch *epoch, struct dts_error *err)
{
    enum { LOSS, LOSSES, SAMPLES, TEST_LOSS, POSITIONS, RIGHT, SUMS };
    struct dts_live_kernels *k = c->kernels;
    struct dts_network *network = k->network;
    dts_live_share_states(c->kernels);
    if (dts_live_divided(c->kernels) && !dts_live_evaluator(k, &network, err))
        return false;
    const size_t classes = region_classes(c, network);
    struct dts_class_count *each = dts_alloc(classes + 1, sizeof(*each));
    struct dts_score score = {.each = classes > 0 ? each : NULL};
    dts_live_mean_begin(k);
    evaluate_share(c, network, &score);
    dts_live_mean_end(k);
    double sums[SUMS] = {k->loss,    (double)k->losses, score.samples,
                         score.loss, score.positions,   score.right};
    k->loss = 0;
    k->losses = 0;
    add_ranks(c, sums, SUMS);
    if (classes > 0)
        add_ranks(c, &each->targets, 3 * (int)classes);
    *epoch = (struct dts_trained_epoch){
        .epoch = c->step / k->epoch_steps,
        .step = c->step,
        .train_loss = sums[LOSS] / sums[LOSSES],
        .test_loss = sums[TEST_LOSS] / sums[SAMPLES],
        .accuracy = sums[POSITIONS] > 0 ? sums[RIGHT] / sums[POSITIONS] : NAN,
        .mean_iou = dts_mean_iou(each, classes),
        .seconds = dts_now_s() - c->begin_s,
    };
    free(each);
    return true;
}

static bool end_epoch(struct course *c, struct dts_error *err)
{
    const long number = c->step / c->kernels->epoch_steps;
    struct dts_trained_epoch epoch;
    dts_mllog_epoch_stop(&c->log, number);
    dts_mllog_eval_start(&c->log, number);
    if (!evaluate(c, &epoch, err))
        return false;
    if (!is_first(c))
        return true;
    dts_mllog_eval_stop(&c->log, &epoch);
    dts_trained_add(&c->of->comparison->trained, &epoch);
    dts_trained_line(&epoch, c->kernels->settings->epochs, stderr);
    return true;
}

static long least(long a, long b)
{
    return a < b ? a : b;
}

/* Does training by epochs stand between two of them? */
static bool between_epochs(const struct course *c)
{
    return c->kernels->settings->epochs > 0 && c->step % c->kernels->epoch_steps == 0;
}

static long next_stop(const struct course *c, bool measures)
{
    const struct dts_live_kernels *k = c->kernels;
    const struct dts_live_settings *settings = k->settings;
    long stop = dts_live_checkpoint_next(k, c->step);
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

/* A run that goes on has what this one has: running statistics among it. */
static bool keep(struct course *c, struct dts_error *err)
{
    dts_live_share_states(c->kernels);
    dts_live_mirrors_fetch(c->kernels);
    return dts_live_checkpoint_write(c->kernels, c->wire, c->step, err);
}

/* The stretch whose steps are measured. */
static bool measure(struct course *c, const struct dts_live *live, int warm_up,
                    struct dts_error *err)
{
    struct dts_comparison *comparison = c->of->comparison;
    // another device than this processor has no pace
    struct dts_network *network =
        dts_space_is_apart(c->kernels->space) ? NULL : c->kernels->network;
    dts_live_fit(c->kernels, &comparison->fit);
    comparison->network_bytes = dts_live_network_bytes(c->kernels);
    const double begin_pace_s = dts_live_pace_s(c->wire, network);
    if (!dts_live_walk(live, c->of->rank, warm_up, comparison, c->of->timing, err))
        return false;
    comparison->fit.pace_s = (begin_pace_s + dts_live_pace_s(c->wire, network)) / 2;
    return true;
}

static bool walk(struct course *c, struct dts_error *err)
{
    bool measures = true;
    while (c->step < c->kernels->steps) {
        const long stop = next_stop(c, measures), steps = stop - c->step;
        struct dts_live live = *c->of->live;
        live.steps = (int)steps;
        live.first_step = c->step;
        dts_live_direct_use(c->kernels, &live);
        if (between_epochs(c))
            dts_mllog_epoch_start(&c->log, c->step / c->kernels->epoch_steps + 1);
        c->kernels->first_step = c->step;
        dts_live_noise_begin(c->kernels, steps);
        dts_live_asked_collect(c->kernels, steps);
        dts_live_columns_divide(c->kernels);
        if (!(measures ? measure(c, &live, skipped(c, steps), err)
                       : dts_live_walk(&live, c->of->rank, 0, c->of->comparison, c->of->timing,
                                       err)))
            return false;
        measures = false;
        dts_live_served_join(c->kernels);
        dts_live_columns_join(c->kernels);
        dts_live_noise_collect(c->kernels, &c->of->comparison->noise);
        c->step = stop;
        if (between_epochs(c) && !end_epoch(c, err))
            return false;
        if (dts_live_checkpoint_due(c->kernels, c->step) && !keep(c, err))
            return false;
    }
    return true;
}

static bool write_weights(const struct course *c, const float *weights, struct dts_error *err)
{
    const size_t count = (size_t)c->kernels->point->scenario->model.parameters;
    struct dts_output out;
    if (!dts_output_open(&out, c->kernels->settings->weights, err))
        return false;
    fwrite(weights, sizeof(float), count, out.stream);
    return dts_output_close(&out, err);
}

/* Those of the whole model, as floats, the last layer first (train/network/network.h). */
static bool keep_weights(const struct course *c, struct dts_error *err)
{
    if (c->kernels->settings->weights == NULL)
        return true;
    float *whole = dts_live_divided(c->kernels) ? dts_live_whole_weights(c->kernels) : NULL;
    bool good = true;
    if (is_first(c)) {
        dts_live_mirrors_fetch(c->kernels);
        good = write_weights(
            c, whole != NULL ? whole : dts_network_weights(c->kernels->network), err);
    }
    free(whole);
    return good;
}

/* All ranks have rank 0's state: of the beginning, or of a checkpoint. */
static bool share_state(struct course *c, struct dts_error *err)
{
    if (!dts_live_agree_on_training(c->kernels, c->wire, err) ||
        !dts_live_checkpoint_read(c->kernels, c->wire, &c->step, err))
        return false;
    dts_live_mirrors_store(c->kernels);
    dts_live_share_weights(c->kernels);
    dts_live_share_states(c->kernels);
    dts_live_gossip_start(c->kernels);
    c->of->comparison->trained.from_step = c->step;
    if (is_first(c) && c->step > 0)
        fprintf(stderr, "%s: goes on after step %ld of %ld\n",
                c->kernels->settings->checkpoint.file, c->step, c->kernels->steps);
    return true;
}

/* The log of a run that goes on is added to that of the one before. */
static bool begin(struct course *c, struct dts_error *err)
{
    const struct dts_live_rank *rank = c->of->rank;
    const struct dts_executor_rank seen = {c->of->live->job, rank->role, rank->rank,
                                           rank->buffers, c->kernels};
    const char *log = c->kernels->settings->mllog;
    const bool worker = rank->role->kind == DTS_WORKER;
    if (dts_live_files_fit(c->kernels, err))
        dts_live_device_open(c->kernels, worker, err);
    if (!dts_live_direct_open(c->kernels, c->of->live, c->of->rank,
                              &c->of->comparison->device_messages, err))
        return false;
    dts_live_kernels_open(c->kernels, &seen, err);
    if (!dts_wire_agree(c->wire, err) || !share_state(c, err))
        return false;
    if (is_first(c) && log != NULL && dts_mllog_open(&c->log, log, c->step > 0, err))
        dts_mllog_run_start(&c->log, c->kernels);
    c->begin_s = dts_now_s();
    return dts_wire_agree(c->wire, err);
}

/* Whatever rank 0 has to write is written before others end. */
static bool finish(struct course *c, struct dts_error *err)
{
    struct dts_trained *trained = &c->of->comparison->trained;
    dts_mllog_run_stop(&c->log, true);
    dts_live_direct_count(c->kernels, &c->of->comparison->device_messages);
    if (is_first(c) && c->kernels->point->scenario->precision == DTS_FP16) {
        trained->loss_scale = c->kernels->scale.scale;
        trained->left_out = c->kernels->scale.left_out;
        dts_trained_scale_line(trained, stderr);
    }
    dts_live_mean_begin(c->kernels);
    keep_weights(c, err);
    dts_live_mean_end(c->kernels);
    dts_mllog_close(&c->log, err);
    return dts_wire_agree(c->wire, err);
}

bool dts_live_train(const struct dts_live_training *training, struct dts_error *err)
{
    struct course c = {
        .of = training, .kernels = training->kernels, .wire = training->live->wire};
    c.kernels->wire = c.wire;
    const bool good = begin(&c, err) && walk(&c, err) && finish(&c, err);
    struct dts_error ignored = {0}; // what is wrong was said before
    if (!good)
        dts_mllog_run_stop(&c.log, false);
    dts_mllog_close(&c.log, &ignored);
    dts_live_kernels_close(c.kernels);
    return good;
}
