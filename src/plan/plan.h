/* plan.h -- what the ranks of one role do in one training step.
 *
 * A job has a few roles (workers, servers; with pipelines: stages), and one plan for each role,
 * not one for each rank: peers are relative to the rank or absolute, and a group of ranks is a
 * stride and a size. A job of 27,648 ranks holds one plan.
 *
 * A plan is a list of operations and the order between them. It knows neither the network nor
 * the program that carries it out: src/sim replays a plan in simulated time, src/live runs it
 * over MPI, and both walk it with the same code (plan/run.h).
 *
 * Every operation sits on a stream. On one stream, operations run one after another in the
 * order they were added; on different streams they overlap, unless one waits for another. This
 * is how CUDA streams and NCCL communicators behave. Here the last layer's gradients travel
 * while the layer before it still computes:
 *
 *     compute   fwd 0 | fwd 1 | bwd 1 | bwd 0 |                     | update
 *     data                            | all-reduce 1 | all-reduce 0 |
 *
 * A plan is walked once for each step. A stream that has ended its step begins the next one on
 * its own. An operation waits only for operations that were added before it in the same step,
 * or for any operation of the previous step, so that a plan cannot contain a cycle. An
 * operation may act in some steps only, as the all-reduce of weights that ranks train alone
 * for some steps (when.h).
 */
#ifndef DTS_PLAN_PLAN_H
#define DTS_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/call/op_call.h"
#include "plan/coll/coll.h"
#include "plan/orders.h"
#include "plan/serve.h"
#include "plan/when.h"

/* A worker may push and pull over this many pairs of streams at once. */
enum { DTS_WAYS = 64 };

enum dts_stream {
    DTS_COMPUTE, // kernels of the device, and collectives that kernels wait for
    DTS_DATA,    // gradient collectives
    DTS_PUSH,    // worker to server; on a server: what arrives
    DTS_PULL,    // server to worker; on a server: what leaves
    DTS_INPUT,   // reading samples
    DTS_HOST,    // what the host does to have kernels run

    /* Between the stages of a pipeline: what one rank sends on a stream "out", another one
     * receives on the stream "in", so that a rank sends and receives at once. */
    DTS_FORWARD_OUT,  // activations, to the stage that computes with them
    DTS_FORWARD_IN,   // activations, from the stage before
    DTS_BACKWARD_OUT, // gradients of activations, to the stage before
    DTS_BACKWARD_IN,  // gradients of activations, from the stage behind

    DTS_GATHER,  // weights that are divided over ranks, ahead of the kernels that read them
    DTS_SCATTER, // gradients that each rank keeps a part of
    DTS_OFFLOAD, // between a device and the memory of its host, and what the host computes
    DTS_CONTEXT, // what attention needs of positions that other ranks have
    DTS_EXPERT,  // positions to the ranks of their experts, and back
    DTS_SPATIAL, // what strips of an image need of one another

    /* Between stages, too, of a second copy of the network that goes from the last stage to the
     * first one. */
    DTS_MIRROR_FORWARD_OUT,
    DTS_MIRROR_FORWARD_IN,
    DTS_MIRROR_BACKWARD_OUT,
    DTS_MIRROR_BACKWARD_IN,

    DTS_BASE_STREAMS,
    /* Further pairs like DTS_PUSH and DTS_PULL follow: dts_stream_push(1) and so on. */
    DTS_STREAMS = DTS_BASE_STREAMS + 2 * (DTS_WAYS - 1)
};

enum dts_stream dts_stream_push(int way); // 0 .. DTS_WAYS - 1; way 0 is DTS_PUSH
enum dts_stream dts_stream_pull(int way);
bool dts_stream_is_pull(enum dts_stream stream);

/* The stream of the other rank on which messages of this stream arrive, or leave: a wire joins
 * both. Other streams than those of pipelines meet their own kind. */
enum dts_stream dts_stream_meets(enum dts_stream stream);
enum dts_stream dts_stream_wire(enum dts_stream stream); // one of the two, for both

const char *dts_stream_name(enum dts_stream stream);

/* The part of a step that a call belongs to; reports say where the time went by it. */
enum dts_pass {
    DTS_FORWARD,
    DTS_BACKWARD,

    /* Backward in two passes, where a schedule of a pipeline has them apart. */
    DTS_BACKWARD_INPUT,  // the gradients of inputs
    DTS_BACKWARD_WEIGHT, // the gradients of weights

