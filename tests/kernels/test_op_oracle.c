/* test_op_oracle.c -- operations against PyTorch: forward and backward values that
 * tests/oracle/operations.py computed in float64, from the same inputs.
 *
 * Of the reference all but the last of the 12 stored digits must agree; the host's tolerance is
 * that of op_check.h, and of convolutions that of op_conv.h. */
#include "base/json/cfg.h"
#include "kernels/op_conv.h"
#include "kernels/oracle_values.h"

/* A case of the file. */
struct oracle_case {
    const char *op;
    int batch, groups, heads, experts, chosen, select, offset, ignored, tokens, classes,
        targets;
    int every; // values from one that is kept to the next
    bool bias, causal, relu, inside, last, normalized;
    double slope, base, capacity, epsilon, weight, sums;
    struct dts_cfg inputs, output, params, axes, kernel, stride, before, dilation;
    struct dts_cfg y, dx, dw, state;
};

#define KEY(member) DTS_KEY(struct oracle_case, member)
#define COUNT(member)                                                                          \
    {                                                                                          \
        KEY(member), .type = DTS_INT, .max = 1e6, .missing = "0"                               \
    }
#define FLAG(member)                                                                           \
    {                                                                                          \
        KEY(member), .type = DTS_BOOL, .missing = "false"                                      \
    }
#define LIST(member)                                                                           \
    {                                                                                          \
        KEY(member), .type = DTS_OTHER, .missing = "null"                                      \
    }

static const struct dts_field fields[] = {
    {KEY(op), .type = DTS_STRING},
    COUNT(batch),
    COUNT(groups),
    COUNT(heads),
    COUNT(experts),
    COUNT(chosen),
    COUNT(select),
    COUNT(offset),
    COUNT(ignored),
    COUNT(tokens),
    COUNT(classes),
    COUNT(targets),
    {KEY(every), .type = DTS_INT, .min = 1, .max = 100, .missing = "1"},
    FLAG(bias),
    FLAG(causal),
    FLAG(relu),
    FLAG(inside),
    FLAG(last),
    FLAG(normalized),
    {KEY(capacity), .type = DTS_REAL, .max = 1e3, .missing = "0"},
    {KEY(slope), .type = DTS_REAL, .max = 1, .missing = "0"},
    {KEY(base), .type = DTS_REAL, .max = 1e12, .missing = "0"},
    {KEY(epsilon), .type = DTS_REAL, .max = 1, .missing = "0"},
    {KEY(weight), .type = DTS_REAL, .max = 1e9, .missing = "0"},
    {KEY(sums), .type = DTS_REAL, .min = 1, .max = 1e9},
    LIST(inputs),
    LIST(output),
    LIST(params),
    LIST(axes),
    LIST(kernel),
    LIST(stride),
    LIST(before),
    LIST(dilation),
    LIST(y),
    LIST(dx),
    LIST(dw),
    LIST(state),
    {0},
};

struct top {
    struct dts_cfg cases;
};

static const struct dts_field top_fields[] = {
    {DTS_KEY(struct top, cases), .type = DTS_OTHER},
    {0},
};

/* Operations without a counterpart, and why. */
static const struct {
    const char *op, *reason;
} without[] = {
    {"dropout", "what it zeroes is drawn by counters of our own"},
    {"stochastic_depth", "the same"},
};

static void fill(const void *array, size_t real, size_t count, uint32_t stream)
{
    for (size_t i = 0; i < count; i++)
        op_set((void *)array, real, i, oracle_real(stream, (uint32_t)i));
}

static void fill_integers(const void *array, size_t count, uint32_t stream, int most)
{
    for (size_t i = 0; i < count; i++)
        ((int32_t *)array)[i] = (int32_t)(oracle_word(stream, (uint32_t)i) % (uint32_t)most);
}

/* A list of whole numbers; returns how many. */
static int read_ints(const struct dts_cfg *at, int *out, int most)
{
    struct dts_error err = {0};
    const int count = (int)dts_cfg_length(at);
    if (!CHECK(count <= most))
        return 0;
    for (int i = 0; i < count; i++) {
        const struct dts_cfg item = dts_cfg_item(at, (size_t)i);
        CHECK(dts_cfg_int(&item, 0, 1000000, &out[i], &err));
    }
    return count;
}

static struct dts_dims read_dims(const struct dts_cfg *at)
{
    int sizes[DTS_DIMS];
    struct dts_dims dims = {.size = {1, 1, 1, 1}};
    dims.count = read_ints(at, sizes, DTS_DIMS);
    for (int i = 0; i < dims.count; i++)
        dims.size[i] = (size_t)sizes[i];
    return dims;
}

