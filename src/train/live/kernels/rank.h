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
#include "train/model/tables.h"
#include "train/network/data/data.h"
#include "train/network/optimizer.h"
#include "train/network/order.h"
#include "train/strategy/seat.h"

/* The networks of a worker (parts.h). */
struct dts_live_parts {
    struct dts_seat seat;          // owned
    struct dts_network **networks; // by part; owned
    struct dts_network *evaluator; // of the whole model; owned; NULL: not needed yet
    struct dts_layout layout;      // of all parts; owned
    float *weights;                // in that layout; NULL: the network's
    void *weights_room;            // owned; NULL: they are a buffer of the plan
    struct dts_span *shares;       // of what others have, too, the parts that this rank
    int share_count;               // updates; owned; 0: all
    double *class_sums;            // [members, positions of a microbatch, 3]; owned; or NULL
    float *rows;                   // that go to experts and come back; owned; or NULL
    float *positions;              // sums of the rank's own, on their way; owned; or NULL
    float *summed; // gradients, where each microbatch is summed by itself; owned
    struct dts_optimizer_run **optimizers; // of each share, or of all; owned
    int optimizer_count;                   // 0: servers update
};

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
    struct dts_live_server *server;       // owned; NULL: a worker, which has the members below
    struct dts_network *network;          // the first of a worker's networks; NULL: a server
    struct dts_live_parts *parts;         // of a worker: all of them (parts.h); owned
    struct dts_live_noise *noise;         // owned; NULL: not wanted (noise.h)
    struct dts_mirror sums;               // of normalizations, where they are exchanged
    struct dts_live_synchrony *synchrony; // owned; NULL: ranks meet in each step
    struct dts_live_gossip *gossip;       // owned; NULL: it is in no pair that does not wait
    bool gathers;                         // rows of sparse tables (lists.h), with numbers of
    int index_bytes;                      // so many bytes
    bool *whole_tables; // of layers whose tables travel whole beside rows; owned; NULL: none do
    struct dts_live_columns *columns; // of divided tables (tables/columns.h); owned; NULL: none
    struct dts_live_served *served;   // tables whose rows servers keep; owned; NULL: none
    float **there;         // the plan's buffers on the device, where messages are direct; owned
    struct dts_data *data; // owned
    struct dts_order order;
    uint64_t *numbers;       // of the samples of a microbatch; owned
    long epoch_steps, steps; // of an epoch; of the whole training

    // changed by runs
    double loss;                 // sum over microbatches of the mean over their samples
    long losses;                 // how many of them; whoever reads it may set both to 0
    long step;                   // that the last forward pass belongs to; -1: none
    atomic_size_t copied_bytes;  // between device and host, for messages
    struct dts_loss_scale scale; // of fp16; else it stays 1
};

/* Do ranks exchange rows of the layer's table, where they exchange any rows? */
static inline bool dts_live_listed(const struct dts_live_kernels *kernels, int layer)
{
    const bool whole = kernels->whole_tables != NULL && kernels->whole_tables[layer];
    return !whole && dts_layer_table(&kernels->point->scenario->model.layers[layer]) != NULL;
}

/* Have ranks parts of the network? Then all have, and there are no servers. */
static inline bool dts_live_divided(const struct dts_live_kernels *kernels)
{
    return kernels->parts != NULL && !kernels->parts->seat.whole;
}

#endif
