/* test_op_update_oracle.c -- every update against weights after several steps that
 * tests/oracle/updates.py computed in float64 by PyTorch's optimizers, apex's wrapper and the
 * papers' algorithms, from the same weights and gradients.
 *
 * Of the reference all but the last of the 12 stored digits must agree; the host has about ten
 * roundings a step, of numbers near 1. */
#include <stdlib.h>

#include "base/json/cfg.h"
#include "base/mem.h"
#include "check.h"
#include "kernels/oracle_values.h"
#include "kernels/update/update.h"

enum { MOST_STEPS = 16, MOST_TENSORS = 16, WEIGHTS = 200, GRADIENTS = 300 };

/* A tensor of the file. */
struct tensor {
    int count, every;
    bool zero, apart;
    struct dts_cfg still; // steps without a gradient, from 0 on
};

/* A rule with its settings, and the weights of each tensor after each step. */
struct rule {
    const char *rule;
    double decay, momentum, beta1, beta2, epsilon, trust;
    struct dts_cfg w;
};

struct top {
    const char *source;
    struct dts_cfg rates, tensors, rules;
};

#define SETTING(member)                                                                        \
    {                                                                                          \
        DTS_KEY(struct rule, member), .type = DTS_REAL, .max = 1, .missing = "0"               \
    }

static const struct dts_field top_fields[] = {
    {DTS_KEY(struct top, source), .type = DTS_STRING},
    {DTS_KEY(struct top, rates), .type = DTS_OTHER},
    {DTS_KEY(struct top, tensors), .type = DTS_OTHER},
    {DTS_KEY(struct top, rules), .type = DTS_OTHER},
    {0},
};

static const struct dts_field tensor_fields[] = {
    {DTS_KEY(struct tensor, count), .type = DTS_INT, .min = 1, .max = 1e6},
    {DTS_KEY(struct tensor, every), .type = DTS_INT, .min = 1, .max = 1e6},
    {DTS_KEY(struct tensor, zero), .type = DTS_BOOL},
    {DTS_KEY(struct tensor, apart), .type = DTS_BOOL},
    {DTS_KEY(struct tensor, still), .type = DTS_OTHER},
    {0},
};

static const struct dts_field rule_fields[] = {
    {DTS_KEY(struct rule, rule), .type = DTS_STRING},
    SETTING(decay),
    SETTING(momentum),
    SETTING(beta1),
    SETTING(beta2),
    SETTING(epsilon),
    SETTING(trust),
    {DTS_KEY(struct rule, w), .type = DTS_OTHER},
    {0},
};

/* The file, but for its rules. */
struct oracle {
    struct dts_doc *doc;
    struct dts_cfg rules;
    struct tensor tensors[MOST_TENSORS];
    double rates[MOST_STEPS];
    int steps, tensor_count;
};

static bool oracle_open(struct oracle *o)
{
    struct dts_error err = {0};
    struct top top = {0};
    *o = (struct oracle){0};
    bool good = dts_doc_load(&o->doc, DTS_SOURCE "/tests/oracle/updates.json", &err);
    const struct dts_cfg at = good ? dts_doc_top(o->doc) : (struct dts_cfg){0};
    good = good && dts_cfg_read(&at, top_fields, &top, &err);
    o->rules = top.rules;
    o->steps = good ? (int)dts_cfg_length(&top.rates) : 0;
    o->tensor_count = good ? (int)dts_cfg_length(&top.tensors) : 0;
    good = good && CHECK(o->steps >= 4 && o->steps <= MOST_STEPS) &&
           CHECK(o->tensor_count <= MOST_TENSORS);
    for (int t = 0; t < o->steps && good; t++) {
        const struct dts_cfg item = dts_cfg_item(&top.rates, (size_t)t);
        good = dts_cfg_real(&item, 0, 1, &o->rates[t], &err);
    }
    for (int i = 0; i < o->tensor_count && good; i++) {
        const struct dts_cfg item = dts_cfg_item(&top.tensors, (size_t)i);
        good = dts_cfg_read(&item, tensor_fields, &o->tensors[i], &err);
    }
    if (err.cause != DTS_NO_ERROR)
        printf("  %s\n", err.text);
    return CHECK(good);
}

static void put(void *array, bool single, size_t i, double value)
{
    if (single)
        ((float *)array)[i] = (float)value;
    else
        ((double *)array)[i] = value;
}

static void fill_gradient(const struct tensor *tensor, int number, int step, bool single,
                          void *g)
{
    struct dts_error err = {0};
    bool still = false;
    for (size_t k = 0; k < dts_cfg_length(&tensor->still); k++) {
        const struct dts_cfg item = dts_cfg_item(&tensor->still, k);
        int at = -1;
        CHECK(dts_cfg_int(&item, 0, MOST_STEPS, &at, &err));
        still = still || at == step;
    }
    const uint32_t stream = (uint32_t)(GRADIENTS + 16 * step + number);
    for (size_t i = 0; i < (size_t)tensor->count; i++)
        put(g, single, i, still ? 0 : oracle_real(stream, (uint32_t)i));
}

