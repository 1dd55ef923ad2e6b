/* room.h -- messages of rows have room for what steps touch, or nothing runs. */
#ifndef DTS_TRAIN_LIVE_KERNELS_TABLES_ROOM_H
#define DTS_TRAIN_LIVE_KERNELS_TABLES_ROOM_H

#include "train/live/kernels/rank.h"

/* Of a worker, whose network and data are there. Where a step could name more rows than a
 * message has room for, all steps of the training are looked at: DTS_BAD_INPUT if one does.
 */
bool dts_live_room_check(struct dts_live_kernels *kernels, struct dts_error *err);

#endif
