/* rank.h -- what a rank that trains works with, from run to run: its network, its optimizer,
 * its data, and where the training is.
 */
#ifndef DTS_TRAIN_LIVE_KERNELS_RANK_H
#define DTS_TRAIN_LIVE_KERNELS_RANK_H

#include <stdatomic.h>

#include "live/executor.h"
#include "live/message_memory.h"
#include "live/wire.h"
#include "train/live/set.h"
#include "train/network/data/data.h"
#include "train/network/optimizer.h"
#include "train/network/order.h"

/* A rank that trains: dts_live.context. What it works with is there from run to run. */
struct dts_live_kernels {
    const struct dts_point *point; // the caller's, as are the settings
    const struct dts_live_settings *settings;
    const struct dts_wire *wire;      // the caller's: to end all ranks when a device fails
    struct dts_space *space;          // owned: where a worker computes (device.h)
    bool direct;                      // messages leave and arrive there (direct.h)
    struct dts_message_memory memory; // of messages, if they are direct
    long first_step;                  // of the training, which is step 0 of the next run

    // filled by dts_live_kernels_open()
    struct dts_executor_rank rank;
    struct dts_live_server *server; // owned; NULL: a worker, which has the members below
    struct dts_network *network;    // owned
    struct dts_mirror sums;         // of normalizations, where they are exchanged
    float **there; // the plan's buffers on the device, where messages are direct; owned
    struct dts_optimizer_run *optimizer; // owned; NULL: servers update
    struct dts_data *data;               // owned
    struct dts_order order;
    uint64_t *numbers;       // of the samples of a microbatch; owned
    long epoch_steps, steps; // of an epoch; of the whole training

    // changed by runs
    double loss; // sum over microbatches of the mean over their samples
    long losses; // how many of them; whoever reads it may set both to 0
    long step;   // that the last forward pass belongs to; -1: none
    int microbatch;
    atomic_size_t copied_bytes;  // between device and host, for messages
    struct dts_loss_scale scale; // of fp16; else it stays 1
};

#endif
