/* hash.c -- FNV-1a over the fields of a job, one by one: structs have padding. */
#include "plan/hash.h"

#include <string.h>

#include "base/hash.h"

uint64_t dts_hash_word(uint64_t hash, const char *text)
{
    return dts_hash_bytes(hash, text, strlen(text) + 1);
}

static uint64_t number(uint64_t hash, long long value)
{
    return dts_hash_bytes(hash, &value, sizeof(value));
}

static uint64_t span(uint64_t hash, const struct dts_span *span)
{
    hash = number(hash, span->buffer);
    hash = number(hash, (long long)span->first);
    return number(hash, (long long)span->count);
}

static uint64_t exchange(uint64_t hash, const struct dts_exchange *x)
{
    const long long fields[] = {x->send,       x->relative, x->first_peer, x->peer_stride,
                                x->peer_count, x->every,    x->part,       x->shards,
                                x->shard_base, x->add,      x->channel};
    hash = span(hash, &x->data);
    if (x->ring_size > 0)
        hash = number(number(hash, x->ring_first), x->ring_size);
    return dts_hash_bytes(hash, fields, sizeof(fields));
}

static uint64_t collective(uint64_t hash, const struct dts_collective *c)
{
    const long long fields[] = {c->shape.kind,   c->shape.size,   c->shape.per_node,
                                c->shape.shards, c->shape.pieces, c->group.stride,
                                c->group.size,   c->channels};
    if (dts_coll_pace_known(&c->pace)) {
        hash = dts_hash_bytes(hash, c->pace.hop_s, sizeof(c->pace.hop_s));
        hash = dts_hash_bytes(hash, c->pace.path, sizeof(c->pace.path));
        hash = dts_hash_bytes(hash, c->pace.share, sizeof(c->pace.share));
    }
    for (int o = 0; c->orders != NULL && o < c->orders->count; o++)
        hash = dts_hash_bytes(hash, c->orders->member[o], (size_t)c->orders->members);
    hash = dts_hash_word(hash, c->algorithm->name);
    hash = dts_hash_word(hash, c->shape.between != NULL ? c->shape.between->name : "");
    hash = span(hash, &c->data);
    if (c->into.count > 0)
        hash = span(hash, &c->into);
    if (c->of_share)
        hash = number(number(hash, c->scatter), c->scatter_channel);
    return dts_hash_bytes(hash, fields, sizeof(fields));
}

static uint64_t operation(uint64_t hash, const struct dts_plan *plan, const struct dts_op *op)
{
    hash = dts_hash_word(hash, op->label);
    hash = number(hash, op->kind);
    hash = number(hash, op->stream);
    hash = number(hash, op->bucket);
    for (int w = 0; w < op->wait_count; w++) {
        hash = number(hash, plan->waits[op->first_wait + w].op);
        hash = number(hash, plan->waits[op->first_wait + w].previous_step);
    }
    if (op->when.every > 1 || op->when.from > 0 || op->when.until > 0) {
        const long long when[] = {op->when.every, op->when.at, op->when.from, op->when.until};
        hash = dts_hash_bytes(hash, when, sizeof(when));
    }
    if (op->kind == DTS_OP_EXCHANGE)
        return exchange(hash, &op->exchange);
    if (op->kind == DTS_OP_COLLECTIVE)
        return collective(hash, &op->collective);
    hash = number(number(hash, op->call.pass), op->call.layer);
    return span(number(hash, op->call.part), &op->call.sums);
}

uint64_t dts_job_hash(const struct dts_job *job, uint64_t hash)
{
    if (hash == 0)
        hash = 14695981039346656037u;
    hash = number(hash, job->ranks);
    for (int r = 0; r < job->role_count; r++) {
        const struct dts_role *role = &job->roles[r];
        hash = dts_hash_word(hash, role->name);
        hash = number(hash, role->first);
        hash = number(hash, role->count);
        if (role->serve.rule != NULL)
            hash = number(dts_hash_word(hash, role->serve.rule->name), role->serve.amount);
        if (role->serve.late != NULL)
            hash = dts_hash_word(hash, role->serve.late->name);
        if (role->serve.momentum != NULL)
            hash = dts_hash_word(hash, role->serve.momentum->name);
        if (role->serve.compensation > 0)
            hash = dts_hash_bytes(hash, &role->serve.compensation, sizeof(double));
        for (int b = 0; b < role->plan.buffer_count; b++) {
            hash = number(hash, (long long)role->plan.buffers[b].count);
            hash = number(hash, (long long)role->plan.buffers[b].element_bytes);
        }
        for (int o = 0; o < role->plan.op_count; o++)
            hash = operation(hash, &role->plan, &role->plan.ops[o]);
    }
    return hash;
}
