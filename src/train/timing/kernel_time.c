/* kernel_time.c -- what the caches hold before a call, and its clock. */
#include "train/timing/kernel_time.h"

#include <stdint.h>

#include "base/os/clock.h"
#include "kernels/mixed.h"
#include "kernels/place.h"
#include "train/timing/kernel_trial.h"

/* The update of the weights, between what calls left of them and this one. */
static void touch_weights(const struct dts_kernel_trial *t)
{
    for (int p = 0; p < t->call->param_count; p++) {
        const size_t bytes = t->call->params[p] * sizeof(float);
        dts_kernel_timer_refresh(t->timer, (void *)t->a.w[p], bytes);
        if (t->backward)
            dts_kernel_timer_refresh(t->timer, t->a.dw[p], bytes);
    }
}

enum { LINE = 64 };

/* Of the next run's scratch, how much other calls have used since the call's weights were. */
static size_t reused(const struct dts_kernel_trial *t)
{
    const struct dts_reuse *reuse = &t->timer->reuse;
    const double bytes = t->now_backward ? reuse->backward * (double)t->scratch_backward
                                         : reuse->forward * (double)t->scratch_forward;
    return (size_t)bytes / LINE * LINE;
}

/* The rest is as the call itself left it, both ways. */
static void touch_own_scratch(const struct dts_kernel_trial *t)
{
    const size_t bytes = dts_kernel_trial_scratch(t), used = reused(t);
    if (used < (t->now_backward ? t->scratch_backward : t->scratch_forward))
        dts_kernel_timer_refresh(t->timer, (char *)t->a.scratch + used, bytes - used);
}

/* Memory that other calls have just used: a step's scratch and gradients of values share it. */
static void touch_passing(const struct dts_kernel_trial *t)
{
    dts_kernel_timer_refresh(t->timer, t->a.scratch, reused(t));
    for (int i = 0; t->now_backward && i < t->call->input_count; i++)
        dts_kernel_timer_refresh(t->timer, t->a.dx[i],
                                 (size_t)t->a.batch * dts_dims_elements(&t->call->inputs[i]) *
                                     dts_kernel_trial_real(t));
}

static void leave_as_a_step(void *argument)
{
    const struct dts_kernel_trial *t = argument;
    const struct dts_kernel_timer *timer = t->timer;
    const struct dts_gap *gap = t->now_backward ? &timer->backward : &timer->forward;
    const bool begins = t->call->first && !t->now_backward; // the update was before
    if (!t->now_backward && !dts_kernel_timer_forgets(timer, gap)) {
        dts_kernel_timer_flush(timer, &timer->before_update);
        touch_weights(t);
    }
    touch_own_scratch(t);
    if (begins)
        touch_passing(t);
    dts_kernel_timer_flush_last(timer, gap);
    const double since_s = dts_now_s();
    if (!begins)
        touch_passing(t);
    dts_kernel_timer_refresh(timer, t->fresh, t->fresh_bytes);
    dts_kernel_timer_ready(timer, since_s);
}

static void run(struct dts_kernel_trial *t, bool backward)
{
    struct dts_space *space = t->timer->space;
    const struct dts_place *place = dts_space_place(space);
    const struct dts_mixed mixed = {t->timer->half, 1};
    dts_space_enter(space);
    if (backward && t->lists && t->timer->mixed)
        dts_mixed_rows(&t->rows, t->op, t->timer->half, t->call, &t->a, place);
    else if (backward && t->lists)
        dts_sparse_gradient(&t->rows, t->call, &t->a, place->workers);
    else if (t->timer->mixed)
        (backward ? dts_mixed_backward : dts_mixed_forward)(t->op, &mixed, t->call, &t->a,
                                                            place);
    else
        (backward ? t->version->backward : t->version->forward)(t->call, &t->a, place);
    dts_space_leave(space);
    dts_space_wait(space);
}

static void run_forward(void *argument)
{
    run(argument, false);
}

static void run_backward(void *argument)
{
    run(argument, true);
}

/* Both ways, the other one last: in a step, too, other work lies between two runs. */
static void run_between(void *argument)
{
    struct dts_kernel_trial *t = argument;
    run(t, t->now_backward);
    if (t->backward)
        run(t, !t->now_backward);
}

/* Behind seconds without work, in arrays just taken, a first run is slower than in a step. So a
 * call runs unseen for as long as a short run lasts. Where each run follows on unseen ones
 * anyway it runs unseen once: more of both ways in turns is an order that the timed run is not
 * in. */
static void run_unseen(struct dts_kernel_trial *t, const struct dts_kernel_times *before)
{
    if (t->timer->behind_step || !dts_runs_are_short(&before->forward) ||
        !dts_runs_are_short(&before->backward))
        return;
    const double begin_s = dts_now_s();
    do {
        run(t, false);
        if (t->backward)
            run(t, true);
    } while (!dts_kernel_timer_is_closer(t->timer, &t->timer->forward) &&
             dts_now_s() - begin_s < DTS_SHORT_RUN_S);
}

static void time_both(struct dts_kernel_trial *t, struct dts_kernel_times *out)
{
    run_unseen(t, out);
    struct dts_meter meter = t->timer->meter;
    meter.prepare = leave_as_a_step;
    meter.between =
        dts_kernel_timer_is_closer(t->timer, &t->timer->forward) ? run_between : NULL;
    t->now_backward = false;
    t->fresh = (void *)t->a.x[0];
    t->fresh_bytes = (size_t)t->a.batch * dts_dims_elements(&t->call->inputs[0]) *
                     (t->op->tokens ? sizeof(int32_t) : dts_kernel_trial_real(t));
    dts_measure_more(&meter, run_forward, t, &out->forward);
    if (!t->backward)
        return;
    t->now_backward = true;
    meter.between =
        dts_kernel_timer_is_closer(t->timer, &t->timer->backward) ? run_between : NULL;
    t->fresh = (void *)t->a.dy;
    t->fresh_bytes = t->a.dy == NULL
                         ? 0
                         : (size_t)t->a.batch * dts_dims_elements(&t->call->output) *
                               dts_kernel_trial_real(t);
    dts_measure_more(&meter, run_backward, t, &out->backward);
}

size_t dts_kernel_bytes(const struct dts_kernel_timer *timer,
                        const struct dts_kernel_work *work)
{
    struct dts_kernel_trial t = dts_kernel_trial_of(timer, work);
    if (t.op != NULL)
        dts_kernel_trial_count(&t, work->with_inputs);
    return t.bytes;
}

bool dts_kernel_time(const struct dts_kernel_timer *timer, const struct dts_kernel_work *work,
                     struct dts_kernel_times *out, struct dts_error *err)
{
    struct dts_kernel_trial t = dts_kernel_trial_of(timer, work);
    if (t.op == NULL || t.version->forward == NULL)
        return dts_fail(err, DTS_UNSUPPORTED, "no operation carries out %s", work->call->op);
    dts_kernel_trial_take(&t, work->with_inputs);
    if (!t.failed)
        time_both(&t, out);
    else
        dts_fail(err, DTS_SYSTEM, "no memory to time %s in", dts_op_call_key(work->call).chars);
    out->bytes = t.bytes;
    dts_kernel_trial_free(&t);
    return !t.failed && dts_kernel_timer_works(timer, err);
}
