/* nemotron.c -- Nemotron-4 (Parmar et al. 2024, arXiv:2402.16819; 340B, arXiv:2406.11704):
 * layer_norm before each branch, rotary positions, keys and values that heads may share, a
 * squared ReLU (arXiv:2109.08668), no biases but the norms'. P parameters, with d = head and no
 * tie:
 *
 *     P = layers (2 hidden d (heads + kv_heads) + 2 hidden ffn + 4 hidden)
 *         + 2 vocabulary hidden + 2 hidden
 */
#include "train/model/family/decoder.h"

static const struct dts_field fields[] = {
    DTS_DECODER_FIELDS(struct dts_decoder, ),
    DTS_FAMILY_INT(struct dts_decoder, ffn, DTS_FAMILY_FFN,
                   "features between the two linear layers"),
    {0},
};

static bool expand(void *self, const struct dts_cfg *at, struct dts_text *out,
                   struct dts_error *err)
{
    struct dts_decoder *d = self;
    d->centred = true;
    if (!dts_decoder_complete(d, at, err))
        return false;
    dts_decoder_begin(d, out);
    dts_family_add(out, "{'name': 'h', 'repeat': %d, 'layers': [", d->layers);
    dts_decoder_attention(d, out);
    dts_family_linear(out, "up", "norm_2", d->ffn, false);
    dts_family_add(out, "{'name': 'relu', 'kind': 'relu'}");
    dts_family_add(out, "{'name': 'squared', 'kind': 'multiply', 'input': ['relu', 'relu']}");
    dts_family_projection(out, "down", d->hidden, false, 2 * d->layers);
    dts_family_add(out, "{'name': 'add_2', 'kind': 'add', 'input': ['down', 'add_1']}");
    dts_family_end(out);
    dts_decoder_end(d, out);
    return true;
}

const struct dts_model_family dts_family_nemotron = {
    .name = "nemotron",
    .summary = "Nemotron-4: rotary positions, shared keys, a squared ReLU",
    .fields = fields,
    .size = sizeof(struct dts_decoder),
    .expand = expand,
};
