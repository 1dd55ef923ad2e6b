/* plan.c -- plans are built here, operation by operation. */
#include "plan/plan.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

/* What a stream is called, and the one that it meets; 0: its own kind. */
static const struct {
    const char *name;
    enum dts_stream meets;
} streams[DTS_BASE_STREAMS] = {
    [DTS_COMPUTE] = {"compute", 0},
    [DTS_DATA] = {"data", 0},
    [DTS_PUSH] = {"push", 0},
    [DTS_PULL] = {"pull", 0},
    [DTS_INPUT] = {"input", 0},
    [DTS_FORWARD_OUT] = {"forward out", DTS_FORWARD_IN},
    [DTS_FORWARD_IN] = {"forward in", DTS_FORWARD_OUT},
    [DTS_BACKWARD_OUT] = {"backward out", DTS_BACKWARD_IN},
    [DTS_BACKWARD_IN] = {"backward in", DTS_BACKWARD_OUT},
    [DTS_GATHER] = {"gather", 0},
    [DTS_SCATTER] = {"scatter", 0},
    [DTS_OFFLOAD] = {"offload", 0},
    [DTS_CONTEXT] = {"context", 0},
    [DTS_EXPERT] = {"expert", 0},
    [DTS_SPATIAL] = {"spatial", 0},
    [DTS_HOST] = {"host", 0},
    [DTS_MIRROR_FORWARD_OUT] = {"mirror forward out", DTS_MIRROR_FORWARD_IN},
    [DTS_MIRROR_FORWARD_IN] = {"mirror forward in", DTS_MIRROR_FORWARD_OUT},
    [DTS_MIRROR_BACKWARD_OUT] = {"mirror backward out", DTS_MIRROR_BACKWARD_IN},
    [DTS_MIRROR_BACKWARD_IN] = {"mirror backward in", DTS_MIRROR_BACKWARD_OUT},
};

static const char *const pass_names[DTS_PASSES] = {
    [DTS_FORWARD] = "forward",
    [DTS_BACKWARD] = "backward",
    [DTS_BACKWARD_INPUT] = "backward input",
    [DTS_BACKWARD_WEIGHT] = "backward weight",
    [DTS_RECOMPUTE] = "recompute",
    [DTS_UPDATE] = "update",
    [DTS_AGGREGATE] = "aggregate",
    // beside the network
    [DTS_OVERHEAD] = "overhead",
    [DTS_READ] = "read",
    [DTS_COPY] = "copy",
    [DTS_DISPATCH] = "dispatch",
    [DTS_COMPRESS] = "compress",
    [DTS_AVERAGE] = "average",
};

const char *dts_stream_name(enum dts_stream stream)
{
    if (stream < DTS_BASE_STREAMS)
        return streams[stream].name;
    return streams[dts_stream_is_pull(stream) ? DTS_PULL : DTS_PUSH].name;
}

enum dts_stream dts_stream_meets(enum dts_stream stream)
{
    const bool paired = stream < DTS_BASE_STREAMS && streams[stream].meets != 0;
    return paired ? streams[stream].meets : stream;
}

enum dts_stream dts_stream_wire(enum dts_stream stream)
{
    const enum dts_stream other = dts_stream_meets(stream);
    return other < stream ? other : stream;
}

enum dts_stream dts_stream_push(int way)
{
    return way == 0 ? DTS_PUSH : (enum dts_stream)(DTS_BASE_STREAMS + 2 * (way - 1));
}

enum dts_stream dts_stream_pull(int way)
{
    return way == 0 ? DTS_PULL : (enum dts_stream)(dts_stream_push(way) + 1);
}

bool dts_stream_is_pull(enum dts_stream stream)
{
    return stream == DTS_PULL ||
           (stream >= DTS_BASE_STREAMS && (stream - DTS_BASE_STREAMS) % 2 == 1);
}

bool dts_op_is_kernel(const struct dts_op *op)
{
    enum dts_pass pass = op->call.pass;
    return op->stream == DTS_COMPUTE &&
           (pass == DTS_FORWARD || pass == DTS_BACKWARD || pass == DTS_BACKWARD_INPUT ||
            pass == DTS_BACKWARD_WEIGHT || pass == DTS_RECOMPUTE || pass == DTS_UPDATE ||
            pass == DTS_AVERAGE);
}

const char *dts_pass_name(enum dts_pass pass)
{
    return pass_names[pass];
}

void dts_plan_free(struct dts_plan *plan)
{
    free(plan->ops);
    free(plan->waits);
    free(plan->buffers);
    *plan = (struct dts_plan){0};
}

void dts_job_free(struct dts_job *job)
{
    for (int r = 0; r < job->role_count; r++)
        dts_plan_free(&job->roles[r].plan);
    free(job->roles);
    *job = (struct dts_job){0};
}

