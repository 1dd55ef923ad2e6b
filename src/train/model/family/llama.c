/* llama.c -- Llama and its likes (Touvron et al. 2023, arXiv:2307.09288; Llama 3,
 * arXiv:2407.21783): rms_norm before each branch, rotary positions, keys and values that heads
 * may share, a gated product of SiLU (SwiGLU, arXiv:2002.05202), no biases. P parameters, with
 * d = head and no tie:
 *
 *     P = layers (2 hidden d (heads + kv_heads) + 3 hidden ffn + 2 hidden)
 *         + 2 vocabulary hidden + hidden
 */
#include "train/model/family/decoder.h"

static const struct dts_field fields[] = {
    DTS_DECODER_FIELDS(struct dts_decoder, ),
    DTS_FAMILY_INT(struct dts_decoder, ffn, DTS_FAMILY_FFN, "features of the gated product"),
    {0},
};

static bool expand(void *self, const struct dts_cfg *at, struct dts_text *out,
                   struct dts_error *err)
{
    struct dts_decoder *d = self;
    if (!dts_decoder_complete(d, at, err))
        return false;
    dts_decoder_begin(d, out);
    dts_family_add(out, "{'name': 'h', 'repeat': %d, 'layers': [", d->layers);
    dts_decoder_attention(d, out);
    dts_decoder_gated(d, "", "norm_2", d->ffn, out);
    dts_family_add(out, "{'name': 'add_2', 'kind': 'add', 'input': ['down', 'add_1']}");
    dts_family_end(out);
    dts_decoder_end(d, out);
    return true;
}

const struct dts_model_family dts_family_llama = {
    .name = "llama",
    .summary = "Llama and its likes: rotary positions, shared keys, a gated product",
    .fields = fields,
    .size = sizeof(struct dts_decoder),
    .expand = expand,
};
