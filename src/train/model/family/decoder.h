/* decoder.h -- what families of today's language models share: norms, rotary positions,
 * shared keys and values, gated products without biases. */
#ifndef DTS_TRAIN_MODEL_FAMILY_DECODER_H
#define DTS_TRAIN_MODEL_FAMILY_DECODER_H

#include "train/model/family/family.h"

struct dts_decoder {
    int layers, hidden, heads, kv_heads, head, ffn, vocabulary, sequence;
    double rotary_base, epsilon;
    bool tied, fused;
    bool centred; // norms are layer_norm; of the family, no key
};

/* Rows of a table of fields, without ffn. `in` is the member that holds struct dts_decoder with
 * a dot behind it, or nothing. */
#define DTS_DECODER_INT(whole, in, member, most, text)                                         \
    {                                                                                          \
        .key = #member, .offset = offsetof(whole, in member), .type = DTS_INT, .min = 1,       \
        .max = (most), .help = (text)                                                          \
    }
#define DTS_DECODER_OTHER(whole, in, member, kind, ...)                                        \
    {                                                                                          \
        .key = #member, .offset = offsetof(whole, in member), .type = (kind), __VA_ARGS__      \
    }
#define DTS_DECODER_FIELDS(whole, in)                                                          \
    DTS_DECODER_INT(whole, in, layers, DTS_FAMILY_LAYERS, "blocks"),                           \
        DTS_DECODER_INT(whole, in, hidden, DTS_FAMILY_HIDDEN, "features of a position"),       \
        DTS_DECODER_INT(whole, in, heads, DTS_FAMILY_HEADS, "of queries"),                     \
        DTS_DECODER_OTHER(whole, in, kv_heads, DTS_INT, .min = 1, .max = DTS_FAMILY_HEADS,     \
                          .missing = "null",                                                   \
                          .help = "of keys and values; divides heads (default: heads)"),       \
        DTS_DECODER_OTHER(whole, in, head, DTS_INT, .min = 2, .max = 65536, .missing = "null", \
                          .help = "features of a head, even (default: hidden / heads)"),       \
        DTS_DECODER_INT(whole, in, vocabulary, DTS_FAMILY_VOCABULARY, "different tokens"),     \
        DTS_DECODER_INT(whole, in, sequence, DTS_FAMILY_SEQUENCE, "tokens of a sample"),       \
        DTS_DECODER_OTHER(whole, in, rotary_base, DTS_REAL, .min = 1, .max = 1e12,             \
                          .missing = "10000", .help = "base of the rotary positions"),         \
        DTS_DECODER_OTHER(whole, in, epsilon, DTS_REAL, .min = 1e-15, .max = 1,                \
                          .missing = "1e-05", .help = "of the normalizations"),                \
        DTS_DECODER_OTHER(whole, in, tied, DTS_BOOL, .missing = "false",                       \
                          .help = "the output uses the table of the embedding"),               \
        DTS_DECODER_OTHER(whole, in, fused, DTS_BOOL, .missing = "true",                       \
                          .help = "attention is one kernel")

/* Fill in what is left out, and check what spans keys. */
bool dts_decoder_complete(struct dts_decoder *d, const struct dts_cfg *at,
                          struct dts_error *err);

/* From the embedding on; the last norm, the head and the loss. */
void dts_decoder_begin(const struct dts_decoder *d, struct dts_text *out);
void dts_decoder_end(const struct dts_decoder *d, struct dts_text *out);

/* The first half of a block, from its entry to the layers "add_1" and "norm_2"; of it the
 * attention behind three layers; the end, from the attention on. */
void dts_decoder_attention(const struct dts_decoder *d, struct dts_text *out);
void dts_decoder_attend(const struct dts_decoder *d, const char *query, const char *key,
                        const char *value, struct dts_text *out);
void dts_decoder_norm(const struct dts_decoder *d, const char *name, struct dts_text *out);

/* down(silu(gate(x)) up(x)) of so many features; names begin with `prefix`. The last layer is
 * called down. */
void dts_decoder_gated(const struct dts_decoder *d, const char *prefix, const char *input,
                       int features, struct dts_text *out);

#endif