static void compare(const struct dts_cfg *want, const struct tensor *tensor, bool single,
                    const void *w, double tolerance)
{
    struct dts_error err = {0};
    const size_t kept = ((size_t)(tensor->count + tensor->every) - 1) / (size_t)tensor->every;
    if (!CHECK_INT(dts_cfg_length(want), kept))
        return;
    for (size_t k = 0; k < kept; k++) {
        const struct dts_cfg item = dts_cfg_item(want, k);
        const size_t i = k * (size_t)tensor->every;
        double value = NAN;
        CHECK(dts_cfg_real(&item, 0, 0, &value, &err));
        CHECK_NEAR(single ? (double)((const float *)w)[i] : ((const double *)w)[i], value,
                   tolerance * (1 + fabs(value)));
    }
}

/* threads 0: the reference. */
static void check_tensor(const struct oracle *o, const struct rule *rule, int number,
                         int threads)
{
    const struct dts_update *update = dts_update_find(rule->rule);
    const struct tensor *tensor = &o->tensors[number];
    const struct dts_cfg want = dts_cfg_item(&rule->w, (size_t)number);
    const bool single = threads > 0, apart = tensor->apart && update->apart;
    const size_t size = single ? sizeof(float) : sizeof(double), n = (size_t)tensor->count;
    struct dts_workers *workers = single ? dts_workers_new(threads) : NULL;
    const struct dts_place place = {.workers = workers};
    const struct dts_update_arrays a = {
        .count = n,
        .w = dts_alloc(n, size),
        .g = dts_alloc(n, size),
        .state = dts_alloc(dts_update_state_values(update, n) + 1, size),
        .scratch = dts_alloc(dts_update_scratch_bytes(update, n) + 1, 1),
    };
    for (size_t i = 0; i < n; i++)
        put(a.w, single, i,
            tensor->zero ? 0 : oracle_real((uint32_t)(WEIGHTS + number), (uint32_t)i));
    CHECK_INT(dts_cfg_length(&want), o->steps);
    for (int t = 0; t < o->steps; t++) {
        const struct dts_cfg after = dts_cfg_item(&want, (size_t)t);
        const struct dts_update_settings settings = {.rate = o->rates[t],
                                                     .momentum = rule->momentum,
                                                     .beta1 = rule->beta1,
                                                     .beta2 = rule->beta2,
                                                     .epsilon = rule->epsilon,
                                                     .decay = apart ? 0 : rule->decay,
                                                     .trust = apart ? 0 : rule->trust,
                                                     .step = t + 1};
        fill_gradient(tensor, number, t, single, (void *)a.g);
        (single ? update->host : update->reference)(&settings, &a, &place);
        compare(&after, tensor, single, a.w, single ? 10 * (t + 1) * 0x1p-24 : 1e-11);
    }
    free(a.w);
    free((void *)a.g);
    free(a.state);
    free(a.scratch);
    dts_workers_free(workers);
}

/* Calls `each` with every rule of the file. */
static void for_rules(void (*each)(const struct oracle *o, const struct rule *rule,
                                   int *argument),
                      int *argument)
{
    struct oracle o;
    struct dts_error err = {0};
    const bool good = oracle_open(&o);
    for (size_t i = 0; good && i < dts_cfg_length(&o.rules); i++) {
        const struct dts_cfg item = dts_cfg_item(&o.rules, i);
        struct rule rule = {0};
        if (CHECK(dts_cfg_read(&item, rule_fields, &rule, &err)))
            each(&o, &rule, argument);
    }
    dts_doc_free(o.doc);
}

static void check_rule(const struct oracle *o, const struct rule *rule, int *threads)
{
    if (!CHECK(dts_update_find(rule->rule) != NULL) ||
        !CHECK_INT(dts_cfg_length(&rule->w), o->tensor_count))
        return;
    for (int i = 0; i < o->tensor_count; i++) {
        const int before = check_failures;
        check_tensor(o, rule, i, *threads);
        if (check_failures > before)
            printf("  in tensor %d of %s\n", i, rule->rule);
    }
}

static void references_are_as_pytorch_and_papers_have_them(void)
{
    int threads = 0;
    for_rules(check_rule, &threads);
}

static void hosts_are_as_pytorch_and_papers_have_them(void)
{
    for (int threads = 1; threads <= 3; threads += 2)
        for_rules(check_rule, &threads);
}

static void mark(const struct oracle *o, const struct rule *rule, int *seen)
{
    (void)o;
    for (int i = 0; dts_updates[i] != NULL; i++)
        seen[i] += strcmp(dts_updates[i]->optimizer->name, rule->rule) == 0;
}

static void every_update_has_values(void)
{
    int seen[64] = {0};
    for_rules(mark, seen);
    for (int i = 0; dts_updates[i] != NULL; i++)
        if (!CHECK_INT(seen[i], 1))
            printf("  %s\n", dts_updates[i]->optimizer->name);
}

TESTS(TEST(references_are_as_pytorch_and_papers_have_them),
      TEST(hosts_are_as_pytorch_and_papers_have_them), TEST(every_update_has_values))
