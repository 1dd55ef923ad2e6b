/* ps.h -- parameter servers: shared by the strategies that have some (ps.c, hybrid.c), by what
 * divides the weights over them (ps_site.c), and by their plans (ps_plan.c). */
#ifndef DTS_TRAIN_STRATEGY_PS_H
#define DTS_TRAIN_STRATEGY_PS_H

#include "train/strategy/build.h"
#include "train/strategy/coll_choice.h"
#include "train/strategy/tables.h"

struct dts_ps {
    int servers;
    const char *placement, *shard, *within, *late_rate, *late_momentum;
    double bucket_bytes, first_bucket_bytes, part_bytes;
    double late_compensation;
    double beside_share; // of the values, on servers beside workers; < 0: as BytePS has it
    bool overlap_push, overlap_pull, aggregate_in_node, synchronous;
    int staleness_bound, backup_workers; // bound -1: none
    struct dts_coll_choice statistics;   // of synchronized batch normalization, among workers
    struct dts_tables tables;

    /* Follows from the members above and from the stack. */
    bool dedicated, both; // servers on nodes of their own; there and beside workers
    bool by_tensor;       // servers hold whole buckets, and so have plans of their own
    size_t
        cut_beyond; // by_tensor: elements of the largest bucket that is held whole; 0: all are
    bool round_robin; // by_tensor: one bucket after the other to the next server, else by size
    const struct dts_coll *within_coll;
    struct dts_bucket_policy policy;
    double piece_bytes; // of the broadcast in a node
    struct dts_serve serve;
    char name[64];
};

/* Servers first .. first + count - 1 have equal parts of a bucket; count 0: none has any. */
struct dts_ps_holders {
    int first, count;
};

/* All that the plans of one point share. */
struct dts_ps_site {
    const struct dts_point *point;
    const struct dts_ps *ps;
    struct dts_bucket *buckets;     // owned
    struct dts_ps_holders *holders; // of each bucket; owned
    int bucket_count;
    int servers, beside;              // the first ones are beside workers
    int per_leader;                   // neighbouring ranks that push as one
    struct dts_collective statistics; // algorithm NULL: workers have none
    bool rows_only;                   // servers have tables alone, and not those that are dense
};

/* How many servers there are, and how many of them on nodes of workers. */
int dts_ps_servers(const struct dts_ps *ps, const struct dts_point *point, int *beside);

/* Neighbouring devices that push as one. */
int dts_ps_per_leader(const struct dts_ps *ps, const struct dts_point *point);

/* The share of all values that servers beside n workers' nodes have, where k more are on nodes
 * of their own and all have one bandwidth: with it all nodes send as much (Jiang et al. 2020,
 * OSDI, "A Unified Architecture for Accelerating Distributed DNN Training ...", section 4.1):
 *
 *     n (n - k) / (n^2 + k n - 2 k),     0 where k >= n, 1 where n = 1 or k = 0
 */
double dts_ps_beside_share(int n, int k);

bool dts_ps_ranks_needed(const struct dts_ps *ps, const struct dts_point *point,
                         struct dts_ranks_needed *needed, struct dts_error *err);

/* Divides the gradients over the servers. The caller releases *site, also after a failure. */
bool dts_ps_site_open(const struct dts_ps *ps, const struct dts_point *point, bool rows_only,
                      struct dts_ps_site *site, struct dts_error *err);
void dts_ps_site_close(struct dts_ps_site *site);

/* Bytes that servers keep on the host of a node, where that is the most: weights and state of
 * the optimizer in 4 bytes a value (fp64: 8), and where late gradients are compensated the
 * weights that each worker was sent. Servers of one node add up. */
double dts_ps_kept(const struct dts_ps_site *site);

/* The same of a point; of the servers of `hybrid` rows_only. */
bool dts_ps_memory(const struct dts_ps *ps, const struct dts_point *point, bool rows_only,
                   double *bytes, struct dts_error *err);

/* The roles of workers (whose plan is left empty) and servers. */
void dts_ps_add_roles(const struct dts_ps_site *site, struct dts_job *job);

/* The buffers that come first in a plan; -1: it has none. */
struct dts_ps_buffers {
    int gradients, weights;
    int pushed, pulled; // rows of tables
    int in_node;        // rows of the devices of a node
};
struct dts_ps_buffers dts_ps_add_buffers(const struct dts_ps_site *site, struct dts_plan *plan);

/* The exchanges of a worker, and what its node does before and behind them. Pull b ends with
 * the operation arrived[b], -1: servers have nothing of the bucket. dts_ps_foresee() tells
 * these numbers before dts_build_compute() adds the first operation. */
void dts_ps_foresee(const struct dts_ps_site *site, int *arrival);
void dts_ps_add_exchanges(const struct dts_ps_site *site, struct dts_plan *plan,
                          const struct dts_ps_buffers *buffers,
                          const struct dts_compute_ops *ops, int *arrived);

void dts_ps_worker(const struct dts_ps_site *site, struct dts_plan *plan);

/* The plan of a server. Servers have plans of their own only if by_tensor; else all that hold
 * the same buckets have the same one. */
void dts_ps_server(const struct dts_ps_site *site, int server, struct dts_plan *plan);

#endif
