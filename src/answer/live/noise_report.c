/* noise_report.c -- the noise scale in words, and step by step. */
#include "answer/live/noise_report.h"

#include <math.h>

#include "base/text.h"

static void add(struct dts_text *text, double value)
{
    dts_text_add_significant(text, value, 3);
}

void dts_noise_ratio_text(const struct dts_noise_ratio *r, FILE *out)
{
    struct dts_text text = {0};
    if (isnan(r->scale)) {
        dts_text_add(&text, "not known (no gradient stands out of its noise)");
    } else {
        add(&text, r->scale);
        dts_text_add(&text, " samples (");
        add(&text, r->low);
        dts_text_add(&text, isinf(r->high) ? " or more" : " to ");
        if (!isinf(r->high))
            add(&text, r->high);
        dts_text_add(&text, ")");
    }
    fputs(dts_text_string(&text), out);
    dts_text_free(&text);
}

void dts_noise_text(const struct dts_noise_scale *noise, FILE *out)
{
    if (noise->count == 0)
        return;
    const struct dts_noise_ratio run = dts_noise_of_run(noise), end = dts_noise_of_end(noise);
    fprintf(out, "  Gradient noise scale, mean over %zu step%s: ", noise->count,
            dts_plural((int)noise->count));
    dts_noise_ratio_text(&run, out);
    fprintf(out, "\n  at the end: ");
    dts_noise_ratio_text(&end, out);
    fprintf(out, "; from gradients of %.10g and of %.10g samples.\n", noise->small,
            noise->large);
}

void dts_noise_ratio_json(const struct dts_noise_ratio *r, const char *key,
                          struct dts_json *json)
{
    dts_json_object(json, key);
    dts_json_number(json, "noise_scale_samples", r->scale);
    dts_json_number(json, "low_samples", r->low);
    dts_json_number(json, "high_samples", r->high);
    dts_json_number(json, "gradient_squared", r->gradient_squared);
    dts_json_number(json, "trace", r->trace);
    dts_json_integer(json, "stretches", r->stretches);
    dts_json_end(json);
}

void dts_noise_json(const struct dts_noise_scale *noise, struct dts_json *json)
{
    if (noise->count == 0)
        return;
    const struct dts_noise_ratio run = dts_noise_of_run(noise), end = dts_noise_of_end(noise);
    dts_json_object(json, "noise_scale");
    dts_json_number(json, "small_batch", noise->small);
    dts_json_number(json, "large_batch", noise->large);
    dts_noise_ratio_json(&run, "run", json);
    dts_noise_ratio_json(&end, "end", json);
    dts_json_list(json, "steps");
    for (size_t i = 0; i < noise->count; i++) {
        const struct dts_noise_step *step = &noise->steps[i];
        dts_json_object(json, NULL);
        dts_json_integer(json, "step", step->step);
        dts_json_number(json, "gradient_squared", step->gradient_squared);
        dts_json_number(json, "trace", step->trace);
        dts_json_number(json, "noise_scale_samples", step->smoothed);
        dts_json_end(json);
    }
    dts_json_end(json);
    dts_json_end(json);
}
