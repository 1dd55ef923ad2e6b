/* ps.h -- parameter servers: shared by the strategy (ps.c) and its plans (ps_plan.c). */
#ifndef DTS_TRAIN_STRATEGY_PS_H
#define DTS_TRAIN_STRATEGY_PS_H

#include "train/strategy/build.h"
#include "train/strategy/coll_choice.h"

struct dts_ps {
    int servers;
    const char *placement, *shard, *within, *late_rate;
    double bucket_bytes, first_bucket_bytes, part_bytes;
    bool overlap_push, overlap_pull, aggregate_in_node, synchronous;
    int staleness_bound, backup_workers; // bound -1: none
    struct dts_coll_choice statistics;   // of synchronized batch normalization, among workers

    /* Follows from the members above and from the stack. */
    bool dedicated;
    bool by_tensor; // servers hold whole buckets, and so have plans of their own
    size_t
        cut_beyond; // by_tensor: elements of the largest bucket that is held whole; 0: all are
    bool round_robin; // by_tensor: one bucket after the other to the next server, else by size
    const struct dts_coll *within_coll;
    struct dts_bucket_policy policy;
    double piece_bytes; // of the broadcast in a node
    struct dts_serve serve;
    char name[64];
};

/* All that the plans of one point share. */
struct dts_ps_site {
    const struct dts_point *point;
    const struct dts_ps *ps;
    struct dts_bucket *buckets; // owned
    int *owner; // owned; by_tensor: the server of each bucket; -1: each has a part of it
    int bucket_count, servers;
    int per_leader;                   // neighbouring ranks that push as one
    struct dts_collective statistics; // algorithm NULL: workers have none
};

void dts_ps_worker(const struct dts_ps_site *site, struct dts_plan *plan);

/* The plan of a server. Servers have plans of their own only if by_tensor; else all have the
 * same one, and `server` is ignored. */
void dts_ps_server(const struct dts_ps_site *site, int server, struct dts_plan *plan);

#endif
