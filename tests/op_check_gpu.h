/* op_check_gpu.h -- the GPU's version of a call against the reference, where there is a GPU:
 * the arrays of a run are copied in with their guards, and out again. */
#ifndef DTS_TESTS_OP_CHECK_GPU_H
#define DTS_TESTS_OP_CHECK_GPU_H

#include "op_run.h"
#include "ops/gpu.h"

/* An array of the host with its guard, and its copy. */
struct op_copy {
    void *host, *device;
    size_t bytes;
};

enum { OP_COPIES = 2 * DTS_OP_INPUTS + 2 * DTS_OP_PARAMS + 8 };

struct op_copies {
    struct op_copy items[OP_COPIES];
    int count;
    const struct dts_place *place;
};

/* Where the copy of an array lies. */
static inline void *op_copy_in(struct op_copies *copies, const void *host, size_t bytes,
                               size_t guard)
{
    if (host == NULL)
        return NULL;
    struct op_copy *copy = &copies->items[copies->count++];
    *copy = (struct op_copy){(void *)host, dts_gpu_alloc(bytes + guard), bytes + guard};
    if (copy->device == NULL)
        abort();
    dts_gpu_copy_in(copy->device, host, copy->bytes, copies->place);
    return copy->device;
}

static inline void op_copies_out(struct op_copies *copies)
{
    for (int i = 0; i < copies->count; i++) {
        const struct op_copy *copy = &copies->items[i];
        dts_gpu_copy_out(copy->host, copy->device, copy->bytes, copies->place);
        dts_gpu_free(copy->device);
    }
    copies->count = 0;
}

/* The arrays of a run as they lie on a GPU. */
static struct dts_arrays op_to_gpu(const struct op_run *r, struct op_copies *copies)
{
    const struct op_case *c = r->c;
    struct dts_arrays a = r->a;
    const size_t y = op_values(c, &c->call.output) * r->real;
    for (int i = 0; i < c->call.input_count; i++) {
        const size_t bytes = op_values(c, &c->call.inputs[i]) * r->real;
        a.x[i] = op_copy_in(copies, r->a.x[i], bytes, GUARD);
        a.dx[i] = op_copy_in(copies, r->a.dx[i], bytes, GUARD);
    }
    for (int i = 0; i < c->call.param_count; i++) {
        a.w[i] = op_copy_in(copies, r->a.w[i], c->call.params[i] * r->real, GUARD);
        a.dw[i] = op_copy_in(copies, r->a.dw[i], c->call.params[i] * r->real, GUARD);
    }
    a.y = op_copy_in(copies, r->a.y, y, GUARD);
    a.dy = op_copy_in(copies, r->a.dy, y, GUARD);
    a.target =
        op_copy_in(copies, r->a.target, (size_t)c->batch * c->targets * sizeof(float), GUARD);
    a.saved = op_copy_in(copies, r->a.saved, r->saved, GUARD);
    a.state = op_copy_in(copies, r->a.state, r->state, GUARD);
    return a;
}

static void op_run_gpu(struct op_run *r, const struct dts_place *place)
{
    const struct dts_op_version *version = &r->op->cuda;
    struct op_copies copies = {.place = place};
    struct dts_arrays a = op_to_gpu(r, &copies);
    for (int back = 0; back < 2; back++) {
        size_t (*size)(const struct dts_op_call *, int, int) =
            back ? version->backward_scratch : version->forward_scratch;
        const size_t bytes = size != NULL ? size(&r->c->call, r->c->batch, 1) : 0;
        void *scratch = op_guarded(bytes);
        const int before = copies.count;
        a.scratch = op_copy_in(&copies, scratch, bytes, GUARD);
        (back ? version->backward : version->forward)(&r->c->call, &a, place);
        dts_gpu_copy_out(scratch, a.scratch, bytes + GUARD, place);
        CHECK(op_guard_holds(scratch, bytes));
        dts_gpu_free(a.scratch);
        free(scratch);
        copies.count = before;
    }
    op_copies_out(&copies);
}

static void op_check_gpu(const struct op_case *c, const struct dts_op *op)
{
    struct dts_place place;
    struct dts_error err = {0};
    if (op->cuda.forward == NULL || dts_gpu_count() == 0 ||
        !CHECK(dts_gpu_open(&place, 0, false, &err)))
        return;
    struct op_run want = op_begin(c, op, 8), got = op_begin(c, op, 4);
    op_run_version(&want, &op->reference, false, NULL);
    op_run_version(&want, &op->reference, true, NULL);
    op_run_gpu(&got, &place);
    const double tolerance = 8 * sqrt(c->sums + 4) * 0x1p-24;
    op_compare(got.a.y, want.a.y, op_values(c, &c->call.output), tolerance);
    for (int i = 0; i < c->call.input_count; i++)
        if (want.a.dx[i] != NULL)
            op_compare(got.a.dx[i], want.a.dx[i], op_values(c, &c->call.inputs[i]), tolerance);
    for (int i = 0; i < c->call.param_count; i++)
        op_compare(got.a.dw[i], want.a.dw[i], c->call.params[i], tolerance);
    op_end(&got);
    op_end(&want);
    dts_gpu_close(&place);
}

#endif
