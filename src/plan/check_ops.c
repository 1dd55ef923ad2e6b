/* check_ops.c -- what every operation of a plan has to keep by itself. */
#include <limits.h>

#include "plan/check.h"
#include "plan/run.h"

/* The operation that a message is about. */
struct place {
    const struct dts_job *job;
    const struct dts_role *role;
    const struct dts_op *op;
    struct dts_error *err;
};

static bool fail(const struct place *at, const char *what, long got)
{
    return dts_fail(at->err, DTS_BAD_INPUT, "plan: %s: \"%s\": %s, got %ld", at->role->name,
                    at->op->label, what, got);
}

static bool check_span(const struct place *at, const struct dts_span *span)
{
    const struct dts_plan *plan = &at->role->plan;
    if (span->buffer < 0 || span->buffer >= plan->buffer_count)
        return fail(at, "needs a buffer of the plan", span->buffer);
    size_t count = plan->buffers[span->buffer].count;
    if (span->first > count || span->count > count - span->first)
        return fail(at, "must stay in its buffer", (long)(span->first + span->count));
    return true;
}

static bool overlap(const struct dts_span *a, const struct dts_span *b)
{
    return a->buffer == b->buffer && a->first < b->first + b->count &&
           b->first < a->first + a->count;
}

/* The second place of a shift. */
static bool check_into(const struct place *at, const struct dts_collective *c)
{
    const struct dts_buffer *buffers = at->role->plan.buffers;
    if (c->into.count == 0)
        return true;
    if (!check_span(at, &c->into))
        return false;
    if (c->shape.kind != DTS_SHIFT)
        return fail(at, "only a shift has a second place", (long)c->into.count);
    if (c->shape.size < 2)
        return fail(at, "a second place needs two members", c->shape.size);
    if (c->into.count != c->data.count ||
        buffers[c->into.buffer].element_bytes != buffers[c->data.buffer].element_bytes)
        return fail(at, "a shift must arrive in as many elements", (long)c->into.count);
    if (overlap(&c->data, &c->into))
        return fail(at, "a shift must not arrive in what it sends", (long)c->into.first);
    return true;
}

static bool is_scatter(const struct dts_role *role, int number, const struct dts_op *before)
{
    if (number < 0 || number >= before - role->plan.ops)
        return false;
    const struct dts_op *op = &role->plan.ops[number];
    return op->kind == DTS_OP_COLLECTIVE && op->collective.shape.kind == DTS_REDUCE_SCATTER &&
           !op->collective.of_share;
}

static bool check_collective(const struct place *at)
{
    const struct dts_collective *c = &at->op->collective;
    if (!check_span(at, &c->data) || !check_into(at, c))
        return false;
    if (c->channels < 1)
        return fail(at, "channels must be >= 1", c->channels);
    if (c->shape.size != c->group.size)
        return fail(at, "the shape must have the size of the group", c->shape.size);
    if (c->orders != NULL && c->orders->members != c->group.size)
        return fail(at, "orders must be of the members of the group", c->orders->members);
    if (c->of_share && !is_scatter(at->role, c->scatter, at->op))
        return fail(at, "shares must be those of an earlier reduce-scatter", c->scatter);
    const char *why;
    if (!dts_coll_fits(c->algorithm, &c->shape, &why))
        return dts_fail(at->err, DTS_BAD_INPUT, "plan: %s: \"%s\": %s %s", at->role->name,
                        at->op->label, c->algorithm->name, why);
    long width = (long)c->group.stride * c->group.size;
    if (c->group.stride < 1 || at->role->count % width != 0)
        return fail(at, "groups must divide the role, with stride x size", width);
    return true;
}

static bool check_peers(const struct place *at, int rank)
{
    const struct dts_exchange *x = &at->op->exchange;
    if (x->every > 1 && (rank - at->role->first) % x->every != 0)
        return true;
    for (int p = 0; p < x->peer_count; p++) {
        long peer = dts_exchange_peer(x, rank, p);
        if (peer < 0 || peer >= at->job->ranks || peer == rank)
            return fail(at, "peers must be other ranks of the job", peer);
        long shard = (x->part == DTS_SHARD_OF_PEER ? peer : rank) - x->shard_base;
        if (x->part != DTS_WHOLE && (shard < 0 || shard >= x->shards))
            return fail(at, "peers and ranks must be those of shards", shard);
    }
    return true;
}

