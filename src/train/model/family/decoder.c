/* decoder.c -- the parts of today's language models. */
#include "train/model/family/decoder.h"

#include <stdio.h>

bool dts_decoder_complete(struct dts_decoder *d, const struct dts_cfg *at,
                          struct dts_error *err)
{
    d->kv_heads = d->kv_heads > 0 ? d->kv_heads : d->heads;
    if (d->head == 0) {
        if (!dts_family_divides(at, "heads", d->heads, "hidden", d->hidden, err))
            return false;
        d->head = d->hidden / d->heads;
    }
    const double features = (double)d->heads * d->head;
    if (features > DTS_FAMILY_FFN)
        return dts_cfg_fail(at, "head", err, "x heads must be <= %d, got %d x %d",
                            DTS_FAMILY_FFN, d->head, d->heads);
    if (d->head % 2 != 0)
        return dts_cfg_fail(at, "head", err, "must be even for rotary positions, got %d",
                            d->head);
    return dts_family_divides(at, "kv_heads", d->kv_heads, "heads", d->heads, err) &&
           dts_family_fits(at, "vocabulary", d->vocabulary, "sequence", d->sequence, err);
}

void dts_decoder_norm(const struct dts_decoder *d, const char *name, struct dts_text *out)
{
    dts_family_add(out, "{'name': '%s', 'kind': '%s', 'epsilon': %.9g}", name,
                   d->centred ? "layer_norm" : "rms_norm", d->epsilon);
}

void dts_decoder_begin(const struct dts_decoder *d, struct dts_text *out)
{
    dts_family_begin(out, d->sequence);
    dts_family_add(out,
                   "{'name': 'token_embedding', 'kind': 'embedding', 'vocabulary': %d, "
                   "'features': %d}",
                   d->vocabulary, d->hidden);
}

void dts_decoder_end(const struct dts_decoder *d, struct dts_text *out)
{
    dts_decoder_norm(d, "norm_f", out);
    dts_family_head(out, d->vocabulary, d->tied);
}

static void add_rotary(const struct dts_decoder *d, const char *name, const char *input,
                       int heads, struct dts_text *out)
{
    dts_family_add(out,
                   "{'name': '%s', 'kind': 'rotary', 'input': '%s', 'heads': %d, 'base': "
                   "%.12g}",
                   name, input, heads, d->rotary_base);
}

void dts_decoder_attend(const struct dts_decoder *d, const char *query, const char *key,
                        const char *value, struct dts_text *out)
{
    add_rotary(d, "query_turned", query, d->heads, out);
    add_rotary(d, "key_turned", key, d->kv_heads, out);
    dts_family_add(out,
                   "{'name': 'attention', 'kind': 'attention', 'input': ['query_turned', "
                   "'key_turned', '%s'], 'heads': %d, 'causal': true, 'fused': %s}",
                   value, d->heads, d->fused ? "true" : "false");
    dts_family_projection(out, "proj", d->hidden, false, 2 * d->layers);
    dts_family_add(out, "{'name': 'add_1', 'kind': 'add', 'input': ['proj', 'entry']}");
    dts_decoder_norm(d, "norm_2", out);
}

void dts_decoder_attention(const struct dts_decoder *d, struct dts_text *out)
{
    dts_decoder_norm(d, "norm_1", out);
    dts_family_linear(out, "query", NULL, d->heads * d->head, false);
    dts_family_linear(out, "key", "norm_1", d->kv_heads * d->head, false);
    dts_family_linear(out, "value", "norm_1", d->kv_heads * d->head, false);
    dts_decoder_attend(d, "query", "key", "value", out);
}

void dts_decoder_gated(const struct dts_decoder *d, const char *prefix, const char *input,
                       int features, struct dts_text *out)
{
    char name[64];
    snprintf(name, sizeof(name), "%sgate", prefix);
    dts_family_linear(out, name, input, features, false);
    dts_family_add(out, "{'name': '%ssilu', 'kind': 'silu'}", prefix);
    snprintf(name, sizeof(name), "%sup", prefix);
    dts_family_linear(out, name, input, features, false);
    dts_family_add(out, "{'name': '%sgated', 'kind': 'multiply', 'input': ['%ssilu', '%sup']}",
                   prefix, prefix, prefix);
    snprintf(name, sizeof(name), "%sdown", prefix);
    dts_family_projection(out, name, d->hidden, false, 2 * d->layers);
}
