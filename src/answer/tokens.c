/* tokens.c -- what is counted where a sample is a sequence of tokens (docs/model.md). */
#include "answer/tokens.h"

/* Of all devices that train, in the scenario's precision; 0: one of them has no such peak. */
static double peak_of(const struct dts_question *q, const struct dts_built *built, int devices)
{
    const enum dts_precision precision = q->scenario->precision;
    double sum = 0;
    if (q->kinds == NULL)
        return devices * q->device->peak_flops_per_s[precision];
    for (int k = 0; k < q->platform->kind_count; k++) {
        const double peak = q->kinds[k].peak_flops_per_s[precision];
        if (built->used.ranks[k] > 0 && peak <= 0)
            return 0;
        sum += built->used.ranks[k] * peak;
    }
    return sum;
}

/* docs/model.md, "Throughput and scaling". */
void dts_tokens_fill(const struct dts_question *q, const struct dts_built *built,
                     struct dts_result *result)
{
    const struct dts_model *model = &q->scenario->model;
    const double rate = result->throughput_samples_per_s,
                 peak = peak_of(q, built, result->devices);
    if (model->tokens <= 0)
        return;
    result->throughput_tokens_per_s = rate * model->tokens;
    result->tokens_per_s_device = rate * model->tokens / result->devices;
    result->model_flops_per_s_device = rate * 3 * model->product_flops / result->devices;
    if (peak <= 0)
        return;
    result->mfu = rate * 3 * model->product_flops / peak;
    const struct dts_strategy_kind *kind = built->point.strategy->kind;
    const double again = kind->repeated_flops != NULL ? kind->repeated_flops(&built->point) : 0;
    result->hfu = rate * (3 * model->product_flops + model->repeated_flops + again) / peak;
}
