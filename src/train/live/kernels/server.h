/* server.h -- a parameter server that trains: it keeps its part of the weights and of the
 * optimizer's state, and updates a bucket when the sum of what the workers pushed is there.
 */
#ifndef DTS_TRAIN_LIVE_KERNELS_SERVER_H
#define DTS_TRAIN_LIVE_KERNELS_SERVER_H

#include "train/live/kernels/rank.h"
#include "train/network/optimizer.h"

struct dts_live_server;

/* Fails where the optimizer takes tensors as a whole and the server's part cuts one. */
bool dts_live_server_open(const struct dts_executor_rank *rank, struct dts_live_server **server,
                          struct dts_error *err);
void dts_live_server_close(struct dts_live_server *server); // NULL: nothing

/* Its weights, as others give and take them between runs: those of the whole model; behind a
 * change of them, before it serves. */
float *dts_live_server_weights(struct dts_live_server *server);
void dts_live_server_begin(struct dts_live_server *server);

/* The rows of a table that it keeps, to their places among all of them. */
struct dts_live_table;
void dts_live_server_rows(const struct dts_live_server *server,
                          const struct dts_live_table *table, float *rows);

extern const struct dts_executor_lists dts_live_server_lists; // rows, where servers keep some

/* The next update of a bucket is by a gradient that is so many updates late. */
void dts_live_server_late(struct dts_live_server *server, int bucket, long stale);

/* The call that follows the sum of a bucket, in step 0, 1, ... */
void dts_live_server_update(struct dts_live_server *server, int bucket, long step);

/* Are its weights other ones than those of the workers, which have them in 16 bits? */
bool dts_live_server_keeps_weights(const struct dts_live_server *server);

/* What it keeps from step to step, beside weights that the workers have, too, bucket after
 * bucket, for checkpoints: copied to `values`, or with `take` from there; NULL: neither.
 * Returns how many floats. */
size_t dts_live_server_state(struct dts_live_server *server, float *values, bool take);

/* The learning rate of a step of the training. */
double dts_live_rate(const struct dts_live_kernels *kernels, long step);

/* What an update of that step has to know. */
struct dts_update_settings dts_live_settings(const struct dts_executor_rank *rank,
                                             const struct dts_optimizer_run *optimizer,
                                             long step);

#endif