    DTS_RECOMPUTE, // forward again, of what was not kept for backward
    DTS_UPDATE,    // optimizer
    DTS_AGGREGATE, // a server sums what arrived
    DTS_OVERHEAD,  // fixed time of the framework in each step
    DTS_READ,      // a batch of samples is read
    DTS_COPY,      // between a device and its host
    DTS_DISPATCH,  // the host issues a call to its device
    DTS_COMPRESS,  // gradients become messages, and messages are added
    DTS_AVERAGE,   // sums of weights become means, and an outer optimizer's update
    DTS_PASSES
};

const char *dts_pass_name(enum dts_pass pass);

struct dts_op;

/* What noise, slowdown and factors act on: what the device computes, not fixed times. */
bool dts_op_is_kernel(const struct dts_op *op);

/* Part of a buffer of the plan, in elements. */
struct dts_span {
    int buffer;
    size_t first, count;
};

struct dts_buffer {
    size_t count;         // elements
    size_t element_bytes; // on the wire: 4 for fp32, 2 for fp16 and bf16, 8 for doubles
};

/* Ranks that communicate. One description stands for all the groups that a role divides into:
 * within a role whose first rank is 0, rank r is member (r / stride) % size of the group that
 * begins at r - member * stride. stride * size divides the number of ranks of the role. */
struct dts_group {
    int stride, size;
};

static inline bool dts_group_same(const struct dts_group *a, const struct dts_group *b)
{
    return a->stride == b->stride && a->size == b->size;
}

/* Run a kernel. Its time is known, from a profile or a roofline. */
struct dts_call {
    enum dts_pass pass;
    int layer; // of the model; -1: none
    int more;  // layers that the same call runs behind `layer`; backward in opposite order

    int microbatch; // of the step, from 0
    int chunk;      // of the stage: which of its parts of the network, from 0
    int slot;       // which of the rank's sets of activations, from 0

    /* On an undisturbed device. The engines add noise and the slowdown by communication to
     * calls on DTS_COMPUTE. */
    double seconds;

    /* The part of the layer's operation. An operation may run in two halves: the first leaves
     * sums (doubles) here, a collective adds them up, and the second half reads them. */
    enum dts_op_part part;
    struct dts_span sums;
};

/* The part of the span that travels between a rank and a peer. */
enum dts_part {
    DTS_WHOLE,         // all of it, with every peer
    DTS_SHARD_OF_PEER, // shard number (peer - shard_base) of `shards`
    DTS_SHARD_OF_SELF, // shard number (rank - shard_base)
};

/* A set of messages in flight together, all to or all from the peers. Both sides name the same
 * messages: a worker's sends are the server's receives. An exchange is complete when all its
 * messages are. */
struct dts_exchange {
    bool send;                               // else receive
    bool relative;                           // peers count from the rank, else from 0
    int first_peer, peer_stride, peer_count; // peer_count may be 0

    /* > 0: peers are ranks of ring_first .. ring_first + ring_size - 1, and count round. */
    int ring_first, ring_size;

    /* > 1: only ranks r (counted within the role) with r % every == 0 take part. */
    int every;

    struct dts_span data;
    enum dts_part part;
    int shards, shard_base;
    bool add;    // receive: add what arrives; else overwrite
    bool awaits; // receive: what comes when it comes; who waits for it is not communicating
    int channel; // messages meet only in the same channel; both sides name the same number

    /* Between stages: whose activations or gradients these are, as of a call. */
    int microbatch, chunk, slot;
};

/* Between two calls ranks combine what a call made: a copy of it is the data of the operation,
 * there and back. */
struct dts_between {
    bool copied;            // else the data is what it is
    bool gradients;         // of parameters that each rank has: no call's
    bool backward;          // of a backward pass
    bool again;             // of one that runs forward again
    bool before;            // the layer's call; else behind it
    int number, count;      // which of so many of its ranks at that moment, one after another
    int layer, chunk, slot; // as of a call
};

/* The ranks of a group combine or exchange their data, each with its own copy of this
 * operation.
 */
struct dts_collective {
    const struct dts_coll *algorithm;
    struct dts_coll_shape shape; // shape.size is group.size
    struct dts_group group;
    struct dts_span data;

    /* A shift alone: what arrives goes here, and `data` stays as it is, for kernels that read
     * it meanwhile. As many elements of the same size, none of them of `data`; with two members
     * or more. Of 0 elements: what arrives takes the place of what left. */
    struct dts_span into;

    /* The data is what each rank owns of one channel's part of an earlier reduce-scatter, and
     * data.count the most that any rank does: members of this group own the same part. */
    bool of_share;
    int scatter, scatter_channel; // the operation, and the channel

    struct dts_between made; // for ranks that train

