/* family.c -- the table of families, and what they share. */
#include "train/model/family/family.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

extern const struct dts_model_family dts_family_gpt;
extern const struct dts_model_family dts_family_llama;
extern const struct dts_model_family dts_family_moe;
extern const struct dts_model_family dts_family_bert;
extern const struct dts_model_family dts_family_nemotron;
extern const struct dts_model_family dts_family_vit;

const struct dts_model_family *const dts_families[] = {
    // language models
    &dts_family_gpt,
    &dts_family_llama,
    &dts_family_moe,
    &dts_family_bert,

    // images
    &dts_family_nemotron,
    &dts_family_vit,
    NULL,
};

const char *dts_family_name(int i)
{
    return dts_families[i] != NULL ? dts_families[i]->name : NULL;
}

void dts_family_add(struct dts_text *out, const char *format, ...)
{
    char item[512];
    va_list words;
    va_start(words, format);
    vsnprintf(item, sizeof(item), format, words);
    va_end(words);
    for (char *c = item; *c != '\0'; c++)
        *c = *c == '\'' ? '"' : *c;
    const char last = out->length > 0 ? out->chars[out->length - 1] : '[';
    dts_text_add(out, "%s\n    %s", last == '[' ? "" : ",", item);
}

void dts_family_end(struct dts_text *out)
{
    dts_text_add(out, "]}");
}

/* "'input': 'norm', ", or nothing. */
static void name_input(char *out, size_t room, const char *input)
{
    snprintf(out, room, "%s%s%s", input != NULL ? "'input': '" : "", input != NULL ? input : "",
             input != NULL ? "', " : "");
}

void dts_family_linear(struct dts_text *out, const char *name, const char *input, int outputs,
                       bool bias)
{
    char from[64];
    name_input(from, sizeof(from), input);
    dts_family_add(out, "{'name': '%s', 'kind': 'linear', %s'outputs': %d, 'bias': %s}", name,
                   from, outputs, bias ? "true" : "false");
}

void dts_family_projection(struct dts_text *out, const char *name, int outputs, bool bias,
                           int branches)
{
    dts_family_add(out,
                   "{'name': '%s', 'kind': 'linear', 'begin': {'normal': %.6g}, 'outputs': %d, "
                   "'bias': %s}",
                   name, 0.02 / sqrt(branches), outputs, bias ? "true" : "false");
}

void dts_family_begin(struct dts_text *out, int sequence)
{
    dts_text_add(out,
                 "\"sample\": \"sequence\", \"input\": [%d], \"begin\": {\"normal\": 0.02}, "
                 "\"layers\": [",
                 sequence);
}

void dts_family_head(struct dts_text *out, int vocabulary, bool tied)
{
    dts_family_add(out, "{'name': 'lm_head', 'kind': 'linear', %s'outputs': %d, 'bias': false}",
                   tied ? "'tied': 'token_embedding', " : "", vocabulary);
    dts_family_add(out, "{'name': 'loss', 'kind': 'softmax_cross_entropy'}");
    dts_text_add(out, "]");
}

bool dts_family_divides(const struct dts_cfg *at, const char *key, int value, const char *whole,
                        int size, struct dts_error *err)
{
    return size % value == 0 ||
           dts_cfg_fail(at, key, err, "must divide %s, %d, got %d", whole, size, value);
}

bool dts_family_fits(const struct dts_cfg *at, const char *key, int value, const char *other,
                     int size, struct dts_error *err)
{
    const double most = 1e12; // DTS_LAYER_MOST_VALUES
    return (double)value * size <= most ||
           dts_cfg_fail(at, key, err, "x %s must be <= %.0e values, got %d x %d", other, most,
                        value, size);
}
