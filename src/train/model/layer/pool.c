/* pool.c -- the largest value or the mean of each window, channel by channel. */
#include "train/model/layer/window.h"

struct pool {
    struct dts_window window;
    bool count_include_pad; // of an average
};

static const struct dts_field max_fields[] = {
    {.key = "kernel",
     .offset = offsetof(struct pool, window.kernel_cfg),
     .type = DTS_OTHER,
     .forms = DTS_FORM_NUMBER | DTS_FORM_NUMBERS,
     .help = "size of the window: a number, or one for each axis"},
    {.key = "stride",
     .offset = offsetof(struct pool, window.stride_cfg),
     .type = DTS_OTHER,
     .forms = DTS_FORM_NUMBER | DTS_FORM_NUMBERS,
     .missing = "null",
     .help = "step from window to window (default: kernel)"},
    {.key = "padding",
     .offset = offsetof(struct pool, window.padding_cfg),
     .type = DTS_OTHER,
     .forms = DTS_FORM_NUMBER | DTS_FORM_LIST | DTS_FORM_STRING,
     .missing = "0",
     .help =
         "outside of the input: a number, one or [before, behind] for each axis, or \"same\""},
    {.key = "ceil",
     .offset = offsetof(struct pool, window.ceil),
     .type = DTS_BOOL,
     .missing = "false",
     .help = "the last window may end outside of the input"},
    {0},
};

static const struct dts_field avg_fields[] = {
    {.key = "kernel",
     .offset = offsetof(struct pool, window.kernel_cfg),
     .type = DTS_OTHER,
     .forms = DTS_FORM_NUMBER | DTS_FORM_NUMBERS,
     .help = "size of the window: a number, or one for each axis"},
    {.key = "stride",
     .offset = offsetof(struct pool, window.stride_cfg),
     .type = DTS_OTHER,
     .forms = DTS_FORM_NUMBER | DTS_FORM_NUMBERS,
     .missing = "null",
     .help = "step from window to window (default: kernel)"},
    {.key = "padding",
     .offset = offsetof(struct pool, window.padding_cfg),
     .type = DTS_OTHER,
     .forms = DTS_FORM_NUMBER | DTS_FORM_LIST | DTS_FORM_STRING,
     .missing = "0",
     .help =
         "outside of the input: a number, one or [before, behind] for each axis, or \"same\""},
    {.key = "ceil",
     .offset = offsetof(struct pool, window.ceil),
     .type = DTS_BOOL,
     .missing = "false",
     .help = "the last window may end outside of the input"},
    {DTS_KEY(struct pool, count_include_pad), .type = DTS_BOOL, .missing = "true",
     .help = "padding counts as zeros; else a mean is of what is inside"},
    {0},
};

/* As in PyTorch, padding is at most half the window: each window has a value of the input. */
static bool infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                  struct dts_error *err)
{
    struct dts_window *window = &((struct pool *)self)->window;
    if (!dts_window_infer(window, 0, &facts->inputs[0], &facts->output, at, err))
        return false;
    for (int i = 0; i < window->axes; i++) {
        const int before = window->padding[i], behind = window->behind[i];
        const int most = before > behind ? before : behind;
        if (most > window->kernel[i] / 2)
            return dts_cfg_fail(&window->padding_cfg, NULL, err,
                                "must be <= %d, half of the kernel, got %d",
                                window->kernel[i] / 2, most);
    }
    return true;
}

/* A mean that counts zeros counts as many behind as before (kernels/pool/pool.h). */
static bool avg_infer(void *self, struct dts_layer_facts *facts, const struct dts_cfg *at,
                      struct dts_error *err)
{
    const struct pool *pool = self;
    const struct dts_window *window = &pool->window;
    if (!infer(self, facts, at, err))
        return false;
    for (int i = 0; i < window->axes && pool->count_include_pad; i++)
        if (window->padding[i] != window->behind[i])
            return dts_cfg_fail(&window->padding_cfg, NULL, err,
                                "must be alike before and behind, or count_include_pad false, "
                                "got %d and %d",
                                window->padding[i], window->behind[i]);
    return true;
}

static void describe(const void *self, struct dts_op_call *call)
{
    const struct pool *pool = self;
    dts_window_describe(&pool->window, call);
}

static void avg_describe(const void *self, struct dts_op_call *call)
{
    describe(self, call);
    call->inside = !((const struct pool *)self)->count_include_pad;
}

const struct dts_layer_kind dts_layer_max_pool = {
    .name = "max_pool",
    .summary = "largest value of each window",
    .fields = max_fields,
    .size = sizeof(struct pool),
    .inputs = 1,
    .infer = infer,
    .describe = describe,
    .cost = dts_max_pool_cost,
};

const struct dts_layer_kind dts_layer_avg_pool = {
    .name = "avg_pool",
    .summary = "mean of each window",
    .fields = avg_fields,
    .size = sizeof(struct pool),
    .inputs = 1,
    .infer = avg_infer,
    .describe = avg_describe,
    .cost = dts_avg_pool_cost,
};