    /* >= 1: the data is cut into this many parts, which travel at once. In part c the members
     * of each node are rotated by c * per_node / channels, so that each ring leaves the node by
     * another device. In a broadcast member 0, which has the data, stays in its place and the
     * other members of its node rotate; in an all-to-all and a shift all stay. */
    int channels;

    /* Of one node: instead of rotating, members are taken in these orders; borrowed. NULL: none
     * are known. */
    const struct dts_orders *orders;

    struct dts_coll_pace pace;

    char chosen[48]; // "tree/LL128, 8 channels": what a library chose; "": no library did
    char why[160];   // and why
};

/* Where the result of a collective lies. */
static inline const struct dts_span *dts_collective_result(const struct dts_collective *c)
{
    return c->into.count > 0 ? &c->into : &c->data;
}

enum dts_op_kind { DTS_OP_CALL, DTS_OP_EXCHANGE, DTS_OP_COLLECTIVE };

struct dts_op {
    enum dts_op_kind kind;
    enum dts_stream stream;
    char label[48];             // for timelines and messages: "all-reduce 3"
    int bucket;                 // number of the gradient bucket that it serves; -1: none
    int first_wait, wait_count; // a part of plan->waits
    struct dts_when when;       // the steps in which it acts
    union {
        struct dts_call call;
        struct dts_exchange exchange;
        struct dts_collective collective;
    };
};

/* The data of an operation that has messages: of what it sends, and of what it receives. */
static inline const struct dts_span *dts_op_leaves(const struct dts_op *op)
{
    return op->kind == DTS_OP_EXCHANGE ? &op->exchange.data : &op->collective.data;
}

static inline const struct dts_span *dts_op_arrives(const struct dts_op *op)
{
    return op->kind == DTS_OP_EXCHANGE ? &op->exchange.data
                                       : dts_collective_result(&op->collective);
}

struct dts_wait {
    int op;

    /* Wait for the operation of the previous step; the first step waits for nothing. */
    bool previous_step;
};

struct dts_plan {
    struct dts_op *ops;
    struct dts_wait *waits; // of all operations: op->first_wait
    struct dts_buffer *buffers;
    int op_count, wait_count, buffer_count;
    size_t op_room, wait_room, buffer_room;
};

enum dts_role_kind {
    DTS_WORKER, // runs the network, or a part of it; a step ends with the last worker's
    DTS_SERVER, // holds weights, on a host
};

/* Ranks first .. first + count - 1 walk this plan. */
struct dts_role {
    const char *name; // "worker", "server", "stage"
    enum dts_role_kind kind;
    int first, count;
    struct dts_serve serve; // of servers: the order in which they answer
    struct dts_plan plan;
};

/* All that runs. Ranks of all roles together are 0 .. ranks - 1, role after role. */
struct dts_job {
    struct dts_role *roles; // owned
    int role_count;
    int ranks;

    /* No worker waits for all others: each has a pace of its own, and a step is the harmonic
     * mean of theirs. Jobs with servers that have a rule are so in any case. */
    bool drifts;
};

void dts_plan_free(struct dts_plan *plan); // leaves it empty
void dts_job_free(struct dts_job *job);

const struct dts_role *dts_job_role(const struct dts_job *job, int rank);

int dts_job_workers(const struct dts_job *job); // ranks of all roles of workers

/* After so many steps everything repeats: the least common multiple of what operations act
 * every so many steps. 1: all steps are alike, in the long run. */
int dts_job_period(const struct dts_job *job);

/* The first step from which on steps of a job are as those of the long run. */
long dts_job_settled(const struct dts_job *job);
bool dts_job_has_servers(const struct dts_job *job);

bool dts_job_drifts(const struct dts_job *job);

/* The first role that has a rule (serve.h): all servers of a job have the same; NULL: none has.
 */
const struct dts_role *dts_job_serving(const struct dts_job *job);

/* Add a buffer or an operation to a plan. Returns its number. `label` is copied. */
int dts_plan_buffer(struct dts_plan *plan, size_t count, size_t element_bytes);
int dts_plan_call(struct dts_plan *plan, enum dts_stream stream, const char *label,
                  struct dts_call call);
int dts_plan_exchange(struct dts_plan *plan, enum dts_stream stream, const char *label,
                      struct dts_exchange exchange);
int dts_plan_collective(struct dts_plan *plan, enum dts_stream stream, const char *label,
                        struct dts_collective collective);

/* The operation that was added last waits for an earlier one of this step, or for any one of
 * the previous step; the latter may be added later. */
void dts_plan_after(struct dts_plan *plan, int earlier);
void dts_plan_after_previous(struct dts_plan *plan, int op);

#endif
