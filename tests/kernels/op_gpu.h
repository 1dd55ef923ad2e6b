/* op_gpu.h -- runs of an operation on a GPU, on the arrays of op_run.h. */
#ifndef DTS_TESTS_OP_GPU_H
#define DTS_TESTS_OP_GPU_H

#include "gpu_here.h"
#include "kernels/mixed.h"
#include "kernels/op_run.h"

/* An array of a call: where it is named, and how long it is. */
struct op_array {
    void **name, *here;
    size_t bytes;
};
enum { OP_ARRAYS = 2 * (DTS_OP_INPUTS + DTS_OP_PARAMS) + 8 };

static int op_list(struct op_run *r, struct op_array *list)
{
    const struct op_case *c = r->c;
    int n = 0;
    for (int i = 0; i < c->call.input_count; i++) {
        const bool tokens = i == 0 && c->most_x > 0;
        const size_t bytes = op_values(c, &c->call.inputs[i]) * (tokens ? r->real : r->handed);
        list[n++] = (struct op_array){(void **)&r->a.x[i], NULL, bytes};
        list[n++] = (struct op_array){&r->a.dx[i], NULL, bytes};
    }
    for (int i = 0; i < c->call.param_count; i++) {
        list[n++] = (struct op_array){(void **)&r->a.w[i], NULL, c->call.params[i] * r->real};
        list[n++] = (struct op_array){&r->a.dw[i], NULL, c->call.params[i] * r->real};
    }
    const size_t out = op_values(c, &c->call.output) * (r->op->loss ? r->real : r->handed);
    list[n++] = (struct op_array){&r->a.y, NULL, out};
    list[n++] = (struct op_array){(void **)&r->a.dy, NULL, out};
    list[n++] =
        (struct op_array){(void **)&r->a.target, NULL, (size_t)c->batch * c->targets * 4};
    list[n++] = (struct op_array){&r->a.saved, NULL, r->saved};
    list[n++] = (struct op_array){&r->a.state, NULL, r->state};
    list[n++] = (struct op_array){(void **)&r->a.sums, NULL, r->sums};
    return n;
}

/* Arrays go to the GPU and come back with the guards behind them. */
static bool op_to_gpu(struct dts_gpu *gpu, struct op_array *array, struct dts_error *err)
{
    array->here = *array->name;
    return array->here == NULL ||
           (dts_gpu_alloc(array->name, array->bytes + GUARD, err) &&
            dts_gpu_write(gpu, *array->name, array->here, array->bytes + GUARD, err));
}

static bool op_from_gpu(struct dts_gpu *gpu, struct op_array *array, struct dts_error *err)
{
    void *there = *array->name;
    *array->name = array->here;
    const bool good =
        array->here == NULL || dts_gpu_read(gpu, array->here, there, array->bytes + GUARD, err);
    if (array->here != NULL)
        dts_gpu_free(there);
    return good;
}

static size_t op_gpu_scratch(const struct op_run *r, const struct dts_place *place, bool back,
                             const struct dts_mixed *mixed)
{
    const struct dts_op_version *version = &r->op->cuda;
    size_t (*size)(const struct dts_op_call *, int, int) =
        back ? version->backward_scratch : version->forward_scratch;
    if (mixed != NULL)
        return (back ? dts_mixed_backward_scratch
                     : dts_mixed_forward_scratch)(r->op, &r->c->call, r->c->batch, place);
    return size != NULL ? size(&r->c->call, r->c->batch, 1) : 0;
}

/* mixed: NULL, or x, y and their gradients have 16 bits. */
static bool op_run_gpu(struct op_run *r, struct dts_gpu *gpu, bool back,
                       const struct dts_mixed *mixed, struct dts_error *err)
{
    const struct dts_op_version *version = &r->op->cuda;
    const struct dts_place *place = dts_gpu_place(gpu);
    struct op_array list[OP_ARRAYS];
    int n = op_list(r, list);
    const size_t bytes = op_gpu_scratch(r, place, back, mixed);
    void *scratch = r->a.scratch = op_unwritten(bytes);
    list[n++] = (struct op_array){&r->a.scratch, NULL, bytes};
    bool good = true;
    for (int i = 0; i < n; i++)
        good = op_to_gpu(gpu, &list[i], err) && good;
    if (good && mixed != NULL)
        (back ? dts_mixed_backward : dts_mixed_forward)(r->op, mixed, &r->c->call, &r->a,
                                                        place);
    else if (good)
        (back ? version->backward : version->forward)(&r->c->call, &r->a, place);
    for (int i = 0; i < n; i++)
        good = op_from_gpu(gpu, &list[i], err) && good;
    CHECK(op_guard_holds(scratch, bytes));
    free(scratch);
    r->a.scratch = NULL;
    return good;
}

#endif
