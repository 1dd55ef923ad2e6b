/* op_call.c -- a call in words: equal words, equal work. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernels/call/op_call.h"

static void add(struct dts_op_call_key *key, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct dts_op_call_key *key, const char *format, ...)
{
    const size_t length = strlen(key->chars);
    va_list words;
    va_start(words, format);
    const int more = vsnprintf(key->chars + length, sizeof(key->chars) - length, format, words);
    va_end(words);
    assert(more >= 0 && length + (size_t)more < sizeof(key->chars));
}

static void add_dims(struct dts_op_call_key *key, const struct dts_dims *dims)
{
    for (int i = 0; i < dims->count; i++)
        add(key, "%s%zu", i > 0 ? "x" : "", dims->size[i]);
}

/* " stride 2x2", unless all are `plain`. */
static void add_axes(struct dts_op_call_key *key, const char *name, const int *sizes, int axes,
                     int plain)
{
    bool all = true;
    for (int i = 0; i < axes; i++)
        all = all && sizes[i] == plain;
    if (all)
        return;
    add(key, " %s ", name);
    for (int i = 0; i < axes; i++)
        add(key, "%s%d", i > 0 ? "x" : "", sizes[i]);
}

/* Inputs of equal shape stand once, with their number: "2 of 64x56x56". */
static void add_inputs(struct dts_op_call_key *key, const struct dts_op_call *call)
{
    for (int i = 0, count; i < call->input_count; i += count) {
        count = 1;
        while (i + count < call->input_count &&
               dts_dims_equal(&call->inputs[i], &call->inputs[i + count]))
            count++;
        add(key, i > 0 ? "," : " ");
        if (count > 1)
            add(key, "%d of ", count);
        add_dims(key, &call->inputs[i]);
    }
    if (call->table > 0) // stands among what is read: its size decides which caches hold it
        add(key, ",%zux%zu", call->table, dts_dims_features(&call->output));
}

static void add_settings(struct dts_op_call_key *key, const struct dts_op_call *call)
{
    const struct dts_op_call_window *window = &call->window;
    const int axes = window->kernel[0] > 0 ? call->inputs[0].count - 1 : 0;
    add_axes(key, "kernel", window->kernel, axes, 0);
    add_axes(key, "stride", window->stride, axes, 1);
    add_axes(key, "dilation", window->dilation, axes, 1);
    add_axes(key, "before", window->before, axes, 0);
    add_axes(key, "axes", call->axes, call->output.count, 0); // none: not all are 0
    if (call->groups > 1)
        add(key, " groups %d", call->groups);
    if (call->heads > 0)
        add(key, " heads %d", call->heads);
    if (call->experts > 0)
        add(key, " experts %d chosen %d", call->experts, call->chosen);
    if (call->expert_ranks > 1)
        add(key, " over %d", call->expert_ranks);
    if (call->context_ranks > 1)
        add(key, " %s %d", call->gathered ? "from" : "among", call->context_ranks);
    if (call->capacity > 0)
        add(key, " capacity %g", call->capacity);
    if (call->ignored > 0)
        add(key, " ignored %d", call->ignored);
    if (call->rate > 0)
        add(key, " rate %g", call->rate);
    if (call->slope > 0)
        add(key, " slope %g", call->slope);
    add(key, "%s%s%s%s%s%s%s", call->bias ? " bias" : "", call->causal ? " causal" : "",
        call->relu ? " relu" : "", call->inside ? " inside" : "", call->last ? " last" : "",
        call->sparse ? " sparse" : "", call->first ? " first" : "");
}

struct dts_op_call_key dts_op_call_key(const struct dts_op_call *call)
{
    struct dts_op_call_key key = {""};
    add(&key, "%s", call->op);
    add_inputs(&key, call);
    add(&key, " > ");
    add_dims(&key, &call->output);
    add_settings(&key, call);
    return key;
}