const struct dts_role *dts_job_role(const struct dts_job *job, int rank)
{
    for (int r = 0; r < job->role_count; r++) {
        const struct dts_role *role = &job->roles[r];
        if (rank >= role->first && rank < role->first + role->count)
            return role;
    }
    assert(!"a rank below job->ranks");
    return NULL;
}

int dts_job_workers(const struct dts_job *job)
{
    int count = 0;
    for (int r = 0; r < job->role_count; r++)
        count += job->roles[r].kind == DTS_WORKER ? job->roles[r].count : 0;
    return count;
}

static int greatest_divisor(int a, int b)
{
    return b == 0 ? a : greatest_divisor(b, a % b);
}

int dts_job_period(const struct dts_job *job)
{
    int period = 1;
    for (int r = 0; r < job->role_count; r++)
        for (int o = 0; o < job->roles[r].plan.op_count; o++) {
            const int every = job->roles[r].plan.ops[o].when.every;
            if (every > 1)
                period = period / greatest_divisor(period, every) * every;
        }
    return period;
}

long dts_job_settled(const struct dts_job *job)
{
    long step = 0;
    for (int r = 0; r < job->role_count; r++)
        for (int o = 0; o < job->roles[r].plan.op_count; o++) {
            const struct dts_when *when = &job->roles[r].plan.ops[o].when;
            const long later = when->from > when->until ? when->from : when->until;
            step = later > step ? later : step;
        }
    return step;
}

const struct dts_role *dts_job_serving(const struct dts_job *job)
{
    for (int r = 0; r < job->role_count; r++)
        if (job->roles[r].serve.rule != NULL)
            return &job->roles[r];
    return NULL;
}

bool dts_job_drifts(const struct dts_job *job)
{
    return job->drifts || dts_job_serving(job) != NULL;
}

bool dts_job_has_servers(const struct dts_job *job)
{
    return dts_job_workers(job) < job->ranks;
}

int dts_plan_buffer(struct dts_plan *plan, size_t count, size_t element_bytes)
{
    int number = plan->buffer_count++;
    plan->buffers =
        dts_grow(plan->buffers, &plan->buffer_room, (size_t)number + 1, sizeof(*plan->buffers));
    plan->buffers[number] = (struct dts_buffer){count, element_bytes};
    return number;
}

static bool inside(const struct dts_plan *plan, const struct dts_span *span)
{
    if (span->buffer < 0 || span->buffer >= plan->buffer_count)
        return false;
    size_t count = plan->buffers[span->buffer].count;
    return span->first <= count && span->count <= count - span->first;
}

static struct dts_op *add(struct dts_plan *plan, enum dts_op_kind kind, enum dts_stream stream,
                          const char *label)
{
    int number = plan->op_count++;
    plan->ops = dts_grow(plan->ops, &plan->op_room, (size_t)number + 1, sizeof(*plan->ops));
    struct dts_op *op = &plan->ops[number];
    *op = (struct dts_op){
        .kind = kind, .stream = stream, .bucket = -1, .first_wait = plan->wait_count};
    snprintf(op->label, sizeof(op->label), "%s", label);
    return op;
}

int dts_plan_call(struct dts_plan *plan, enum dts_stream stream, const char *label,
                  struct dts_call call)
{
    add(plan, DTS_OP_CALL, stream, label)->call = call;
    return plan->op_count - 1;
}

int dts_plan_exchange(struct dts_plan *plan, enum dts_stream stream, const char *label,
                      struct dts_exchange exchange)
{
    assert(inside(plan, &exchange.data));
    assert(exchange.part == DTS_WHOLE || exchange.shards >= 1);
    add(plan, DTS_OP_EXCHANGE, stream, label)->exchange = exchange;
    return plan->op_count - 1;
}

int dts_plan_collective(struct dts_plan *plan, enum dts_stream stream, const char *label,
                        struct dts_collective collective)
{
    const char *why;
    assert(inside(plan, &collective.data));
    assert(collective.channels >= 1 && collective.group.stride >= 1);
    assert(collective.shape.size == collective.group.size);
    assert(dts_coll_fits(collective.algorithm, &collective.shape, &why));
    add(plan, DTS_OP_COLLECTIVE, stream, label)->collective = collective;
    return plan->op_count - 1;
}

static void wait_for(struct dts_plan *plan, struct dts_wait wait)
{
    int number = plan->wait_count++;
    plan->waits =
        dts_grow(plan->waits, &plan->wait_room, (size_t)number + 1, sizeof(*plan->waits));
    plan->waits[number] = wait;
    plan->ops[plan->op_count - 1].wait_count++;
}

void dts_plan_after(struct dts_plan *plan, int earlier)
{
    assert(earlier >= 0 && earlier < plan->op_count - 1);
    wait_for(plan, (struct dts_wait){.op = earlier});
}

void dts_plan_after_previous(struct dts_plan *plan, int op)
{
    assert(op >= 0 && plan->op_count > 0);
    wait_for(plan, (struct dts_wait){.op = op, .previous_step = true});
}
