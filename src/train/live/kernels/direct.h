/* direct.h -- messages that leave and arrive in a device's memory: MPI reads and writes it
 * by itself, and kernels of the device add what arrives (live/message_memory.h).
 */
#ifndef DTS_TRAIN_LIVE_KERNELS_DIRECT_H
#define DTS_TRAIN_LIVE_KERNELS_DIRECT_H

#include "answer/live/device_messages.h"
#include "live/live.h"
#include "train/live/kernels/rank.h"

/* Every rank calls it after it tried to open its device: are messages direct, as
 * live.device_messages wants it and MPI and devices can? All ranks get the same answer. Fails
 * where they have to be and cannot (DTS_UNSUPPORTED), where one step on known numbers in memory
 * of the devices leaves wrong ones, and where some rank has failed before. `rank` has its
 * buffers, whose numbers become zeros. */
bool dts_live_direct_open(struct dts_live_kernels *kernels, const struct dts_live *live,
                          struct dts_live_rank *rank, struct dts_device_messages *report,
                          struct dts_error *err);

/* Every rank calls it at the end; rank 0 fills what was copied. */
void dts_live_direct_count(const struct dts_live_kernels *kernels,
                           struct dts_device_messages *report);

/* The check of one step (direct_check.c): does MPI carry what it says it can, and are the
 * devices' sums right? Only where messages are direct. */
bool dts_live_direct_check(struct dts_live_kernels *kernels, const struct dts_live *live,
                           struct dts_live_rank *rank, struct dts_error *err);

/* A run of the plan takes its messages from there, where they are direct. Before: the network
 * is open. */
void dts_live_direct_use(struct dts_live_kernels *kernels, struct dts_live *live);

/* The same for buffers that are the caller's. */
void dts_live_direct_use_buffers(struct dts_live_kernels *kernels, float *const *there,
                                 struct dts_live *live);

#endif