static void read_axes(const struct dts_cfg *at, int axes, int unused, int *out)
{
    for (int i = 0; i < DTS_OP_AXES && axes > 0; i++)
        out[i] = unused;
    CHECK_INT(read_ints(at, out, DTS_OP_AXES), axes);
}

static struct op_case case_of(const struct oracle_case *o)
{
    struct op_case c = {.batch = o->batch,
                        .sums = o->sums,
                        .most_x = o->tokens,
                        .most_target = o->classes,
                        .targets = (size_t)o->targets};
    struct dts_op_call *call = &c.call;
    int params[DTS_OP_PARAMS];
    *call = (struct dts_op_call){.op = o->op,
                                 .groups = o->groups,
                                 .heads = o->heads,
                                 .experts = o->experts,
                                 .chosen = o->chosen,
                                 .normalized = o->normalized,
                                 .capacity = o->capacity,
                                 .select = o->select,
                                 .offset = (size_t)o->offset,
                                 .ignored = o->ignored,
                                 .bias = o->bias,
                                 .causal = o->causal,
                                 .relu = o->relu,
                                 .inside = o->inside,
                                 .last = o->last,
                                 .slope = o->slope,
                                 .base = o->base,
                                 .epsilon = o->epsilon,
                                 .weight = o->weight,
                                 .output = read_dims(&o->output),
                                 .input_count = (int)dts_cfg_length(&o->inputs)};
    for (int i = 0; i < call->input_count; i++) {
        const struct dts_cfg item = dts_cfg_item(&o->inputs, (size_t)i);
        call->inputs[i] = read_dims(&item);
    }
    call->param_count = read_ints(&o->params, params, DTS_OP_PARAMS);
    for (int i = 0; i < call->param_count; i++)
        call->params[i] = (size_t)params[i];
    read_ints(&o->axes, call->axes, DTS_DIMS);
    const int axes = (int)dts_cfg_length(&o->kernel);
    read_axes(&o->kernel, axes, 1, call->window.kernel);
    read_axes(&o->stride, axes, 1, call->window.stride);
    read_axes(&o->dilation, axes, 1, call->window.dilation);
    read_axes(&o->before, axes, 0, call->window.before);
    if (strcmp(o->op, "conv") == 0)
        op_conv_bound(&c);
    return c;
}

/* Everything as operations.py has it; gradients of parameters start from zero. */
static void fill_all(const struct op_case *c, struct op_run *r)
{
    const struct dts_op_call *call = &c->call;
    for (int i = 0; i < call->input_count; i++)
        if (i == 0 && c->most_x > 0)
            fill_integers(r->a.x[i], op_values(c, &call->inputs[i]), 0, c->most_x);
        else
            fill(r->a.x[i], r->real, op_values(c, &call->inputs[i]), (uint32_t)i);
    for (int i = 0; i < call->param_count; i++) {
        fill(r->a.w[i], r->real, call->params[i], 20 + (uint32_t)i);
        memset(r->a.dw[i], 0, call->params[i] * r->real);
    }
    if (r->a.dy != NULL)
        fill(r->a.dy, r->real, op_values(c, &call->output), 50);
    if (c->most_target > 0)
        fill_integers(r->a.target, (size_t)c->batch * c->targets, 60, c->most_target);
    else if (c->targets > 0)
        fill(r->a.target, r->real, (size_t)c->batch * c->targets, 60);
}

/* How an array is compared: places between values that are kept, and tolerances. */
struct measure {
    size_t every;
    double tolerance;
};

/* bound: NULL where the tolerance says all. */
static void compare(const struct measure *measure, const struct dts_cfg *want, const void *got,
                    size_t real, size_t count, const struct op_bound *bound)
{
    struct dts_error err = {0};
    const size_t kept = (count + measure->every - 1) / measure->every;
    if (!CHECK_INT(dts_cfg_length(want), kept))
        return;
    double *values = dts_alloc(kept, sizeof(*values));
    float *those = dts_alloc(kept, sizeof(*those));
    for (size_t i = 0; i < kept; i++) {
        const struct dts_cfg item = dts_cfg_item(want, i);
        const double value = op_get(got, real, i * measure->every);
        CHECK(dts_cfg_real(&item, 0, 0, &values[i], &err));
        those[i] = (float)value;
        if (real == 8 || bound == NULL)
            CHECK_NEAR(value, values[i], measure->tolerance * (1 + fabs(values[i])));
    }
    if (real == 4 && bound != NULL)
        op_compare_bound(those, values, kept, bound, measure->tolerance);
    free(those);
    free(values);
}