static bool check_exchange(const struct place *at)
{
    const struct dts_exchange *x = &at->op->exchange;
    if (!check_span(at, &x->data))
        return false;
    if (x->peer_count < 0)
        return fail(at, "peer_count must be >= 0", x->peer_count);
    if (x->ring_size < 0)
        return fail(at, "ring_size must be >= 0", x->ring_size);
    for (int r = 0; r < at->role->count; r++)
        if (!check_peers(at, at->role->first + r))
            return false;
    return true;
}

static bool check_waits(const struct place *at)
{
    const struct dts_plan *plan = &at->role->plan;
    int self = (int)(at->op - plan->ops);
    for (int w = 0; w < at->op->wait_count; w++) {
        const struct dts_wait *wait = &plan->waits[at->op->first_wait + w];
        int end = wait->previous_step ? plan->op_count : self;
        if (wait->op < 0 || wait->op >= end)
            return fail(at, "must wait for an earlier operation", wait->op);
    }
    return true;
}

static bool check_when(const struct place *at)
{
    const struct dts_when *when = &at->op->when;
    if (when->every < 0 || when->at < 0 || when->at >= (when->every > 1 ? when->every : 1))
        return fail(at, "must act at a step below the steps that it acts every", when->at);
    if (when->from < 0 || when->until < 0)
        return fail(at, "must act from a step on", when->from);
    return true;
}

/* A role that serves has items alone (serve.h): what is received of all peers, what is done
 * with it, and what is sent to the same peers. */
static bool check_served(const struct dts_job *job, const struct dts_role *role,
                         struct dts_error *err)
{
    const struct dts_plan *plan = &role->plan;
    struct place at = {job, role, plan->ops, err};
    if (role->kind != DTS_SERVER || plan->op_count % 3 != 0)
        return fail(&at, "only servers answer requests, three operations for each", role->kind);
    for (int o = 0; o < plan->op_count; o += 3) {
        const struct dts_op *op = at.op = &plan->ops[o];
        const struct dts_exchange *in = &op[0].exchange, *out = &op[2].exchange;
        if (op[0].kind != DTS_OP_EXCHANGE || op[1].kind != DTS_OP_CALL ||
            op[2].kind != DTS_OP_EXCHANGE || in->send || !out->send)
            return fail(&at, "must be received, worked on and sent", o);
        if (in->first_peer != out->first_peer || in->peer_stride != out->peer_stride ||
            in->peer_count != out->peer_count || in->relative || out->relative ||
            in->peer_count != plan->ops[0].exchange.peer_count)
            return fail(&at, "requests and answers must be of the same peers", in->peer_count);
    }
    return true;
}

bool dts_job_check_ops(const struct dts_job *job, struct dts_error *err)
{
    for (int r = 0, first = 0; r < job->role_count; r++) {
        const struct dts_role *role = &job->roles[r];
        if (role->first != first || role->count < 0)
            return dts_fail(err, DTS_BAD_INPUT, "plan: %s: must begin at rank %d, got %d",
                            role->name, first, role->first);
        first += role->count;
        if (role->serve.rule != NULL && !check_served(job, role, err))
            return false;
        for (int o = 0; o < role->plan.op_count; o++) {
            struct place at = {job, role, &role->plan.ops[o], err};
            if (!check_waits(&at) || !check_when(&at))
                return false;
            if (at.op->kind == DTS_OP_COLLECTIVE && !check_collective(&at))
                return false;
            if (at.op->kind == DTS_OP_EXCHANGE && !check_exchange(&at))
                return false;
        }
        if (r == job->role_count - 1 && first != job->ranks)
            return dts_fail(err, DTS_BAD_INPUT, "plan: roles must have %d ranks, got %d",
                            job->ranks, first);
    }
    return true;
}
