/* cases.h -- jobs of one stream, as both witnesses run them: the live program's communication
 * under SMPI (witness.c) and the engine `exact` (expected.c).
 */
#ifndef DTS_TESTS_SMPI_CASES_H
#define DTS_TESTS_SMPI_CASES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "plan/check.h"

enum {
    STEPS = 4,         // of each case; the first is not counted
    ELEMENTS = 250000, // a MB of gradients
    MOST_NODES = 64,   // hosts of the platform
};

/* All is on this stream: SMPI wants MPI to be called by one thread. */
static const enum dts_stream STREAM = DTS_COMPUTE;

static inline void add_exchange(struct dts_plan *plan, bool send, int first, int peers,
                                enum dts_part part, int shards, int shard_base, int buffer)
{
    dts_plan_exchange(plan, STREAM, send ? "send" : "receive",
                      (struct dts_exchange){.send = send,
                                            .first_peer = first,
                                            .peer_stride = 1,
                                            .peer_count = peers,
                                            .data = {buffer, 0, ELEMENTS},
                                            .part = part,
                                            .shards = shards,
                                            .shard_base = shard_base});
}

/* Workers push to and pull from `servers`, each of which has a part of everything. */
static inline struct dts_job served(int ranks, int servers)
{
    const int first = ranks - servers;
    struct dts_job job = workers(first);
    job.ranks = ranks;
    job.role_count = 2;
    job.roles[1] = (struct dts_role){
        .name = "server", .kind = DTS_SERVER, .first = first, .count = servers};
    struct dts_plan *worker = &job.roles[0].plan, *server = &job.roles[1].plan;
    for (int b = 0; b < 2; b++) {
        dts_plan_buffer(worker, ELEMENTS, 4);
        dts_plan_buffer(server, ELEMENTS, 4);
    }
    add_exchange(worker, true, first, servers, DTS_SHARD_OF_PEER, servers, first, 0);
    add_exchange(worker, false, first, servers, DTS_SHARD_OF_PEER, servers, first, 1);
    add_exchange(server, false, 0, first, DTS_SHARD_OF_SELF, servers, first, 0);
    dts_plan_call(server, STREAM, "sum", (struct dts_call){.pass = DTS_AGGREGATE, .layer = -1});
    dts_plan_after(server, 0);
    server->ops[1].bucket = 0;
    server->ops[0].bucket = 0;
    add_exchange(server, true, 0, first, DTS_SHARD_OF_SELF, servers, first, 1);
    server->ops[2].bucket = 0;
    return job;
}

/* Case `i` for so many ranks; false: there is none. *name is static, NULL where the ranks do
 * not suit it. */
static inline bool case_of(int i, int ranks, const char **name, struct dts_job *job)
{
    static const char *const collectives[] = {"ring", "halving_doubling", "binary_blocks",
                                              "tree", "double_tree"};
    const int collective_count = (int)(sizeof(collectives) / sizeof(collectives[0]));
    static const struct {
        const char *name, *row;
        enum dts_coll_kind kind;
    } moves[] = {{"pairwise", "pairwise", DTS_ALLTOALL},
                 {"scattered", "scattered", DTS_ALLTOALL},
                 {"shift", "ring", DTS_SHIFT},
                 {"halo", "neighbors", DTS_HALO},
                 {"halo_behind", "neighbors", DTS_HALO_BEHIND}};
    const int move_count = (int)(sizeof(moves) / sizeof(moves[0]));
    static const int servers[] = {1, 3};
    static const char *const names[] = {"ps_1", "ps_3"};
    if (i < move_count) {
        *name = moves[i].name;
        *job = workers(ranks);
        struct dts_plan *plan = &job->roles[0].plan;
        struct dts_collective c = {.algorithm = dts_coll_find(moves[i].row),
                                   .shape = {moves[i].kind, ranks, 1, 1, 1, NULL},
                                   .group = {.stride = 1, .size = ranks},
                                   .channels = 1};
        c.data = (struct dts_span){dts_plan_buffer(plan, ELEMENTS, 4), 0, ELEMENTS};
        dts_plan_collective(plan, STREAM, *name, c);
        return true;
    }
    i -= move_count;
    if (i < collective_count) {
        *name = collectives[i];
        *job = workers(ranks);
        add_allreduce(&job->roles[0].plan, STREAM, *name, ranks, ELEMENTS);
        if (strstr(*name, "tree") != NULL)
            job->roles[0].plan.ops[0].collective.shape.pieces = 8;
        return true;
    }
    if ((i -= collective_count) >= (int)(sizeof(servers) / sizeof(servers[0])))
        return false;
    *name = ranks > servers[i] ? names[i] : NULL;
    if (*name != NULL)
        *job = served(ranks, servers[i]);
    return true;
}

static inline void free_job(struct dts_job *job)
{
    for (int r = 0; r < job->role_count; r++)
        dts_plan_free(&job->roles[r].plan);
    free(job->roles);
}

#endif