/* threads 0: the reference. */
static void check_version(const struct oracle_case *o, const struct op_case *c, int threads)
{
    const struct dts_operation *op = dts_operation_find(o->op);
    const struct dts_op_version *version = threads == 0 ? &op->reference : &op->host;
    const struct measure m = {(size_t)o->every, threads == 0 ? 1e-11 * sqrt(o->sums)
                                                             : 8 * sqrt(c->sums + 4) * 0x1p-24};
    struct dts_workers *workers = threads > 0 ? dts_workers_new(threads) : NULL;
    struct op_run r = op_begin(c, op, threads == 0 ? 8 : 4);
    fill_all(c, &r);
    op_run_version(&r, version, false, workers);
    compare(&m, &o->y, r.a.y, r.real, op_values(c, &c->call.output), &c->y);
    op_run_version(&r, version, true, workers);
    for (int i = 0; i < c->call.input_count; i++) {
        const struct dts_cfg want = dts_cfg_item(&o->dx, (size_t)i);
        if (CHECK(dts_cfg_exists(&want) == (r.a.dx[i] != NULL)) && r.a.dx[i] != NULL)
            compare(&m, &want, r.a.dx[i], r.real, op_values(c, &c->call.inputs[i]),
                    i == 0 ? &c->dx : NULL);
    }
    for (int i = 0; i < c->call.param_count; i++) {
        const struct dts_cfg want = dts_cfg_item(&o->dw, (size_t)i);
        compare(&m, &want, r.a.dw[i], r.real, c->call.params[i], i == 0 ? &c->dw : NULL);
    }
    if (dts_cfg_exists(&o->state))
        compare(&m, &o->state, r.a.state, r.real, dts_cfg_length(&o->state), NULL);
    op_end(&r);
    dts_workers_free(workers);
}

/* Calls `each` with every case of the file. */
static void for_cases(void (*each)(const struct oracle_case *o, int *argument), int *argument)
{
    struct dts_doc *doc = NULL;
    struct dts_error err = {0};
    struct top top = {0};
    if (!CHECK(dts_doc_load(&doc, DTS_SOURCE "/tests/oracle/operations.json", &err)))
        return;
    const struct dts_cfg at = dts_doc_top(doc);
    CHECK(dts_cfg_read(&at, top_fields, &top, &err));
    for (size_t i = 0; i < dts_cfg_length(&top.cases); i++) {
        const struct dts_cfg item = dts_cfg_item(&top.cases, i);
        struct oracle_case o = {0};
        if (CHECK(dts_cfg_read(&item, fields, &o, &err)))
            each(&o, argument);
    }
    if (err.cause != DTS_NO_ERROR)
        printf("  %s\n", err.text);
    dts_doc_free(doc);
}

static void check_case(const struct oracle_case *o, int *threads)
{
    const int before = check_failures;
    const struct op_case c = case_of(o);
    if (CHECK(dts_operation_find(o->op) != NULL))
        check_version(o, &c, *threads);
    if (check_failures > before)
        printf("  in %s batch %d\n", dts_op_call_key(&c.call).chars, c.batch);
}

static void the_reference_is_as_pytorch_has_it(void)
{
    int threads = 0;
    for_cases(check_case, &threads);
}

static void the_host_is_as_pytorch_has_it(void)
{
    for (int threads = 1; threads <= 3; threads += 2)
        for_cases(check_case, &threads);
}

static void mark(const struct oracle_case *o, int *seen)
{
    for (int i = 0; dts_operations[i] != NULL; i++)
        seen[i] |= strcmp(dts_operations[i]->name, o->op) == 0;
}

static void every_operation_has_values_or_a_reason(void)
{
    int seen[128] = {0};
    for_cases(mark, seen);
    for (int i = 0; dts_operations[i] != NULL; i++) {
        int reasons = 0;
        for (size_t k = 0; k < sizeof(without) / sizeof(without[0]); k++)
            reasons += strcmp(without[k].op, dts_operations[i]->name) == 0;
        if (!CHECK_INT(seen[i] + reasons, 1))
            printf("  %s\n", dts_operations[i]->name);
    }
}

static void mark_ways(const struct oracle_case *o, int *seen)
{
    const struct op_case c = case_of(o);
    if (strcmp(o->op, "conv") != 0)
        return;
    const struct op_conv_ways ways = op_conv_ways(&c);
    seen[0] |= ways.y;
    seen[1] |= ways.dx;
    seen[2] |= ways.dw;
}

/* Their sizes begin where they pay: a case could fall below in silence. */
static void winograds_ways_have_values(void)
{
    int seen[3] = {0};
    for_cases(mark_ways, seen);
    CHECK(seen[0] && seen[1] && seen[2]);
}

TESTS(TEST(the_reference_is_as_pytorch_has_it), TEST(the_host_is_as_pytorch_has_it),
      TEST(every_operation_has_values_or_a_reason), TEST(winograds_ways_have_values))
